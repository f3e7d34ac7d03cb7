package source

import "context"

type waitingKey struct{}

// WhileWaiting returns a context for [Source.Open]. A source that has asked a
// server for what is new calls start, at most once and from any goroutine, when
// the request is on its way: until the answer comes nothing else is to be done
// here. Work that start begins before would hold the request up. A source that
// asks nobody does not call it.
func WhileWaiting(ctx context.Context, start func()) context.Context {
	return context.WithValue(ctx, waitingKey{}, start)
}

// Waiting calls what [WhileWaiting] was given, if it was.
func Waiting(ctx context.Context) {
	if start, ok := ctx.Value(waitingKey{}).(func()); ok {
		start()
	}
}
