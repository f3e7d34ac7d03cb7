package scan

// Every limit of a scan, in one place. They count steps and never time, so that
// the same bytes give the same report on every machine. What hits one is a
// finding, and the report is then not complete.
const (
	// stepsPerByte and stepsFree bound the work on one file: a step is one byte
	// that a regular expression or a parser looks at. Real files take 1 to 6
	// steps a byte.
	stepsPerByte = 24
	stepsFree    = 4 << 20

	maxSteps = 1 << 30 // steps on one package

	maxFindings     = 2_000     // findings in one report
	maxSameFindings = 20        // findings of one rule in one file; further ones are counted only
	maxTexts        = 20_000    // texts made of one file, values of a document included
	maxDerived      = 2         // how deep encoded content inside encoded content is followed
	maxDecoded      = 256 << 10 // bytes of one decoded stretch
	maxDecodes      = 200       // decoded stretches of one file

	maxEvidence = 160     // characters of evidence in a finding
	lineWindow  = 2 << 10 // bytes each side of a literal that a pattern sees of a very long line
	maxFacts    = 5_000   // facts noted in one package
)
