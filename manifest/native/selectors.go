package native

import "strings"

// scoped reports whether each selector of the list reaches only elements of the
// plugin: it has [data-plugin="id"] outside of :not() and :has() (SB-137).
func scoped(list, id string) bool {
	for _, sel := range splitSelectors(list) {
		if !selectorScoped(sel, id) {
			return false
		}
	}
	return true
}

// splitSelectors splits at the commas outside of brackets and strings.
func splitSelectors(list string) []string {
	var out []string
	depth, start := 0, 0
	var quote byte
	for i := 0; i < len(list); i++ {
		switch c := list[i]; {
		case c == '\\':
			i++
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '(' || c == '[':
			depth++
		case (c == ')' || c == ']') && depth > 0:
			depth--
		case c == ',' && depth == 0:
			out = append(out, list[start:i])
			start = i + 1
		}
	}
	return append(out, list[start:])
}

func selectorScoped(sel, id string) bool {
	var excluded []bool // for each open (, whether it is of :not or :has
	inside := 0
	for i := 0; i < len(sel); i++ {
		switch c := sel[i]; c {
		case '\\':
			i++
		case '"', '\'':
			i += stringLen(sel[i:]) - 1
		case '(':
			name := strings.ToLower(sel[max(0, i-len(":not")):i])
			not := strings.HasSuffix(name, ":not") || strings.HasSuffix(name, ":has")
			excluded = append(excluded, not)
			if not {
				inside++
			}
		case ')':
			if pop(&excluded) {
				inside--
			}
		case '[':
			end := i + 1
			for end < len(sel) && sel[end] != ']' {
				if sel[end] == '"' || sel[end] == '\'' {
					end += stringLen(sel[end:]) - 1
				}
				end++
			}
			if inside == 0 && isPluginAttribute(sel[i+1:min(end, len(sel))], id) {
				return true
			}
			i = end
		}
	}
	return false
}

// stringLen is the length of the string at the start of s, with its quotes.
func stringLen(s string) int {
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case s[0]:
			return i + 1
		}
	}
	return len(s)
}

// isPluginAttribute matches data-plugin="id" with either quotes or none.
func isPluginAttribute(attr, id string) bool {
	name, value, ok := strings.Cut(attr, "=")
	if !ok || strings.TrimSpace(name) != "data-plugin" {
		return false
	}
	value = strings.TrimSpace(value)
	if n := len(value); n >= 2 && (value[0] == '"' || value[0] == '\'') && value[n-1] == value[0] {
		value = value[1 : n-1]
	}
	return value == id
}

// themed reports whether every selector of the list is one that a theme sets
// variables on: :root, html, or an element that carries data-theme.
func themed(list string) bool {
	for _, sel := range splitSelectors(list) {
		sel = strings.TrimSpace(sel)
		for _, head := range [...]string{":root", "html", "body"} {
			if rest, ok := strings.CutPrefix(sel, head); ok {
				sel = rest
				break
			}
		}
		if sel != "" && !strings.HasPrefix(sel, "[data-theme") && !strings.HasPrefix(sel, ":not([data-theme") {
			return false
		}
		if strings.ContainsAny(strings.TrimSpace(sel), " >+~") && !strings.HasPrefix(sel, "[data-theme~=") {
			return false
		}
	}
	return true
}
