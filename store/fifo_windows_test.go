package store

// mkfifo is nil: there are no FIFOs in directories here.
var mkfifo func(name string) error
