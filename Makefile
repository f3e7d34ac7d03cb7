# Pinion: build, check, demonstrate, measure. Needs Go and git.

STATICCHECK = honnef.co/go/tools/cmd/staticcheck@v0.8.2
TARGETS     = linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64
BIN         = bin/pinion
SOURCES     = $(shell git ls-files '*.go' go.mod go.sum 2>/dev/null)

# The flag library can write documentation, which Pinion does by itself. Left
# out, what that needs is not set up at every start. A plain `go build` works
# as well and gives the same program, which starts a little later.
TAGS = urfave_cli_no_docs

.PHONY: build check check-hosts fmt vet cross lint test crash docs demo bench clean

build:
	CGO_ENABLED=0 go build -trimpath -tags $(TAGS) -ldflags '-s -w' -o $(BIN) ./cmd/pinion

# check is the one gate. RACE= turns the race detector off where there is no C
# compiler for it.
RACE = $(shell command -v cc >/dev/null 2>&1 && echo -race)
check: fmt vet cross lint test

fmt:
	@out=$$(gofmt -l $$(git ls-files '*.go' | grep -v testdata/)); test -z "$$out" || { echo "gofmt -w these files:"; echo "$$out"; exit 1; }

vet:
	go vet ./...

cross:
	@for t in $(TARGETS); do echo "vet $$t"; GOOS=$${t%/*} GOARCH=$${t#*/} CGO_ENABLED=0 go vet ./... || exit 1; done

lint:
	go run $(STATICCHECK) ./...

# The race detector allocates too, so the test of memory that it would falsify is
# run once more without it.
test:
	go test $(RACE) -timeout 15m ./...
	go test -run TestParseMemory ./catalog

# crash kills and fails every point that check only samples; it takes minutes.
crash:
	PINION_CRASH_ALL=1 go test . ./store -run 'TestCrash|TestDamagedState|TestKill|TestPowerCut' -count=1 -timeout 20m -v

# check-hosts installs the pinned clients (npm; into $$PINION_CLIENTS, else the
# user's cache), asks them about every case that is not recorded yet, compares
# their answers with ours, and writes docs/hosts.md. It fails below 99 %.
check-hosts:
	go run ./internal/hostcheck/check

# docs writes what is generated: the rules, the exit codes, the JSON documents.
docs:
	go run ./cmd/pinion docs docs

demo: build
	@sh demo/run.sh $(CURDIR)/$(BIN)

bench: build
	go run ./internal/bench -pinion $(CURDIR)/$(BIN) -out docs/benchmarks.md

clean:
	rm -rf bin
