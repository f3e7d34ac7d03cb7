package scan

// Every limit of a scan, in one place. They count steps and never time, so that
// the same bytes give the same report on every machine. What hits one is a
// finding, and the report is then not complete.
const (
	// stepsPerByte and stepsFree bound the work on one file: a step is about what
	// it takes to look for literals at one byte, some 10 to 20 ns. Real files take
	// 4 steps a byte; docs/scanning.md has the largest ratios that were met.
	stepsPerByte = 64
	stepsFree    = 4 << 20

	// packageStepsPerByte and packageStepsFree bound the work on all files
	// together, so that a hundred small files are not a hundred free allowances;
	// maxSteps does for the largest packages.
	packageStepsPerByte = 24
	packageStepsFree    = 24 << 20
	maxSteps            = 1 << 30

	// What work costs that is not one step a byte.
	textSteps         = 32    // to begin with one text
	patternSteps      = 12    // a regular expression, for each byte it is given
	scriptSteps       = 1024  // to begin with a shell script
	commandSteps      = 300   // to look at one command of a script
	slowDocumentSteps = 12    // to read YAML or TOML, for each byte
	reportSteps       = 2_000 // a finding that is listed, with its evidence
	factSteps         = 64    // a fact that is noted
	decodeSteps       = 512   // to begin with decoded content

	maxFindings       = 2_000     // findings in one report; info and low ones beyond it are counted only
	maxSameFindings   = 20        // findings of one rule in one file; further ones are counted only
	maxQuiet          = 100       // findings in one encoded stretch
	maxTexts          = 20_000    // texts made of one file; further values of a document are looked at together
	maxCommands       = 20_000    // commands of a document that are looked at one by one
	joinedValues      = 4 << 10   // bytes of values that are looked at together
	maxDocument       = 512 << 10 // bytes of a YAML or TOML document that are read at once; a larger one is cut between its sections
	maxDerived        = 2         // how deep encoded content inside encoded content is followed
	maxNested         = 3         // how deep code in strings of code is followed
	maxDecoded        = 256 << 10 // bytes of one decoded stretch
	maxDecodes        = 10_000    // decoded stretches of one file
	maxInner          = 8 << 20   // bytes of files packed inside files, of one package
	innerStepsPerByte = 3         // what must be left to begin with a packed file
	maxUnpacked       = 64 << 20  // bytes that are unpacked of the archives of one package

	maxEvidence  = 160     // characters of evidence in a finding
	lineWindow   = 2 << 10 // bytes each side of a literal that a pattern sees of a very long line
	maxFileFacts = 5_000   // facts noted in one file
	maxFacts     = 50_000  // facts noted in one package
)
