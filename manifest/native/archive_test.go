package native

import (
	"bytes"
	"os"
	"strings"
)

// archive is a txtar file: a comment, and files under lines "-- name --". The
// library for it is a module that nothing else here needs.
type archive struct {
	comment string
	files   []archiveFile
}

type archiveFile struct{ name, data string }

func readArchive(path string) (*archive, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	a := &archive{}
	part := &a.comment
	for line := range strings.Lines(string(data)) {
		name, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "-- ")
		if name, closed := strings.CutSuffix(name, " --"); ok && closed {
			a.files = append(a.files, archiveFile{name: name})
			part = &a.files[len(a.files)-1].data
			continue
		}
		*part += line
	}
	return a, nil
}

func (a *archive) text() []byte {
	var b bytes.Buffer
	b.WriteString(a.comment)
	for _, f := range a.files {
		b.WriteString("-- " + f.name + " --\n" + f.data)
	}
	return b.Bytes()
}
