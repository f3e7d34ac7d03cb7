package checks

import (
	"bytes"
	"regexp"
	"sync"
	"unicode/utf8"
)

// phrase is something said to a model. Any are literals, ASCII in lower case,
// of which a line must hold one; Match is the expression.
type phrase struct {
	Any   []string
	Match string
}

// overridePhrases set instructions of the user or the host aside, in other ways
// than [setAsides] finds.
var overridePhrases = []phrase{
	{[]string{"you are now", "you will be"},
		`(?i)\byou (?:are|will be) now (?:in |running in )?(?:dan\b|developer mode|jailbroken|unrestricted|uncensored|unfiltered|no longer (?:bound|restricted|limited))`},
	{[]string{"do anything now", "god mode", "dan mode", "jailbreak mode", "unrestricted mode"}, `(?i)\b(?:do anything now|(?:enter|enable|activate|switch (?:in)?to) (?:god|dan|jailbreak|unrestricted) mode)\b`},
	{[]string{"supersede", "override", "precedence over", "priority over"},
		`(?i)\b(?:this|these|the following|below) (?:skill|instructions?|rules|directives?|prompt|message)s?\b[^.\n]*?\b(?:supersedes?|overrides?|takes? (?:precedence|priority) over)\b[^.\n]*?\b(?:system (?:prompt|instructions?|messages?)|developer (?:instructions?|messages?)|(?:the )?user'?s? (?:instructions?|requests?|wishes)|(?:your )?safety|(?:previous|prior) instructions|all other instructions)\b`},
	{[]string{"always comply", "never refuse", "respond without"},
		`(?i)\b(?:always comply (?:with (?:any|all|every)|regardless)|(?:must|will|should) never refuse|never refuse (?:any|the user|a request)|respond without (?:any )?(?:ethical|safety|moral) (?:considerations?|restrictions?|checks?|filters?))`},
	{[]string{"safety filter", "safety guideline", "safety protocol", "safety polic", "safety restriction", "safety mechanism", "safety measure", "content filter", "content polic", "guardrail"},
		`(?i)\b(?:disable|turn off|bypass|circumvent|ignore)\s(?:all |any )?(?:of )?(?:your|the model'?s|the assistant'?s)\s(?:own |internal |built-in )?(?:safety|content|ethical)?\s?(?:filters?|guidelines|guardrails|checks|policies|protocols|measures|mechanisms|restrictions)\b`},
	{[]string{"instrucciones", "indicaciones"}, `(?i)\b(?:ignora|ignore|olvida|olvide)\b[^.\n]*?\b(?:instrucciones|indicaciones|reglas)\b[^.\n]*?\b(?:anteriores|previas|del sistema)`},
	{[]string{"précédentes", "antérieures", "du système"}, `(?i)\b(?:ignore[rz]?|oublie[rz]?)\b[^.\n]*?\b(?:instructions|consignes|règles)\b[^.\n]*?(?:précédentes|antérieures|du système)`},
	{[]string{"ignorier", "vergiss", "missachte"}, `(?i)\b(?:ignoriere[n]?|vergiss|missachte)\b[^.\n]*?\b(?:vorherigen?|bisherigen?|vorigen|obigen|früheren)\b[^.\n]*?\b(?:anweisungen|befehle|regeln|instruktionen)`},
	{[]string{"instruções", "regras anteriores"}, `(?i)\b(?:ignore|ignorar|esqueça)\b[^.\n]*?\b(?:instruções|regras)\b[^.\n]*?\b(?:anteriores|prévias|do sistema)`},
	{[]string{"гнорир", "абудь"}, `(?i)(?:игнорир(?:уй|уйте|овать)|забудь(?:те)?)[^.\n]*?(?:предыдущ|прежн|системн)[^.\n]*?(?:инструкц|указани|правил)`},
	{[]string{"忽略", "无视", "忘记"}, `(?:忽略|无视|忘记)(?:掉)?(?:你)?(?:所有|全部|一切)?(?:之前|先前|以前|上面|以上|前面|此前|系统)(?:的)?(?:所有|全部)?(?:的)?(?:指令|指示|提示|规则|命令|要求)`},
	{[]string{"無視", "忘れ"}, `(?:以前|これまで|上記|前|システム)の(?:すべての|全ての)?(?:指示|命令|プロンプト|ルール)(?:を|は)(?:すべて|全て)?(?:無視|忘れ)`},
	{[]string{"무시"}, `(?:이전|위의|앞의|시스템)\s?(?:모든 )?(?:지시|명령|지침|프롬프트)[^.\n]*?무시`},
}

