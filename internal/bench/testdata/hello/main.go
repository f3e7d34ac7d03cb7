// Command hello is the cheapest Go process: what a start costs.
package main

import "os"

func main() { os.Stdout.WriteString("hello\n") }
