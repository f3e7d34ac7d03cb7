package hostcheck

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/textproto"
	"strconv"
	"strings"
	"time"

	"pinion/internal/sandbox"
)

// copilotServer is `copilot --headless --stdio`, the process that each command
// of the client starts and asks (copilot 1.0.102: "Request plugins.install
// failed with message: …"). Asked directly it does in milliseconds what a
// command does in a second, and it tells of agents, too.
type copilotServer struct {
	s    *Session
	p    *sandbox.Process
	in   *bufio.Reader
	stop *time.Timer
	id   int
}

var _ Host = (*copilotServer)(nil)

// serverLimit is for a whole job, which asks one server about 40 cases.
const serverLimit = 10 * time.Minute

func (s *Session) startCopilotServer() (*copilotServer, error) {
	argv, err := s.clients.argv(CopilotClient)
	if err != nil {
		return nil, err
	}
	p, err := sandbox.Start(append(argv, "--headless", "--no-auto-update", "--stdio", "--no-auto-login"), s.env())
	if err != nil {
		return nil, fmt.Errorf("copilot --headless: %w", err)
	}
	c := &copilotServer{s: s, p: p, in: bufio.NewReader(p.Stdout)}
	c.stop = time.AfterFunc(serverLimit, p.Kill)
	if err := c.call(context.Background(), "ping", map[string]any{}, nil); err != nil {
		return nil, errors.Join(err, c.close())
	}
	return c, nil
}

// refusal is an answer that is an error of the client.
type refusal struct{ text string }

func (r refusal) Error() string { return r.text }

// call asks and waits for the answer, passing over notifications.
func (c *copilotServer) call(ctx context.Context, method string, params, result any) error {
	c.id++
	data, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": c.id, "method": method, "params": params})
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(c.p.Stdin, "Content-Length: %d\r\n\r\n%s", len(data), data); err != nil {
		return fmt.Errorf("copilot, %s: %w", method, err)
	}
	for ctx.Err() == nil {
		head, err := textproto.NewReader(c.in).ReadMIMEHeader()
		if err != nil {
			return fmt.Errorf("copilot ended before it answered %s: %w", method, err)
		}
		n, err := strconv.Atoi(head.Get("Content-Length"))
		if err != nil || n < 0 || n > runOutput {
			return fmt.Errorf("copilot, %s: an answer of %q bytes", method, head.Get("Content-Length"))
		}
		body := make([]byte, n)
		if _, err := io.ReadFull(c.in, body); err != nil {
			return fmt.Errorf("copilot, %s: %w", method, err)
		}
		var m struct {
			ID     json.RawMessage
			Method string
			Result json.RawMessage
			Error  *struct{ Message string }
		}
		if err := json.Unmarshal(body, &m); err != nil || m.Method != "" || string(m.ID) != strconv.Itoa(c.id) {
			continue
		}
		if m.Error != nil {
			return refusal{m.Error.Message}
		}
		if result == nil {
			return nil
		}
		return json.Unmarshal(m.Result, result)
	}
	return ctx.Err()
}

// close ends the server, which has nothing to save.
func (c *copilotServer) close() error {
	c.stop.Stop()
	c.p.Kill()
	// The error of Wait is that of the kill.
	_, _ = c.p.Wait()
	return nil
}

// said makes a Reply of a call's error.
func (c *copilotServer) said(err error) (Reply, error) {
	var no refusal
	if errors.As(err, &no) {
		_, text, ok := strings.Cut(no.text, "failed with message: ")
		if !ok {
			text = no.text
		}
		return Reply{Text: c.s.clean(text)}, nil
	}
	return Reply{OK: err == nil}, err
}

// Name implements [Host].
func (*copilotServer) Name() Name { return CopilotClient }

// AddMarketplace implements [Host].
func (c *copilotServer) AddMarketplace(ctx context.Context, dir string) (Reply, error) {
	var added struct{ Name string }
	r, err := c.said(c.call(ctx, "plugins.marketplaces.add", map[string]any{"source": dir}, &added))
	r.Market = added.Name
	return r, err
}

// Install implements [Host].
func (c *copilotServer) Install(ctx context.Context, plugin, market string) (Reply, error) {
	return c.said(c.call(ctx, "plugins.install", map[string]any{"source": plugin + "@" + market}, nil))
}

// Offered implements [Host].
func (c *copilotServer) Offered(ctx context.Context, markets []string) (map[string][]string, error) {
	names := map[string][]string{}
	for _, market := range markets {
		var list struct{ Plugins []struct{ Name string } }
		r, err := c.said(c.call(ctx, "plugins.marketplaces.browse", map[string]any{"name": market}, &list))
		if err != nil {
			return nil, err
		}
		if !r.OK {
			continue // it cannot browse what it does not read
		}
		for _, p := range list.Plugins {
			names[market] = append(names[market], p.Name)
		}
	}
	return names, nil
}

// Loaded implements [Host].
func (c *copilotServer) Loaded(ctx context.Context, plugins map[PluginID]string) (map[PluginID]Inventory, error) {
	var list struct{ Plugins []CopilotPlugin }
	var skills struct{ Skills []copilotSkill }
	var servers struct {
		Servers []struct{ Name, Source, SourcePlugin string }
	}
	var agents struct {
		Agents []struct{ Name, Source, Path string }
	}
	here := map[string]any{"projectPaths": []string{c.s.Dir}}
	err := errors.Join(
		c.call(ctx, "plugins.list", map[string]any{}, &list),
		c.call(ctx, "skills.discover", here, &skills),
		c.call(ctx, "mcp.discover", map[string]any{}, &servers),
		c.call(ctx, "agents.discover", here, &agents),
	)
	if err != nil {
		return nil, err
	}
	l := newCopilotLists(list.Plugins, plugins)
	for _, sk := range skills.Skills {
		l.skill(sk)
	}
	for _, m := range servers.Servers {
		l.server(m.SourcePlugin, m.Name)
	}
	for _, a := range agents.Agents {
		for _, id := range l.owners[owner(a.Path, l.owners)] {
			if a.Source == "plugin" {
				l.add(id, agentType, unscoped(id.Plugin, a.Name))
			}
		}
	}
	return l.done(plugins), nil
}