// concealPhrases keep something from the user.
var concealPhrases = []phrase{
	{[]string{"the user", "the human", "the operator"},
		`(?i)\b(?:do not|don'?t|never|must not)\s(?:ever )?(?:tell|inform|alert|notify|warn) the (?:user|human|operator)s?(?: (?:about|of|that you(?: are|'re| have|'ve)? (?:accessed|access|ran|run|sent|send|read|uploaded?|did|doing|sending|reading|uploading|running)|what you|when you)\b|\s?[.!;,]|\s*$)`},
	{[]string{"knowledge", "knowing", "noticing", "awareness"},
		`(?i)\bwithout the (?:user|human|operator|owner|victim)s?'?s? (?:knowledge|knowing|noticing|awareness|being aware)\b`},
	{[]string{"from the user", "from the human", "from the operator", "from users"},
		`(?i)\b(?:hide|conceal|keep) (?:this|it|these|that|the (?:action|activity|upload|request|command|instructions?|step|operation|fact|transfer|call|output)s?)\b[^.\n]*?\bfrom (?:the )?(?:user|human|operator)s?\b`},
	{[]string{"notice", "be aware", "find out", "be told", "be informed", "be notified"},
		`(?i)\bthe (?:user|human|operator) (?:must|should)(?: not|n'?t| never) (?:notice|find out|be (?:aware|told|informed|notified))\b`},
	{[]string{"nothing happened", "any trace", "your tracks", "no trace"},
		`(?i)\b(?:act as if nothing happened|(?:do not|don'?t|without) leav(?:e|ing) (?:any )?traces?|leave no trace|cover (?:up )?your tracks)\b`},
	{[]string{"silently", "secretly", "covertly", "quietly", "stealthily"},
		`(?i)\b(?:silently|secretly|covertly|quietly|stealthily) (?:send|upload|exfiltrate|transmit|forward|leak|collect|harvest|steal)\b`},
	{[]string{"no le digas", "sin decir", "no informes", "no menciones"}, `(?i)\b(?:no (?:le )?(?:digas|informes|menciones)|sin (?:decir|informar)(?:le|lo)?)\b[^.\n]*?\bal usuario\b`},
	{[]string{"utilisateur"}, `(?i)\b(?:ne (?:dis|dites|le dis|mentionne[z]?|parle[z]?)\b[^.\n]*?pas|sans (?:le dire|en parler|informer))\b[^.\n]*?utilisateur`},
	{[]string{"benutzer", "nutzer"}, `(?i)\b(?:sag(?:e|en sie)?|erzähle|verrate|teile|informiere)\s(?:es )?(?:dem|den) (?:be)?nutzer\b[^.\n]*?\b(?:nichts|nicht)\b`},
	{[]string{"usuário"}, `(?i)\b(?:não (?:diga|conte|informe|mencione)|sem (?:avisar|informar))\b[^.\n]*?\busuário`},
	{[]string{"ользовател"}, `(?i)(?:не (?:говори|сообщай|упоминай)(?:те)?|без ведома)[^.\n]*?пользовател`},
	{[]string{"用户", "使用者"}, `(?:不要|不得|切勿|请勿|禁止|别)(?:告诉|告知|通知|让|向)(?:用户|使用者)(?:知道|发现|透露|提及|。|，|$)`},
	{[]string{"ユーザー"}, `ユーザー(?:に|には)(?:絶対に)?(?:知らせない|言わない|伝えない|通知しない|教えない)`},
	{[]string{"사용자"}, `사용자(?:에게|한테)\s?(?:절대\s?)?(?:알리지|말하지)\s?(?:마|말)`},
}

