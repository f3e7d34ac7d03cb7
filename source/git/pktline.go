package git

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
)

// Special packets of the pkt-line format (gitprotocol-common(5)).
const (
	flushPkt = "0000"
	delimPkt = "0001"
)

type packetKind uint8

const (
	dataPacket packetKind = iota
	flushPacket
	delimPacket
	endPacket
)

var errProtocol = errors.New("the server's answer is not the git protocol")

// errEmpty is an answer that ends between two packets.
var errEmpty = fmt.Errorf("the server stopped in the middle of its answer: %w", io.ErrUnexpectedEOF)

// line appends one pkt-line. Lines made here are short.
func line(b []byte, text string) []byte {
	return append(fmt.Appendf(b, "%04x", len(text)+4), text...)
}

// packets reads pkt-lines. The slice of a data packet is valid until the next
// call.
type packets struct {
	r   *bufio.Reader
	buf [maxLineSize]byte
}

func newPackets(r io.Reader) *packets { return &packets{r: bufio.NewReaderSize(r, 64<<10)} }

func (p *packets) next() (packetKind, []byte, error) {
	head := p.buf[:4]
	if _, err := io.ReadFull(p.r, head); err != nil {
		if errors.Is(err, io.EOF) {
			err = errEmpty
		}
		return 0, nil, err
	}
	n, err := strconv.ParseUint(string(head), 16, 16)
	if err != nil {
		return 0, nil, errProtocol
	}
	switch {
	case n == 0:
		return flushPacket, nil, nil
	case n == 1:
		return delimPacket, nil, nil
	case n == 2:
		return endPacket, nil, nil
	case n < 4 || n-4 > uint64(len(p.buf)):
		return 0, nil, errProtocol
	}
	data := p.buf[:n-4]
	if _, err := io.ReadFull(p.r, data); err != nil {
		return 0, nil, fmt.Errorf("read packet: %w", io.ErrUnexpectedEOF)
	}
	return dataPacket, data, nil
}
