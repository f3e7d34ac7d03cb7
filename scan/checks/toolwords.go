package checks

// builtinTools are the names of tools that hosts bring themselves, compared
// without case and width. A tool of a plugin with such a name is called in the
// host's stead, or shown to the user as if it were.
const builtinTools = " bash bashoutput edit exitplanmode enterplanmode glob grep killshell killbash ls multiedit notebookedit notebookread read " +
	"task taskoutput todoread todowrite webfetch websearch write askuserquestion slashcommand skill str_replace_based_edit_tool str_replace_editor " +
	"apply_patch run_terminal_cmd run_in_terminal run_shell_command local_shell read_file write_file "

// sharedTools are built-in names that honest servers use as well: a finding for
// them is medium. Hosts put the server's name in front of them.
const sharedTools = " edit glob grep ls read task write skill read_file write_file apply_patch "

// poisonPhrases are orders in the description of a tool, which the model reads
// and the user does not see.
var poisonPhrases = []phrase{
	{[]string{"<important", "<secret", "<hidden", "<system", "<instruction", "<!--", "<critical"},
		`(?i)<(?:important|secret|hidden|system|instructions?|critical)\b[^>]{0,40}>|<!--`},
	{[]string{"any other tool", "other tools", "any tool", "every tool", "all other tools"},
		`(?i)\b(?:before|prior to) (?:using|calling|invoking|running|any|every|each)\b[^.\n]*?\b(?:any|every|each|other|all)\b[^.\n]*?\btools?\b`},
	{[]string{".ssh", "id_rsa", "mcp.json", ".aws/", ".env", "claude_desktop_config", "credentials"},
		`(?i)\b(?:read|open|load|get|include|pass|send|attach|provide|contents? of|cat)\b[^\n]*?(?:~/\.ssh|id_rsa|id_ed25519|~/\.cursor/mcp\.json|\.mcp\.json|~/\.aws/|(?:^|[\s"'~/])\.env\b|claude_desktop_config)`},
	{[]string{"do not mention", "don't mention", "not tell", "n't tell", "never tell", "do not reveal", "never mention", "do not show", "do not inform"},
		`(?i)\b(?:do not|don'?t|never) (?:mention|tell|reveal|show|inform)\b[^.\n]*?\b(?:the )?users?\b|\b(?:do not|don'?t|never) mention (?:this|that you)\b`},
}

// urgentPhrases put one tool in front of others. Servers of several tools say
// such of their own, so it is medium.
var urgentPhrases = []phrase{
	{[]string{"instead of", "rather than", "never use", "do not use", "don't use", "prefer this"},
		`(?i)\b(?:instead of|rather than|never use|do not use|don'?t use|prefer this (?:tool )?over)\b[^.\n]*?\b(?:the )?(?:built-?in|native|default|Bash|Read|Write|Edit|WebFetch|WebSearch|Grep|Glob|other (?:servers?|tools?))\b`},
	{[]string{"always call this", "always use this", "must call this", "must use this"},
		`(?i)\b(?:always|must) (?:call|use|invoke|run) this tool (?:first|before|for (?:every|all|any|each)|on every)\b`},
}

var (
	poisonList = compilePhrases(poisonPhrases)
	urgentList = compilePhrases(urgentPhrases)
)
