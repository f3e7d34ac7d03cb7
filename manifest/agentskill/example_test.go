package agentskill_test

import (
	"fmt"

	"pinion/manifest/agentskill"
)

func ExampleRead() {
	skill, found := agentskill.Read("skills/pdf/SKILL.md", []byte("---\nname: forms\ndescription: Fills forms.\n---\n"))
	fmt.Println(skill.Name)
	fmt.Println(found[0])
	// Output:
	// forms
	// skills/pdf/SKILL.md:2:7: warning: the skill is named "forms", but its directory "pdf" (skill/directory)
}
