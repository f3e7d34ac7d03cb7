package scan

// RuleIncomplete is the id of the finding that something was left out.
const RuleIncomplete = "scan/incomplete"

// OwnRules are those of the engine itself.
func OwnRules() []Rule { return []Rule{incomplete} }

var incomplete = Rule{
	ID: RuleIncomplete, Level: Medium, Since: "0.2.0",
	Title: "not everything was looked at",
	Help: "A limit stopped the scan of a file or of the package, or an external scanner did not end well. " +
		"Limits count steps, so the same content gives the same result on every machine. What was not read is not known to be harmless: " +
		"a report with this finding is not complete and does not pass the gate of activate.",
	Fix: "split the file, shorten its lines, or take generated and packed content out of the package",
}
