package catalog

import (
	"bytes"
	"compress/flate"
	"io"
)

const (
	// proseBlock is the size from which on a block of text is full, in bytes.
	proseBlock = 64 << 10
	// plainBlocks stay as they are: a usual repository has no more.
	plainBlocks = 32
	// openBlocks are kept after they were read. Packages come in the order of
	// their names but for what several readers mix, so a few neighbours are
	// read in turn.
	openBlocks = 4
)

// prose holds the descriptions of very many packages. They are most of what a
// list of packages is, are written once at the end, and take a third of the
// memory compressed. It is for one goroutine at a time.
type prose struct {
	blocks  [][]byte // those after plainBlocks compressed
	last    []byte   // the one that grows
	buf     bytes.Buffer
	deflate *flate.Writer
	inflate io.ReadCloser
	open    [openBlocks]opened // the last one used first
}

type opened struct {
	number uint32 // 0 is none: the first blocks are plain
	text   []byte
}

// add appends two texts and returns where they are.
func (p *prose) add(a, b string) (block, at uint32) {
	if len(p.last) >= proseBlock {
		p.close()
	}
	block, at = uint32(len(p.blocks)), uint32(len(p.last))
	p.last = append(append(p.last, a...), b...)
	return block, at
}

// close puts the block that grows to the others.
func (p *prose) close() {
	if len(p.blocks) < plainBlocks {
		p.blocks = append(p.blocks, p.last)
		p.last = make([]byte, 0, proseBlock+proseBlock/8)
		return
	}
	p.buf.Reset()
	if p.deflate == nil {
		p.deflate, _ = flate.NewWriter(&p.buf, flate.BestSpeed) // the level is a valid one
	} else {
		p.deflate.Reset(&p.buf)
	}
	// Writing to a buffer does not fail.
	_, _ = p.deflate.Write(p.last)
	_ = p.deflate.Close()
	p.blocks = append(p.blocks, bytes.Clone(p.buf.Bytes()))
	p.last = p.last[:0]
}

// at returns the text of a block, which is valid until the next call.
func (p *prose) at(block uint32) []byte {
	switch {
	case block == uint32(len(p.blocks)):
		return p.last
	case block < plainBlocks:
		return p.blocks[block]
	}
	for i, o := range p.open {
		if o.number == block {
			copy(p.open[1:], p.open[:i])
			p.open[0] = o
			return o.text
		}
	}
	text := p.open[openBlocks-1].text[:0]
	copy(p.open[1:], p.open[:openBlocks-1])
	p.open[0] = opened{block, p.expand(block, text)}
	return p.open[0].text
}

// expand appends the text of a compressed block to buf.
func (p *prose) expand(block uint32, buf []byte) []byte {
	packed := bytes.NewReader(p.blocks[block])
	if p.inflate == nil {
		p.inflate = flate.NewReader(packed)
	} else {
		_ = p.inflate.(flate.Resetter).Reset(packed, nil) // without a dictionary it does not fail
	}
	out := bytes.NewBuffer(buf)
	_, _ = out.ReadFrom(p.inflate) // what close wrote is whole
	return out.Bytes()
}
