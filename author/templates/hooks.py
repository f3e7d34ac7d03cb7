def handle(event, context):
    """Add one working rule to the context of every chat."""
    if event == "before_chat":
        rule = "Report which checks actually ran."
        return {"context": context["data"]["context"] + "\n" + rule}
    return {}
