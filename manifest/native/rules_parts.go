package native

import "pinion/problem"

// Rules about what a plugin adds: tools, settings, permissions, the user
// interface and hooks. The ids are permanent.
var (
	ruleEntrypoint = problem.Rule{
		ID: "tools/entrypoint", Severity: problem.Error, Since: "0.1.0",
		Title:   "No server for the tools",
		Help:    "Tools are served over MCP by a Python file of the package, which \"entrypoint\" names. Hooks have entrypoints of their own.",
		Fix:     "name a .py file of the package",
		Example: "\"entrypoint\": \"server.py\"",
	}
	ruleNoTools = problem.Rule{
		ID: "tools/missing", Severity: problem.Error, Since: "0.1.0",
		Title: "A server without tools",
		Help:  "Activation compares the running server's tools with the declared ones, so they have to be declared.",
		Fix:   "declare the tools that the server offers",
	}
	ruleTooManyTools = problem.Rule{
		ID: "tools/too-many", Severity: problem.Error, Since: "0.1.0",
		Title: "More than 100 tools",
		Help:  "A plugin has at most 100 tools.",
		Fix:   "split the plugin",
	}
	ruleToolName = problem.Rule{
		ID: "tools/name", Severity: problem.Error, Since: "0.1.0",
		Title:   "A tool name that is not allowed",
		Help:    "Tool names are lower-case identifiers: a letter, then letters, digits and single underscores. A double underscore separates the parts of plg__<id>__<tool>.",
		Fix:     "write a lower-case identifier",
		Example: "\"get-mail\"  →  \"get_mail\"",
	}
	ruleToolLength = problem.Rule{
		ID: "tools/name-length", Severity: problem.Error, Since: "0.1.0",
		Title: "A tool name that is too long",
		Help:  "The name under which agents call the tool, plg__<id>__<tool>, has at most 64 characters.",
		Fix:   "shorten the tool's name or the id",
	}
	ruleToolTwice = problem.Rule{
		ID: "tools/duplicate", Severity: problem.Error, Since: "0.1.0",
		Title: "Two tools of one name",
		Help:  "Tool names are unique in a plugin.",
		Fix:   "rename one of the two",
	}
	ruleToolSchema = problem.Rule{
		ID: "tools/schema", Severity: problem.Error, Since: "0.1.0",
		Title:   "The input schema cannot be used",
		Help:    "input_schema is a JSON Schema (draft 2020-12 unless $schema says otherwise) with \"type\": \"object\". References stay inside it (#…): nothing is loaded from files or the network.",
		Fix:     "correct the schema at this position",
		Example: "\"input_schema\": {\"type\": \"object\", \"properties\": {\"text\": {\"type\": \"string\"}}}",
	}
	ruleSettingKey = problem.Rule{
		ID: "settings/key", Severity: problem.Error, Since: "0.1.0",
		Title:   "A setting key that is not allowed",
		Help:    "Settings reach the plugin as environment variables. Their keys begin with PINION_PLUGIN_ (SHINBOT_PLUGIN_ in shinbot-plugin.json) so that they cannot replace others, followed by upper-case letters, digits and underscores.",
		Fix:     "write PINION_PLUGIN_ and upper-case letters, digits, underscores",
		Example: "\"PINION_PLUGIN_MAIL_TOKEN\"",
	}
	ruleSettingPrefix = problem.Rule{
		ID: "settings/prefix", Severity: problem.Error, Since: "0.1.0",
		Title: "The prefix of the other manifest",
		Help:  "pinion-plugin.json has keys with PINION_PLUGIN_, shinbot-plugin.json keys with SHINBOT_PLUGIN_.",
		Fix:   "write the prefix that belongs to the manifest's name",
	}
	ruleSettingTwice = problem.Rule{
		ID: "settings/duplicate", Severity: problem.Error, Since: "0.1.0",
		Title: "Two settings of one key",
		Help:  "Setting keys are unique in a plugin.",
		Fix:   "rename or remove one of the two",
	}
	rulePermissionUnknown = problem.Rule{
		ID: "permissions/unknown", Severity: problem.Error, Since: "0.1.0",
		Title: "An unknown permission",
		Help:  "The permissions are ui.pages, ui.styles, ui.patch and hooks.",
		Fix:   "write one of ui.pages, ui.styles, ui.patch, hooks",
	}
	rulePermissionTwice = problem.Rule{
		ID: "permissions/duplicate", Severity: problem.Error, Since: "0.1.0",
		Title: "A permission is listed twice",
		Help:  "Each permission is listed once.",
		Fix:   "remove one of the two",
	}
	rulePermissionMissing = problem.Rule{
		ID: "permissions/missing", Severity: problem.Error, Since: "0.1.0",
		Title: "A contribution without its permission",
		Help:  "Pages need ui.pages, styles ui.styles, patches ui.patch and hooks need hooks: the permission is what the user is asked for.",
		Fix:   "add the permission",
	}
	rulePermissionUnused = problem.Rule{
		ID: "permissions/unused", Severity: problem.Warning, Since: "0.1.0",
		Title: "A permission that nothing uses",
		Help:  "The plugin asks for more than it does. Users are asked for every permission.",
		Fix:   "remove the permission",
	}
	rulePageID = problem.Rule{
		ID: "ui/page-id", Severity: problem.Error, Since: "0.1.0",
		Title: "A page id that is not allowed",
		Help:  "Page ids are part of addresses: lower-case words joined by single dashes, at most 40 characters.",
		Fix:   "write lower-case words joined by dashes",
	}
	rulePageTwice = problem.Rule{
		ID: "ui/duplicate-page", Severity: problem.Error, Since: "0.1.0",
		Title: "Two pages of one id",
		Help:  "Page ids are unique in a plugin.",
		Fix:   "rename one of the two",
	}
	ruleUIFile = problem.Rule{
		ID: "ui/file-type", Severity: problem.Error, Since: "0.1.0",
		Title: "A file of the wrong type",
		Help:  "Pages and patches are JavaScript modules (.js, .mjs), styles are .css files.",
		Fix:   "name a file of the right type",
	}
	ruleUIDuplicate = problem.Rule{
		ID: "ui/duplicate", Severity: problem.Error, Since: "0.1.0",
		Title: "A file is listed twice",
		Help:  "Each style, patch and asset is listed once.",
		Fix:   "remove one of the two",
	}
	ruleImport = problem.Rule{
		ID: "ui/undeclared-import", Severity: problem.Error, Since: "0.1.0",
		Title:   "A module loads a file that is not declared",
		Help:    "The host serves only the files that \"ui\" names. Imports, import(), new URL(…, import.meta.url), @import and url() of anything else fail when the page is opened.",
		Fix:     "add the file to \"ui.assets\"",
		Example: "import { draw } from \"./draw.js\"  needs  \"assets\": [\"draw.js\"]",
	}
	ruleUnscoped = problem.Rule{
		ID: "ui/unscoped-style", Severity: problem.Warning, Since: "0.1.0",
		Title:   "A style that reaches beyond the plugin",
		Help:    "Styles are loaded into the host's page. A selector without [data-plugin=\"ID\"] changes the host and other plugins. Setting custom properties on :root or [data-theme] is what themes do, and is fine.",
		Fix:     "begin the selector with [data-plugin=\"ID\"]",
		Example: "button { color: red }  →  [data-plugin=\"paint\"] button { color: red }",
	}
	ruleEffect = problem.Rule{
		ID: "ui/import-side-effect", Severity: problem.Warning, Since: "0.1.0",
		Title:   "A module does something when it is loaded",
		Help:    "A module is loaded once, also when its page is not shown, and what it starts then is never stopped. Work belongs into mount or activate, which return a function that undoes it.",
		Fix:     "move it into mount or activate, and undo it in the function they return",
		Example: "setInterval(poll, 1000) at the top of the file",
	}
	ruleEvent = problem.Rule{
		ID: "hooks/event", Severity: problem.Error, Since: "0.1.0",
		Title: "An unknown event",
		Help:  "Hooks are called on before_chat, before_tool, after_tool and after_response.",
		Fix:   "write one of the four events",
	}
	ruleHookFile = problem.Rule{
		ID: "hooks/entrypoint", Severity: problem.Error, Since: "0.1.0",
		Title: "A hook that is no Python file",
		Help:  "Each hook names a .py file of the package that has handle(event, context).",
		Fix:   "name a .py file",
	}
	ruleTimeout = problem.Rule{
		ID: "hooks/timeout", Severity: problem.Error, Since: "0.1.0",
		Title:   "A timeout that is not allowed",
		Help:    "A hook is ended after its timeout: a whole number of seconds from 1 to 60, which has to be given.",
		Fix:     "write a whole number from 1 to 60",
		Example: "\"timeout\": 10",
	}
	ruleNoBundle = problem.Rule{
		ID: "builtin/no-bundle", Severity: problem.Error, Since: "0.1.0",
		Title: "A builtin plugin without a host's bundle",
		Help:  "Kind builtin is for plugins whose code a host ships. They are accepted only when the host's bundle is configured and has that id.",
		Fix:   "use kind extension, mcp or skill",
	}
	ruleBundleDiffers = problem.Rule{
		ID: "builtin/differs", Severity: problem.Error, Since: "0.1.0",
		Title: "A builtin plugin that is not what the host ships",
		Help:  "The files of a builtin plugin equal those of the host's bundle, byte for byte.",
		Fix:   "take the files of the host's release",
	}
)
