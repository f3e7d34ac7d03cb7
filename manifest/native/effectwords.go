package native

// isEffectUse are the names whose use alone reaches outside the module.
func isEffectUse(s string) bool {
	switch s {
	case "document", "localStorage", "sessionStorage":
		return true
	}
	return false
}

// isEffectCall are the functions that schedule, listen, fetch or ask.
func isEffectCall(s string) bool {
	switch s {
	case "fetch", "setInterval", "setTimeout", "requestAnimationFrame", "requestIdleCallback", "addEventListener", "queueMicrotask", "alert", "confirm", "prompt":
		return true
	}
	return false
}

// isEffectNew are the classes whose instances act on their own.
func isEffectNew(s string) bool {
	switch s {
	case "WebSocket", "EventSource", "Worker", "SharedWorker", "BroadcastChannel", "MutationObserver", "ResizeObserver", "IntersectionObserver", "XMLHttpRequest":
		return true
	}
	return false
}

// isEffectRoot are the objects of the page: calling or setting a member of one
// changes what others see.
func isEffectRoot(s string) bool {
	switch s {
	case "window", "globalThis", "self", "navigator", "customElements", "history", "location", "parent", "top":
		return true
	}
	return false
}

// isOperator are the words after which an expression or a name must follow.
func isOperator(s string) bool {
	switch s {
	case "return", "typeof", "new", "in", "of", "instanceof", "await", "void", "delete", "extends", "const", "let", "var", "function", "class", "export", "default", "async", "import", "as", "from", "else", "do", "throw", "yield", "case":
		return true
	}
	return false
}

// isControlWord are the words whose parentheses are no call.
func isControlWord(s string) bool {
	switch s {
	case "if", "for", "while", "switch", "with", "catch", "await":
		return true
	}
	return false
}

// isMiddle are the words that go on with what the line before began.
func isMiddle(s string) bool {
	switch s {
	case "in", "of", "instanceof", "as", "from", "else", "catch", "finally", "extends":
		return true
	}
	return false
}
