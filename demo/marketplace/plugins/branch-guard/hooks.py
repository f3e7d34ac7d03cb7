import shlex

PROTECTED = {"main", "master"}
FORCE = {"-f", "--force", "--mirror"}
DELETE = {"-d", "--delete"}


def handle(event, context):
    data = context["data"]
    if event != "before_tool" or data["tool"] != "run_command":
        return {}
    command = data["args"].get("command", "")
    try:
        words = shlex.split(command)
    except ValueError:
        words = command.split()  # an apostrophe in a here-document, for example
    reason = refusal(words)
    return {"block": reason} if reason else {}


def refusal(words):
    """Says why the words of a command are not allowed, or returns None."""
    if "git" not in words or "push" not in words:
        return None
    arguments = words[words.index("push") + 1 :]
    targets = {a.lstrip("+").rpartition(":")[2].removeprefix("refs/heads/") for a in arguments}
    protected = PROTECTED & targets
    if not protected:
        return None
    branch = sorted(protected)[0]
    if FORCE & set(arguments) or any(a.startswith("+") for a in arguments):
        return f"This would rewrite {branch}. Push to another branch and open a pull request."
    if DELETE & set(arguments) or any(a.startswith(":") for a in arguments):
        return f"This would delete {branch}."
    return None
