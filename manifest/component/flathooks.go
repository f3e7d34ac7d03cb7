package component

// flat reads one hook of a host whose events list hooks directly. The shape of
// other hosts, with a matcher around the hooks, is listed too.
func (r *Reader) flat(event string, v Value) {
	pattern, _ := v.Get("matcher")
	if list, nested := v.Get("hooks"); nested && list.Kind() == '[' {
		r.Report(v, r.hookFault(r.rules.Hook.Report("a hook of %q stands in a matcher; the host drops it", Clip(event)).
			WithFix("write the hook directly into the list of %q", event)))
		for _, h := range list.Elements() {
			r.Handle(event, pattern.Text(), h)
		}
		return
	}
	fault := flatFault
	if r.host.Handler != nil {
		fault = r.host.Handler
	}
	if why, at := fault(v); why != "" {
		r.Report(at, r.hookFault(r.rules.Hook.Report("a hook of %q %s; the host drops it", Clip(event), why)))
	}
	if v.Kind() == '{' {
		r.Handle(event, pattern.Text(), v)
	}
}

// flatFault returns what keeps a host from taking such a hook, and where.
func flatFault(h Value) (why string, at Value) {
	if h.Kind() != '{' {
		return "is " + h.Found() + ", want an object", h
	}
	for _, key := range []string{"command", "prompt"} {
		if v, _ := h.Get(key); v.Text() != "" {
			return "", h
		}
	}
	return "has no \"command\"", h
}