// discreetPhrases are the mild forms, which honest authors write as well.
var discreetPhrases = []phrase{
	{[]string{"to the user", "to users", "to the human"},
		`(?i)\b(?:do not|don'?t|never|must not) (?:ever )?(?:mention|reveal|disclose|expose)\b[^.\n]*?\bto (?:the )?(?:user|human)s?\b`},
	{[]string{"without telling", "without informing", "without notifying"},
		`(?i)\bwithout (?:telling|informing|notifying) the (?:user|human)\b`},
	{[]string{"tell the user", "inform the user"},
		`(?i)\b(?:do not|don'?t|never) (?:tell|inform) the user that\b`},
	{[]string{"silently", "secretly"},
		`(?i)\b(?:silently|secretly) (?:install|download|append|write|add|execute|run|copy|post)s?\b`},
}

// rolePhrases pretend that another speaker begins: the host, the system.
var rolePhrases = []phrase{
	{[]string{"<|im_start|>", "<|system|>", "<|start_header_id|>", "<<sys>>", "[/inst]", "<|endoftext|>", "<|im_end|>", "<|eot_id|>"},
		`(?i)(?:<\|(?:im_start|im_end|system|start_header_id|eot_id|endoftext)\|>|<<SYS>>|\[/INST\])`},
	{[]string{"<system", "</system", "<admin", "[system]", "</user>", "</assistant>", "<developer"},
		`(?i)^\s*(?:</?(?:system|system-prompt|system_prompt|system-message|system-reminder|admin|developer|developer-message)>|\[system\](?:\(#|:)|</(?:user|assistant)>\s*<)`},
	{[]string{"system override", "new system prompt", "system prompt update", "end of system prompt", "begin system prompt", "admin override"},
		`(?i)^\W*(?:system override|new system prompt|system prompt update|admin override|(?:end|begin)(?:ning)? of system prompt|begin system prompt)\s*(?:[:\]=*-]|$)`},
}

// maxPhrase is the longest phrase, in bytes: what is farther apart belongs to
// two thoughts. The expressions leave the distance open, which makes them many
// times faster than with a count.
const maxPhrase = 140

// phraseList is a list with its expressions compiled, when it is first needed.
type phraseList struct {
	phrases []phrase
	exprs   []func() *regexp.Regexp
}

func compilePhrases(list []phrase) func() *phraseList {
	return sync.OnceValue(func() *phraseList {
		l := &phraseList{phrases: list}
		for _, ph := range list {
			l.exprs = append(l.exprs, sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(ph.Match) }))
		}
		return l
	})
}

var (
	overrideList = compilePhrases(overridePhrases)
	concealList  = compilePhrases(concealPhrases)
)

// find returns the first place in a short text that says one of the phrases and
// is not a quotation or its opposite.
func (l *phraseList) find(text []byte) []int {
	return l.search(text, func(m []int) bool { return !cited(text, m[0], m[1]) && !denied(text, m[0]) })
}

// findAny returns the first place that says one of the phrases, however it is
// meant. The description of a tool has nothing to quote.
func (l *phraseList) findAny(text []byte) []int {
	return l.search(text, func([]int) bool { return true })
}

func (l *phraseList) search(text []byte, keep func([]int) bool) []int {
	lower := bytes.ToLower(text)
	for i, ph := range l.phrases {
		for _, w := range ph.Any {
			if !bytes.Contains(lower, []byte(w)) {
				continue
			}
			for _, m := range l.exprs[i]().FindAllIndex(text, 10) {
				if m[1]-m[0] <= maxPhrase && keep(m) {
					return m
				}
			}
			break
		}
	}
	return nil
}

// saysOverride reports whether a short text sets instructions aside, and means it.
func saysOverride(text []byte) bool { return findOverride(text, false) != nil }

