package checks

import "pinion/scan"

// Facts that families note for one another. None is a finding alone.
const (
	readsCredential scan.Fact = "reads-credential"  // a file or store that holds somebody's keys; Detail names it
	dumpsEnv        scan.Fact = "dumps-environment" // the whole environment, not one variable
	sendsData       scan.Fact = "sends-data"        // a request with a body, an upload, mail; Detail is the host when it is known
	namesHost       scan.Fact = "names-host"        // a host that code or a command names; Detail is the host
	dropHost        scan.Fact = "drop-host"         // a tunnel, paste or webhook service, or a bare public address; Detail is the host
	conceals        scan.Fact = "conceals"          // words that keep something from the user
	overrides       scan.Fact = "overrides"         // words that set the user's or host's instructions aside
	writesConfig    scan.Fact = "writes-config"     // settings or memory of an agent are written
	persists        scan.Fact = "persists"          // something is made to start again later
	runsProgram     scan.Fact = "runs-program"      // code starts another program
)
