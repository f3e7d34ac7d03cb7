package checks

import (
	"bytes"

	"pinion/scan"
)

// binaries reports what cannot be read: compiled programs, bytecode, archives,
// and files that are not what their name says.
func binaries() scan.Check {
	return scan.Check{
		Name: "binary",
		Rules: []scan.Rule{{
			ID: "binary/program", Level: scan.High, Since: "0.2.0",
			Title: "a compiled program is in the package",
			Help: "ELF, PE, Mach-O and WebAssembly files run as they are and cannot be reviewed. " +
				"Images, fonts and documents are not reported.",
			Fix:     "ship the source, or have the user install the program from its publisher",
			Example: "bin/helper begins with 7f 45 4c 46",
		}},
		File: func(p *scan.Pass, f *scan.File) {
			if kind := programKind(f.Data); kind != "" {
				p.ReportFile(scan.High, "binary/program", f.Path, "%s program", kind)
			}
		},
	}
}

// programKind returns what kind of program the first bytes are, or "".
func programKind(data []byte) string {
	for _, m := range []struct{ magic, kind string }{
		{"\x7fELF", "ELF"}, {"MZ", "Windows"}, {"\x00asm", "WebAssembly"},
		{"\xfe\xed\xfa\xce", "Mach-O"}, {"\xfe\xed\xfa\xcf", "Mach-O"}, {"\xce\xfa\xed\xfe", "Mach-O"}, {"\xcf\xfa\xed\xfe", "Mach-O"},
	} {
		if bytes.HasPrefix(data, []byte(m.magic)) {
			return m.kind
		}
	}
	return ""
}
