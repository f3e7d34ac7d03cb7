package native

// begins reports whether a statement of the module begins with the token at i,
// which is at the top level: also where a semicolon was left out.
func (w *effectWalk) begins(i int) bool {
	t, before := w.tokens[i], w.at(i-1)
	switch {
	case i == 0, before.is(";"):
		return true
	case t.kind == jsEnd, t.is(";"):
		return false
	case before.is("}") && w.stmt == stmtFunction:
		return true
	case before.is("}") && w.stmt == stmtOther:
		return !continuesStatement(t) && t.kind == jsWord
	}
	return t.newline && endsOperand(before) && startsStatement(t)
}

// classify says what kind of statement begins at i.
func (w *effectWalk) classify(i int) statement {
	t := w.at(i)
	if t.kind != jsWord {
		return stmtOther
	}
	switch string(t.text) {
	case "import":
		if w.at(i+1).is("(") || w.at(i+1).is(".") {
			return stmtOther
		}
		return stmtModule
	case "export":
		switch next := w.at(i + 1); {
		case next.is("{"), next.is("*"):
			return stmtModule
		case next.is("default"):
			if w.classify(i+2) == stmtFunction {
				return stmtFunction
			}
			return stmtBinding
		}
		return w.classify(i + 1)
	case "const", "let", "var":
		return stmtBinding
	case "function", "class":
		return stmtFunction
	case "async":
		if w.at(i + 1).is("function") {
			return stmtFunction
		}
	}
	return stmtOther
}

func isEffectControl(t jsToken) bool { return t.kind == jsWord && isControlWord(string(t.text)) }
func isOperatorWord(t jsToken) bool  { return t.kind == jsWord && isOperator(string(t.text)) }

func isDeclarator(t jsToken) bool {
	return t.is("function") || t.is("class") || t.is("const") || t.is("let") || t.is("var")
}

// continuesStatement is else after a block, and alike.
func continuesStatement(t jsToken) bool {
	return t.is("else") || t.is("catch") || t.is("finally") || t.is("while")
}

// endsOperand reports whether an expression may end with t.
func endsOperand(t jsToken) bool {
	switch t.kind {
	case jsWord:
		return !isOperatorWord(t)
	case jsString, jsNumber, jsRegexp, jsTemplate:
		return true
	case jsPunct:
		return t.is(")") || t.is("]") || t.is("}")
	}
	return false
}

// startsStatement reports whether t on a new line cannot continue an
// expression.
func startsStatement(t jsToken) bool {
	switch t.kind {
	case jsWord:
		return !isMiddle(string(t.text))
	case jsString, jsNumber:
		return true
	}
	return false
}
