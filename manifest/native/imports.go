package native

import "strings"

// importRef is a module or file that JavaScript or CSS refers to.
type importRef struct {
	path string // as written
	at   int    // byte offset of the literal
}

// jsImports finds what a module loads from beside itself: static imports,
// re-exports, import("…"), new URL("…", import.meta.url) and
// import.meta.resolve("…"). Paths that are computed cannot be seen.
func jsImports(tokens []jsToken) []importRef {
	var refs []importRef
	for i := range tokens {
		t := tokens[i]
		if t.kind != jsWord || i > 0 && (tokens[i-1].is(".") || tokens[i-1].is("?.")) {
			continue
		}
		var lit jsToken
		switch string(t.text) {
		case "import":
			lit = importLiteral(tokens[i+1:])
		case "export":
			if next := tokens[i+1]; next.is("*") || next.is("{") {
				lit = fromClause(tokens[i+1:])
			}
		case "new":
			lit = urlLiteral(tokens[i+1:])
		}
		if text, ok := literal(lit); ok {
			refs = append(refs, importRef{text, lit.at})
		}
	}
	return refs
}

// importLiteral returns the literal that follows the word import.
func importLiteral(rest []jsToken) jsToken {
	switch next := rest[0]; {
	case next.kind == jsString:
		return next
	case next.is("("):
		if len(rest) > 2 && (rest[2].is(")") || rest[2].is(",")) {
			return rest[1]
		}
	case next.is("."):
		if len(rest) > 4 && rest[1].is("meta") && rest[2].is(".") && rest[3].is("resolve") && rest[4].is("(") {
			return rest[5]
		}
	case next.kind == jsWord || next.is("*") || next.is("{"):
		return fromClause(rest)
	}
	return jsToken{}
}

// fromClause returns the literal after from, when only names come before it.
func fromClause(rest []jsToken) jsToken {
	for i, t := range rest {
		switch {
		case t.is("from") && rest[i+1].kind == jsString:
			return rest[i+1]
		case t.is("import"), t.is("export"): // the next statement; this bounds the search
			return jsToken{}
		case t.kind == jsWord, t.kind == jsString, t.is("*"), t.is("{"), t.is("}"), t.is(","):
		default:
			return jsToken{}
		}
	}
	return jsToken{}
}

// urlLiteral matches URL("…", import.meta.url after the word new.
func urlLiteral(rest []jsToken) jsToken {
	want := [...]string{"URL", "(", "", ",", "import", ".", "meta", ".", "url"}
	if len(rest) < len(want) {
		return jsToken{}
	}
	for i, w := range want {
		if w != "" && !rest[i].is(w) {
			return jsToken{}
		}
	}
	// Every path is relative here, also one without a dot.
	lit := rest[2]
	if text, ok := literal(lit); !ok || strings.Contains(text, ":") || strings.HasPrefix(text, "/") {
		return jsToken{}
	}
	return lit
}

// literal returns the text of a string, or of a template without parts.
func literal(t jsToken) (string, bool) {
	if t.kind == jsString || t.kind == jsTemplate && t.plain {
		return unescapeJS(string(t.text)), true
	}
	return "", false
}

// unescapeJS takes the backslashes out of the escapes that a path may have.
func unescapeJS(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	return strings.NewReplacer(`\/`, "/", `\'`, "'", `\"`, `"`, `\\`, `\`, `\x2e`, ".", `\u002e`, ".", `\x2f`, "/", `\u002f`, "/").Replace(s)
}
