package main

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"pinion/internal/syntax"
	"pinion/internal/testkit"
)

// yamlOf returns the strings of a YAML document by their pointers.
func yamlOf(t *testing.T, text []byte) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := syntax.YAMLStrings(text, func(s syntax.Text) bool {
		out[s.Pointer] = s.Value // a key comes before its value, with the same pointer
		return true
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func yamlFile(t *testing.T, name string) map[string]string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", name))
	if err != nil {
		t.Fatal(err)
	}
	return yamlOf(t, text)
}

// needBash skips where the scripts of CI systems cannot run.
func needBash(t *testing.T) string {
	t.Helper()
	testkit.RequireGit(t)
	bash, err := exec.LookPath("bash")
	if err != nil || runtime.GOOS == "windows" {
		t.Skip("bash is not installed")
	}
	return bash
}

// pullRequest is a repository on a branch that changed one of its two plugins.
func pullRequest(t *testing.T) *session {
	t.Helper()
	s := newSession(t)
	s.publish("repo")
	s.git("repo", "checkout", "-q", "-b", "change")
	s.edit("repo/plugins/text-tools/server.py", "mcp = ", "# more\nmcp = ")
	return s
}

// actionStep runs a step of action.yml as a GitHub runner does.
func actionStep(t *testing.T, action map[string]string, step int, dir string, inputs, env map[string]string) (string, error) {
	t.Helper()
	at := fmt.Sprintf("/runs/steps/%d", step)
	script := action[at+"/run"]
	if script == "" || action[at+"/shell"] != "bash" {
		t.Fatalf("step %d is no bash script: %q", step, script)
	}
	// An expression in a script would make its value a part of the script.
	if strings.Contains(script, "${{") {
		t.Fatalf("step %d has an expression in its script:\n%s", step, script)
	}
	file := filepath.Join(t.TempDir(), "step.sh")
	if err := os.WriteFile(file, []byte(script), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), needBash(t), "--noprofile", "--norc", "-eo", "pipefail", file)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GITHUB_ACTIONS=true")
	for k, v := range env {
		cmd.Env = append(cmd.Env, k+"="+v)
	}
	expression := regexp.MustCompile(`^\$\{\{ (inputs|github)\.([a-z_-]+) \}\}$`)
	for p, value := range action {
		name, ok := strings.CutPrefix(p, at+"/env/")
		if !ok {
			continue
		}
		m := expression.FindStringSubmatch(value)
		switch {
		case m == nil:
			t.Fatalf("%s is %q", p, value)
		case m[1] == "github":
			value = map[string]string{"action_path": env["action_path"]}[m[2]]
		default:
			given, ok := inputs[m[2]]
			if _, known := action["/inputs/"+m[2]+"/description"]; !known {
				t.Fatalf("%s is no input", m[2])
			}
			if value = given; !ok {
				value = action["/inputs/"+m[2]+"/default"]
			}
		}
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// exitCodeOf is the exit code of a program that ran.
func exitCodeOf(t *testing.T, err error) int {
	t.Helper()
	if err == nil {
		return 0
	}
	exit, ok := err.(*exec.ExitError)
	if !ok {
		t.Fatal(err)
	}
	return exit.ExitCode()
}

// What action.yml runs is run, with inputs that try to be more than values.
// Issue "Scan, gate and review", Review in CI.
func TestAction(t *testing.T) {
	t.Parallel()
	needBash(t)
	action := yamlFile(t, "action.yml")
	if action["/runs/using"] != "composite" || action["/runs/steps/3/run"] != "" {
		t.Fatalf("action.yml has other steps than this test runs: %v", slices.Sorted(maps.Keys(action)))
	}
	temp := t.TempDir()
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	if out, err := actionStep(t, action, 1, root, nil, map[string]string{"RUNNER_TEMP": temp, "action_path": root}); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	s := pullRequest(t)
	dir := filepath.Join(s.dir, "repo")
	run := func(inputs map[string]string) (out string, code int) {
		out, err := actionStep(t, action, 2, dir, inputs, map[string]string{
			"RUNNER_TEMP": temp, "HOME": s.vars["HOME"], "PINION_HOME": s.vars["PINION_HOME"], "GITHUB_STEP_SUMMARY": filepath.Join(dir, "summary.md"),
			"GITHUB_BASE_REF": "", "GITHUB_REF": "", "CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "",
		})
		return out, exitCodeOf(t, err)
	}

	out, code := run(map[string]string{"base": "main", "sarif": "check.sarif", "fail-on": "new-capability", "only-own": "text-", "strict": "true"})
	if code != exitProblems || !strings.Contains(out, "::error file=plugins/text-tools/pinion-plugin.json,line=") {
		t.Errorf("exit %d\n%s", code, out)
	}
	for file, want := range map[string]string{"check.sarif": `"version": "2.1.0"`, "summary.md": "Packages that the change touches"} {
		if text, err := os.ReadFile(filepath.Join(dir, file)); err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s: %v, %s", file, err, text)
		}
	}
	if out, code := run(map[string]string{"base": "main", "path": "plugins/writing-style"}); code != 0 {
		t.Errorf("another path: exit %d\n%s", code, out)
	}

	for _, hostile := range []string{`"; touch x; "`, "$(touch x)", "`touch x`", "'; touch x; '", "a\ntouch x\n", "--help", "--base=main --report=x.md", "x && touch x", "${IFS}"} {
		for _, input := range []string{"path", "base", "only-own", "fail-on", "strict"} {
			inputs := map[string]string{"base": "main"}
			inputs[input] = hostile
			out, code := run(inputs)
			if matches, _ := filepath.Glob(filepath.Join(dir, "x*")); len(matches) > 0 {
				t.Errorf("%s = %q made %q\n%s", input, hostile, matches, out)
			}
			if code == 0 {
				t.Errorf("%s = %q: exit 0\n%s", input, hostile, out)
			}
		}
	}
}

// Every hook is run as pre-commit does: the entry, without a shell, at the top
// of the repository.
func TestPreCommitHooks(t *testing.T) {
	t.Parallel()
	testkit.RequireGit(t)
	hooks := yamlFile(t, ".pre-commit-hooks.yaml")
	s := pullRequest(t)
	want := map[string]int{"pinion-validate": 0, "pinion-scan": 0, "pinion-catalog": exitProblems}
	for i := 0; hooks[fmt.Sprintf("/%d/id", i)] != ""; i++ {
		at := fmt.Sprintf("/%d", i)
		id := hooks[at+"/id"]
		code, known := want[id]
		if !known || hooks[at+"/language"] != "golang" || hooks[at+"/pass_filenames"] != "false" {
			t.Errorf("hook %s: %v", id, hooks)
		}
		delete(want, id)
		words := strings.Fields(hooks[at+"/entry"])
		cmd := exec.CommandContext(t.Context(), words[0], words[1:]...)
		cmd.Dir = filepath.Join(s.dir, "repo")
		cmd.Env = append(os.Environ(), "HOME="+s.vars["HOME"], "PINION_HOME="+s.vars["PINION_HOME"])
		out, err := cmd.CombinedOutput()
		if got := exitCodeOf(t, err); got != code {
			t.Errorf("%s: exit %d, want %d\n%s", hooks[at+"/entry"], got, code, out)
		}
	}
	if len(want) > 0 {
		t.Errorf("there are no hooks %v", want)
	}
}

var yamlBlock = regexp.MustCompile("(?s)```yaml\n(.*?)```")

// Every workflow in docs/ci.md is one: its inputs, hooks and commands exist, and
// the commands run.
func TestCIDocument(t *testing.T) {
	t.Parallel()
	bash := needBash(t)
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "ci.md"))
	if err != nil {
		t.Fatal(err)
	}
	action, hooks := yamlFile(t, "action.yml"), yamlFile(t, ".pre-commit-hooks.yaml")
	var ids []string
	for p, v := range hooks {
		if strings.HasSuffix(p, "/id") {
			ids = append(ids, v)
		}
	}
	inputs, used, ran := 0, 0, 0
	s := pullRequest(t)
	s.git("repo", "checkout", "-q", ".") // the change is in order
	for _, block := range yamlBlock.FindAllSubmatch(text, -1) {
		doc := yamlOf(t, block[1])
		for p, v := range doc {
			step, name, ok := strings.Cut(p, "/with/")
			if ok && strings.HasPrefix(doc[step+"/uses"], "OWNER/pinion@") {
				inputs++
				if action["/inputs/"+name+"/description"] == "" {
					t.Errorf("action.yml has no input %s", name)
				}
			}
			if regexp.MustCompile(`/hooks/\d+/id$`).MatchString(p) {
				used++
				if !slices.Contains(ids, v) {
					t.Errorf("there is no hook %s", v)
				}
			}
			if regexp.MustCompile(`^/[a-z]+/script/\d+$`).MatchString(p) {
				ran++
				cmd := exec.CommandContext(t.Context(), bash, "-c", v)
				cmd.Dir = filepath.Join(s.dir, "repo")
				cmd.Env = append(os.Environ(), "HOME="+s.vars["HOME"], "PINION_HOME="+s.vars["PINION_HOME"], "GITHUB_BASE_REF=",
					"CI_MERGE_REQUEST_TARGET_BRANCH_NAME=main")
				s.git("repo", "update-ref", "refs/remotes/origin/main", "main")
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Errorf("%s: %v\n%s", v, err, out)
				}
			}
		}
	}
	if inputs < 3 || used < 3 || ran < 1 {
		t.Errorf("%d inputs, %d hooks and %d commands were found; is the pattern still right?", inputs, used, ran)
	}
	// The table of inputs is that of the action.
	for p := range action {
		if name, ok := strings.CutPrefix(p, "/inputs/"); ok && !strings.Contains(name, "/") && !strings.Contains(string(text), "| `"+name+"` |") {
			t.Errorf("docs/ci.md does not explain the input %s", name)
		}
	}
}
