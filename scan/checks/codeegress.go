package checks

import (
	"strings"

	"pinion/scan"
)

// envVariable recognises os.environ and process.env: as a whole they are a dump,
// with a name behind them one variable.
func (f *flow) envVariable(fr *frame) {
	chain := fr.chain
	rest, ok := strings.CutPrefix(chain, "process.env")
	if !ok {
		rest, ok = strings.CutPrefix(chain, "os.environ")
	}
	if !ok {
		if rest, ok = strings.CutPrefix(chain, "Bun.env"); !ok {
			return
		}
	}
	rest = strings.TrimPrefix(rest, ".")
	switch rest {
	case "":
		switch f.peek(0) {
		case ".":
			if m := f.peek(1); m == "items" || m == "copy" || m == "keys" || m == "values" {
				break
			}
			return
		case "?.", "[", "=", "in", "|":
			return
		}
		if f.at > 0 && f.text(f.toks[f.at-1]) == "in" && f.peek(0) != ")" {
			break
		}
		v := value{taint: isEnvDump, secret: "the environment"}
		fr.chained.merge(v)
		fr.cur.merge(v)
	case "get", "items", "copy", "keys", "values", "setdefault", "pop", "update":
	default:
		name, _, _ := strings.Cut(rest, ".")
		v := value{env: name}
		fr.chained.merge(v)
		fr.cur.merge(v)
	}
}

// oneOf reports whether one member is taken of what the name holds.
func (f *flow) oneOf() bool {
	switch f.peek(0) {
	case "[":
		return true
	case ".", "?.":
		switch f.peek(1) {
		case "items", "copy", "keys", "values", "update":
			return false
		}
		return true
	}
	return false
}

// hostOf returns the host that the argument i, or one called url, host or
// hostname, names.
func (f *flow) hostOf(c *frame, i int) string {
	look := func(o operand) string {
		if s := o.shape; strings.Contains(s, "://") {
			return webHost(s)
		}
		return ""
	}
	if i < len(c.args) {
		o := c.args[i]
		if h := look(o); h != "" {
			return h
		}
		for _, e := range o.list { // ("host", port) and {host: "…"}
			if h := look(e); h != "" {
				return h
			}
			if e.literal && strings.Contains(e.shape, ".") && !strings.ContainsAny(e.shape, "/ ") && (e.key == "" || strings.Contains(strings.ToLower(e.key), "host")) {
				return strings.ToLower(e.shape)
			}
		}
		if o.literal && strings.Contains(o.shape, ".") && !strings.ContainsAny(o.shape, "/ ") {
			return strings.ToLower(o.shape)
		}
	}
	for _, a := range c.args {
		if h := look(a); h != "" {
			return h
		}
		if a.literal && (channels[c.plain] || c.recv.taint&isChannel != 0) && strings.Contains(a.shape, ".") && !strings.ContainsAny(a.shape, "/ ") {
			return strings.ToLower(a.shape)
		}
	}
	for _, a := range c.args {
		if a.host != "" {
			return a.host
		}
	}
	return c.recv.host
}

// sent is a call that carries its arguments to another machine.
func (f *flow) sent(c *frame, args value, method string, end int) {
	name := c.plain
	net := fetches[name] || outgoing[name] || postMethods[method] && (fetches[strings.TrimSuffix(name, "."+method)+".get"] || c.recv.taint&(isRemote|isChannel) != 0)
	if !net && !(writesMethods[method] && c.recv.taint&isChannel != 0) {
		return
	}
	if fetches[name] && c.recv.taint == 0 && len(c.args) == 0 {
		return
	}
	host := f.hostOf(c, 0)
	if f.last {
		f.p.Note(sendsData, f.t, c.start, end, host)
	}
	if isPrivateHost(host) {
		return
	}
	f.leaves(c, args, host, end)
}

// leaves judges a value that goes to a host.
func (f *flow) leaves(c *frame, args value, host string, end int) {
	to := host
	if to == "" {
		to = "another machine"
	}
	drop := isDrop(host)
	switch {
	case args.taint&anySecret != 0 && isShownHost(host):
		f.reportAs(scan.Medium, ruleSecretSent, c.start, int32(end), "%s goes to %s", args.secret, to)
	case args.taint&anySecret != 0:
		if args.taint&isEnvDump == 0 && (ownService(args.secret, host) || projectSecret(args.secret) && !drop) {
			return
		}
		if drop {
			f.report(ruleSecretDrop, c.start, int32(end), "%s goes to %s", args.secret, to)
			return
		}
		level := scan.High
		if host == "" && args.taint&isEnvDump == 0 && hasService(args.secret) {
			level = scan.Medium // most likely to that service
		}
		f.reportAs(level, ruleSecretSent, c.start, int32(end), "%s goes to %s", args.secret, to)
	case args.env != "" && host != "" && secretVariable(args.env):
		if ownVariable(args.env, host) {
			return
		}
		level := scan.Low
		if drop && !strings.Contains(host, "/") { // a bot's own token is part of its address
			level = scan.Critical
			f.reportAs(level, ruleSecretDrop, c.start, int32(end), "%s goes to %s", args.env, to)
			return
		}
		if knownVariable(args.env) {
			level = scan.Medium
		}
		f.reportAs(level, ruleKeyElsewhere, c.start, int32(end), "%s goes to %s", args.env, to)
	}
}

// dumped is the environment as a whole that becomes text.
func (f *flow) dumped(c *frame, args value, end int) {
	if args.taint&isEnvDump != 0 && serialises[c.plain] && f.last {
		if inner := f.dumpedAt; inner >= c.start && inner < end {
			return // print(json.dumps(…)) is one
		}
		f.dumpedAt = c.start
		f.p.Note(dumpsEnv, f.t, c.start, end, c.plain)
		f.report(ruleEnvDump, c.start, int32(end), "every environment variable is written out")
	}
}

// credential is a file of keys that is read.
func (f *flow) credential(c *frame, v value, end int) {
	if !f.last {
		return
	}
	f.p.Note(readsCredential, f.t, c.start, end, v.secret)
	level := scan.Medium
	if projectSecret(v.secret) {
		level = scan.Low
	}
	f.reportAs(level, ruleCredentialRead, c.start, int32(end), "it reads %s", v.secret)
}
