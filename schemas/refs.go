package schemas

import (
	"fmt"
	"strings"
)

// refWalk looks at every reference of a schema from outside.
type refWalk struct {
	root   any
	faults []Fault
	named  bool // below an $id, "#" means another root
}

// isData are the keywords whose value is not a schema.
func isData(keyword string) bool {
	switch keyword {
	case "const", "enum", "default", "examples":
		return true
	}
	return false
}

// isMap are the keywords whose value is an object of schemas under any name.
func isMap(keyword string) bool {
	switch keyword {
	case "properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies":
		return true
	}
	return false
}

// schema looks at one schema, or at a list of them.
func (w *refWalk) schema(doc any, at []string) {
	switch doc := doc.(type) {
	case []any:
		for i, e := range doc {
			w.schema(e, append(at, fmt.Sprint(i)))
		}
	case map[string]any:
		if id, ok := doc["$id"].(string); ok && id != "" && len(at) > 0 {
			w.named = true
		}
		for name, v := range doc {
			here := append(at, name)
			text, isText := v.(string)
			switch {
			case (name == "$ref" || name == "$dynamicRef" || name == "$recursiveRef") && isText:
				w.reference(text, here)
			case name == "$schema" && isText:
				w.dialect(text, here)
			case isData(name):
			case isMap(name):
				if m, ok := v.(map[string]any); ok {
					for key, sub := range m {
						w.schema(sub, append(here, key))
					}
				}
			default:
				w.schema(v, here)
			}
		}
	}
}

func (w *refWalk) reference(ref string, at []string) {
	if !strings.HasPrefix(ref, "#") {
		w.add(at, "refers to %s; only references inside the schema (#…) are followed", describe(ref))
		return
	}
	if w.named || !strings.HasPrefix(ref, "#/") {
		return // the compiler knows anchors and bases
	}
	if _, ok := lookup(w.root, tokens(ref[1:])); !ok {
		w.add(at, "refers to %s, which is not in the schema", describe(ref))
	}
}

// dialect refuses what the library would have to load.
func (w *refWalk) dialect(uri string, at []string) {
	if !knownDialect(uri) {
		w.add(at, "names the dialect %s; known are the drafts 4, 6, 7, 2019-09 and 2020-12", describe(uri))
	}
}

func knownDialect(uri string) bool {
	uri = strings.TrimSuffix(uri, "#")
	rest, ok := strings.CutPrefix(uri, "https://json-schema.org/")
	if !ok {
		rest, ok = strings.CutPrefix(uri, "http://json-schema.org/")
	}
	if !ok {
		return false
	}
	switch rest {
	case "schema", "draft/2020-12/schema", "draft/2019-09/schema", "draft-07/schema", "draft-06/schema", "draft-04/schema":
		return true
	}
	return false
}

func (w *refWalk) add(at []string, format string, args ...any) {
	if len(w.faults) < maxFaults {
		w.faults = append(w.faults, Fault{pointer(at), fmt.Sprintf(format, args...)})
	}
}
