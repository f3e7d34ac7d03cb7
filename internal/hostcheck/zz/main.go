package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	"pinion/internal/hostcheck"
)

func main() {
	clients := hostcheck.Open("/tmp/clients")
	truths, err := hostcheck.LoadTruths("/tmp/hj/mine3.jsonl")
	if err != nil {
		panic(err)
	}
	var cases []hostcheck.Case
	for _, c := range hostcheck.Made() {
		if strings.HasPrefix(c.ID, os.Args[2]) && len(cases) < 30 {
			cases = append(cases, c)
		}
	}
	m := hostcheck.Measure{Clients: clients, Temp: "/dev/shm", Workers: 1, Done: func(r []hostcheck.Truth) error { fmt.Println(len(r)); return truths.Save("/tmp/hj/mine3.jsonl") }}
	fmt.Println(m.Run(context.Background(), cases, []hostcheck.Name{hostcheck.Name(os.Args[1])}, truths))
}
