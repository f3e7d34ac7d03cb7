package checks

import (
	"path"
	"strings"

	"pinion/scan"
)

// binaries reports what runs and cannot be read: compiled programs, bytecode,
// and files that are not what their name says.
func binaries() scan.Check {
	return scan.Check{
		Name: "binary",
		Form: true,
		Rules: []scan.Rule{{
			ID: "binary/program", Level: scan.High, Since: "0.2.0",
			Title: "a compiled program is in the package",
			Help: "ELF, PE, Mach-O, WebAssembly, Java and Android files run as they are and cannot be reviewed. " +
				"Images, fonts and documents are not reported.",
			Fix:     "ship the source, or have the user install the program from its publisher",
			Example: "bin/helper begins with 7f 45 4c 46",
		}, {
			ID: "binary/bytecode", Level: scan.High, Since: "0.2.0",
			Title: "compiled bytecode is in the package",
			Help: "Bytecode (.pyc, Lua, Erlang, Hermes) is what an interpreter runs instead of the source. It need not be what the source beside it says; without a source nobody can say what it is. " +
				"It is medium when the source lies beside it.",
			Fix:     "delete it, and add __pycache__ and the like to .gitignore",
			Example: "lib/__pycache__/core.cpython-312.pyc",
		}, {
			ID: "binary/mismatch", Level: scan.High, Since: "0.2.0",
			Title: "a file is not what its name says",
			Help: "A program or archive has the name of an image, font, sound, document or text, or an image carries an archive, a program or a script behind its end. Reviewers and other scanners pass such files over, and a script of the package can unpack them. " +
				"An image of another image type, and harmless data behind an image, are not reported.",
			Fix:     "give the file its right name, or take it out",
			Example: "assets/logo.png begins with PK 03 04",
		}},
		File: func(p *scan.Pass, f *scan.File) {
			kind := kindOf(f.Data)
			what := promised(f.Path)
			switch {
			case kind.class == programClass:
				p.ReportFile(scan.High, "binary/program", f.Path, "%s program", kind.name)
			case kind.class == bytecodeClass:
				p.ReportFile(scan.High, "binary/bytecode", f.Path, "%s bytecode", kind.name)
			case isPyc(f.Path, f.Data):
				if p.Package.Tree.Lookup(pySource(f.Path)) != nil {
					p.ReportFile(scan.Medium, "binary/bytecode", f.Path, "Python bytecode; its source is in the package, but it need not be made of it")
				} else {
					p.ReportFile(scan.High, "binary/bytecode", f.Path, "Python bytecode without its source")
				}
			}
			if what != "" && kind.class != 0 {
				p.ReportFile(scan.High, "binary/mismatch", f.Path, "the name says %s, the content is %s", what, kind.words())
				return
			}
			if carried := carries(f.Data, what); carried != "" {
				p.ReportFile(scan.High, "binary/mismatch", f.Path, "%s", carried)
			}
		},
	}
}

func (k fileKind) words() string {
	switch k.class {
	case programClass:
		return "a program (" + k.name + ")"
	case bytecodeClass:
		return "bytecode (" + k.name + ")"
	}
	return "an archive (" + k.name + ")"
}

// pySource returns where the source of a Python bytecode file lies:
// a/__pycache__/b.cpython-312.pyc is made of a/b.py.
func pySource(p string) string {
	dir, name := path.Split(p)
	name, _, _ = strings.Cut(strings.TrimSuffix(strings.TrimSuffix(name, ".pyc"), ".pyo"), ".cpython-")
	dir = strings.TrimSuffix(strings.TrimSuffix(dir, "/"), "__pycache__")
	return path.Join(dir, name+".py")
}