// findOverride returns the first place that does so; with any, quotations count.
func findOverride(text []byte, any bool) []int {
	for _, m := range setAsides(bytes.ToLower(text)) {
		if any || !cited(text, m[0], m[1]) && !denied(text, m[0]) {
			return m
		}
	}
	if any {
		return overrideList().findAny(text)
	}
	return overrideList().find(text)
}

// saysConceal reports whether a short text keeps something from the user.
func saysConceal(text []byte) bool { return concealList().find(text) != nil }

// citedBy are words on a line that speaks about attacks and does not make one.
var citedBy = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b(?:injections?|jailbreak(?:s|ing)?|adversarial|attack(?:s|ers?)?|malicious|suspicious|red.?team\w*|detect(?:s|ed|ing|ion)?|patterns?|phrases?|such as|e\.g\.|for example|examples?|flag(?:s|ged)?|reject(?:s|ed)?|refuse|block(?:s|ed)?|attempts? to|tries to|try to|trying to|social engineering|untrusted|treat|sanitiz\w+|poison\w*|payloads?|anti-?patterns?|verbatim|smuggl\w+|manipulat\w+|threats?|vulnerab\w+|instructions? (?:like|embedded|inside|in))\b|例如|比如|注入|攻击`)
})

// negated is a word just in front that turns the phrase into its opposite.
var negated = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b(?:never|not|n't|cannot|can't|won't|don't|avoid|no one may|must not|shouldn't|nothing can)\W+(?:\w+\W+){0,3}$`)
})

// cited reports whether text[start:end] is quoted, a cell of a table, or part of
// a line about attacks. Security guides are full of such.
func cited(text []byte, start, end int) bool {
	before, after := sameLine(text, start, end)
	return shownAsText(before, after) || citedBy().Match(before) || citedBy().Match(after)
}

// denied reports whether a word in front of text[start:] turns it into its
// opposite: "never ignore the safety rules".
func denied(text []byte, start int) bool {
	before, _ := sameLine(text, start, start)
	return negated().Match(before)
}

// sameLine returns what stands in front of text[start:end] and behind it on the
// same line, at most 300 bytes each.
func sameLine(text []byte, start, end int) (before, after []byte) {
	before, after = text[max(start-300, 0):start], text[end:min(end+300, len(text))]
	if i := bytes.LastIndexByte(before, '\n'); i >= 0 {
		before = before[i+1:]
	}
	if i := bytes.IndexByte(after, '\n'); i >= 0 {
		after = after[:i]
	}
	return before, after
}

// shownAsText reports whether what stands between the two is a cell of a table
// or inside quotation marks.
func shownAsText(before, after []byte) bool {
	if t := bytes.TrimLeft(before, " \t"); len(t) > 0 && t[0] == '|' {
		return true
	}
	return inQuotes(before, after)
}

// inQuotes reports whether a quotation mark or a backtick is open at the end of
// before and closed in after.
func inQuotes(before, after []byte) bool {
	for _, q := range []struct{ open, shut string }{{"`", "`"}, {`"`, `"`}, {"“", "”"}, {"«", "»"}, {"「", "」"}, {"‘", "’"}} {
		n := bytes.Count(before, []byte(q.open))
		if q.open == q.shut && n%2 == 1 && bytes.Contains(after, []byte(q.shut)) {
			return true
		}
		if q.open != q.shut && n > bytes.Count(before, []byte(q.shut)) && bytes.Contains(after, []byte(q.shut)) {
			return true
		}
	}
	// A single quote is also an apostrophe: it opens only behind a blank.
	if i := bytes.LastIndexByte(before, '\''); i >= 0 && (i == 0 || !letterBefore(before[:i])) {
		return bytes.IndexByte(after, '\'') >= 0
	}
	return false
}

func letterBefore(b []byte) bool {
	r, _ := utf8.DecodeLastRune(b)
	return inASCIIWord(r) || r >= utf8.RuneSelf
}
