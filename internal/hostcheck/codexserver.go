package hostcheck

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"pinion/internal/sandbox"
)

// codexServer is `codex app-server`, which answers with one JSON document a
// line. It is the only door through which Codex says what of a plugin it
// loaded.
type codexServer struct {
	p     *sandbox.Process
	lines *bufio.Scanner
	stop  *time.Timer
	id    int
}

func (s *Session) startCodexServer() (*codexServer, error) {
	argv, err := s.clients.argv(CodexClient)
	if err != nil {
		return nil, err
	}
	p, err := sandbox.Start(append(argv, "app-server"), s.env())
	if err != nil {
		return nil, fmt.Errorf("codex app-server: %w", err)
	}
	c := &codexServer{p: p, lines: bufio.NewScanner(p.Stdout)}
	c.lines.Buffer(nil, runOutput)
	// A server that hangs is killed, which ends the reading.
	c.stop = time.AfterFunc(runLimit, p.Kill)
	hello := map[string]any{"clientInfo": map[string]any{"name": "pinion-hostcheck", "version": "1"}}
	err = c.call(context.Background(), "initialize", hello, nil)
	if err == nil {
		err = c.send(map[string]any{"jsonrpc": "2.0", "method": "initialized"})
	}
	if err != nil {
		return nil, fmt.Errorf("%w (%v)", err, c.close())
	}
	return c, nil
}

func (c *codexServer) send(v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = c.p.Stdin.Write(append(data, '\n'))
	return err
}

// call asks and waits for the answer, passing over notifications.
func (c *codexServer) call(ctx context.Context, method string, params, result any) error {
	c.id++
	if err := c.send(map[string]any{"jsonrpc": "2.0", "id": c.id, "method": method, "params": params}); err != nil {
		return fmt.Errorf("codex app-server, %s: %w", method, err)
	}
	for ctx.Err() == nil && c.lines.Scan() {
		var m struct {
			ID     int
			Result json.RawMessage
			Error  *struct{ Message string }
		}
		if json.Unmarshal(c.lines.Bytes(), &m) != nil || m.ID != c.id {
			continue
		}
		if m.Error != nil {
			return fmt.Errorf("codex app-server, %s: %s", method, m.Error.Message)
		}
		if result == nil {
			return nil
		}
		return json.Unmarshal(m.Result, result)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return fmt.Errorf("codex app-server ended before it answered %s", method)
}

// close ends the server. It is killed: it has nothing to save.
func (c *codexServer) close() error {
	c.stop.Stop()
	c.p.Kill()
	// The error of Wait is that of the kill.
	_, _ = c.p.Wait()
	return nil
}
