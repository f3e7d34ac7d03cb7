package syntax

import (
	"errors"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
	"go.yaml.in/yaml/v3"
)

// YAMLTexts returns a YAML document as JSON in which every scalar is text as it
// is written, but for null. So a commit of digits alone stays one. Anchors,
// aliases, merge keys, tags, duplicate keys and keys that are no text are
// errors, as is nesting below [MaxDepth].
func YAMLTexts(data []byte) (Raw, error) {
	root, err := parseYAML(data)
	if err != nil {
		return nil, err
	}
	if root == nil {
		return Raw("null"), nil
	}
	return appendTexts(nil, root, 0)
}

func appendTexts(out []byte, n *yaml.Node, depth int) ([]byte, error) {
	fail := func(why string) ([]byte, error) { return nil, fmt.Errorf("line %d: %s", n.Line, why) }
	switch {
	case depth > MaxDepth:
		return fail("the nesting is too deep")
	case n.Kind == yaml.AliasNode || n.Anchor != "":
		return fail("anchors and aliases are not read")
	case n.Style&yaml.TaggedStyle != 0:
		return fail("tags are not read")
	}
	var err error
	switch n.Kind {
	case yaml.ScalarNode:
		if n.ShortTag() == "!!null" {
			return append(out, "null"...), nil
		}
		if out, err = jsontext.AppendQuote(out, n.Value); err != nil {
			return fail("the text is not UTF-8")
		}
		return out, nil
	case yaml.SequenceNode:
		out = append(out, '[')
		for i, item := range n.Content {
			if i > 0 {
				out = append(out, ',')
			}
			if out, err = appendTexts(out, item, depth+1); err != nil {
				return nil, err
			}
		}
		return append(out, ']'), nil
	case yaml.MappingNode:
		seen := make(map[string]bool, len(n.Content)/2)
		out = append(out, '{')
		for i := 0; i+1 < len(n.Content); i += 2 {
			key := n.Content[i]
			if key.Kind != yaml.ScalarNode || key.ShortTag() == "!!merge" || key.Anchor != "" {
				return fail("a key is not text")
			}
			if seen[key.Value] {
				return fail(fmt.Sprintf("the key %q is there twice", key.Value))
			}
			seen[key.Value] = true
			if i > 0 {
				out = append(out, ',')
			}
			if out, err = jsontext.AppendQuote(out, key.Value); err != nil {
				return fail("a key is not UTF-8")
			}
			if out, err = appendTexts(append(out, ':'), n.Content[i+1], depth+1); err != nil {
				return nil, err
			}
		}
		return append(out, '}'), nil
	}
	return nil, errors.New("the YAML has something that is no value")
}
