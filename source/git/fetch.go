package git

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"

	"pinion/source"
)

// wants is one fetch.
type wants struct {
	ids     []string // what is wanted
	haves   []string // commits whose content is here
	shallow []string // those of them whose parents are not
	depth   int      // 0 for no limit
	filter  string   // "blob:none", "tree:0", or ""
	thin    bool     // deltas against haves are understood
	max     int64    // bytes of the pack
	count   uint32   // objects of the pack; 0 is what the limits say
	// complete says that nothing the pack refers to will be missing.
	complete bool
}

// errNoFilter is a server that does not do partial fetches.
var errNoFilter = errors.New("the server does not support partial fetches")

// fetch asks for a pack and hands it to index as a stream. It returns the
// commits that the server made shallow. Size and object count are enforced
// here, whoever indexes (security 3.3 rows 51 and 53).
func (w *wire) fetch(ctx context.Context, req wants, index func(io.Reader) error) (shallow []string, err error) {
	b := line(nil, "command=fetch")
	if len(req.ids[0]) == 64 {
		b = line(b, "object-format=sha256")
	}
	b = append(b, delimPkt...)
	b = line(b, "ofs-delta\n")
	if req.thin {
		b = line(b, "thin-pack\n")
	}
	for _, id := range req.ids {
		b = line(b, "want "+id+"\n")
	}
	for _, id := range req.shallow {
		b = line(b, "shallow "+id+"\n")
	}
	if req.depth > 0 {
		b = line(b, fmt.Sprintf("deepen %d\n", req.depth))
	}
	if req.filter != "" {
		b = line(b, "filter "+req.filter+"\n")
	}
	for _, id := range req.haves {
		b = line(b, "have "+id+"\n")
	}
	b = line(b, "done\n")
	b = append(b, flushPkt...)

	body, err := w.post(ctx, b)
	if err != nil {
		return nil, err
	}
	defer body.Close()
	p := newPackets(body)
	shallow, err = w.sections(p)
	if errors.Is(err, errEmpty) && req.filter != "" {
		// Without a word is how git's server ends on a feature it was not told
		// to offer.
		return nil, errNoFilter
	}
	var re *remoteErr
	if errors.As(err, &re) {
		switch {
		case req.filter != "" && strings.Contains(re.msg, "filter"):
			return nil, errNoFilter
		case strings.Contains(re.msg, "not our ref"), strings.Contains(re.msg, "bad object"), strings.Contains(re.msg, "unadvertised"):
			return nil, fmt.Errorf("%w: %s has no commit %s", source.ErrNotFound, w.base, req.ids[0])
		}
	}
	if err != nil {
		return nil, err
	}
	pack := &sideband{p: p, repo: w.base}
	count := w.limits.Objects
	if req.count > 0 {
		count = min(count, req.count)
	}
	limited, err := limitPack(pack, req.max, count)
	if err != nil {
		return nil, err
	}
	if err := index(limited); err != nil {
		return nil, err
	}
	// The rest is a flush; reading it lets the connection be used again.
	_, err = io.Copy(io.Discard, io.LimitReader(pack, 1<<10))
	return shallow, err
}

// sections reads the answer up to the beginning of the pack.
func (w *wire) sections(p *packets) (shallow []string, err error) {
	section := ""
	for first := true; ; first = false {
		kind, data, err := p.next()
		if first && errors.Is(err, errEmpty) {
			return nil, fmt.Errorf("%w: %s: %w", source.ErrOffline, w.base, errEmpty)
		}
		if err != nil {
			return nil, fmt.Errorf("%w: %s: %w", source.ErrOffline, w.base, err)
		}
		text := strings.TrimSuffix(string(data), "\n")
		switch {
		case kind == delimPacket:
			section = ""
		case kind != dataPacket:
			return nil, fmt.Errorf("%s: %w", w.base, errProtocol)
		case strings.HasPrefix(text, "ERR "):
			return nil, remoteError(w.base, text[4:])
		case section == "":
			if section = text; section == "packfile" {
				return shallow, nil
			}
		case section == "shallow-info":
			if id, ok := strings.CutPrefix(text, "shallow "); ok && source.IsCommit(id) && len(shallow) < 1_000 {
				shallow = append(shallow, id)
			}
		}
	}
}

// sideband is the pack inside the packets of band 1.
type sideband struct {
	p    *packets
	repo string
	rest []byte
	done bool
}

func (s *sideband) Read(b []byte) (int, error) {
	for len(s.rest) == 0 {
		if s.done {
			return 0, io.EOF
		}
		kind, data, err := s.p.next()
		switch {
		case err != nil:
			return 0, fmt.Errorf("%w: %s: the pack is cut off: %w", source.ErrOffline, s.repo, err)
		case kind != dataPacket:
			s.done = true
		case len(data) == 0:
			return 0, fmt.Errorf("%s: %w", s.repo, errProtocol)
		case data[0] == 1:
			s.rest = data[1:]
		case data[0] == 3:
			return 0, remoteError(s.repo, strings.TrimSpace(string(data[1:])))
		}
	}
	n := copy(b, s.rest)
	s.rest = s.rest[n:]
	return n, nil
}

// limitPack checks the header of a pack and cuts it at max bytes.
func limitPack(r io.Reader, max int64, objects uint32) (io.Reader, error) {
	head := make([]byte, 12)
	if _, err := io.ReadFull(r, head); err != nil {
		return nil, fmt.Errorf("read the pack's header: %w", err)
	}
	if string(head[:4]) != "PACK" || binary.BigEndian.Uint32(head[4:]) != 2 {
		return nil, fmt.Errorf("the pack's header: %w", errProtocol)
	}
	if n := binary.BigEndian.Uint32(head[8:]); n > objects {
		return nil, fmt.Errorf("the pack has %d objects: %w (%d)", n, source.ErrTooLarge, objects)
	}
	return &capped{r: io.MultiReader(strings.NewReader(string(head)), r), left: max + 1, max: max}, nil
}

// capped fails, instead of ending, at its limit.
type capped struct {
	r         io.Reader
	left, max int64
	err       error // what ended it, io.EOF excepted
}

func (c *capped) Read(p []byte) (int, error) {
	if c.left <= 0 {
		c.err = fmt.Errorf("the pack is %w (%d bytes)", source.ErrTooLarge, c.max)
		return 0, c.err
	}
	if int64(len(p)) > c.left {
		p = p[:c.left]
	}
	n, err := c.r.Read(p)
	c.left -= int64(n)
	if err != nil && !errors.Is(err, io.EOF) {
		c.err = err
	}
	return n, err
}
