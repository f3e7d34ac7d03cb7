package git

import "container/list"

// baseMemory is how many bytes of objects that others were made of are kept.
const baseMemory = 16 << 20

// baseCache keeps the objects that deltas were last applied to.
type baseCache struct {
	bytes int64
	order list.List // of *base, the last used first
	at    map[baseKey]*list.Element
}

type baseKey struct {
	p   *pack
	off int64
}

type base struct {
	key  baseKey
	kind int
	data []byte
}

func (c *baseCache) find(p *pack, off int64) (kind int, data []byte, ok bool) {
	el := c.at[baseKey{p, off}]
	if el == nil {
		return 0, nil, false
	}
	c.order.MoveToFront(el)
	b := el.Value.(*base)
	return b.kind, b.data, true
}

func (c *baseCache) add(p *pack, off int64, kind int, data []byte) {
	if int64(len(data)) > baseMemory/4 {
		return
	}
	if c.at == nil {
		c.at = map[baseKey]*list.Element{}
	}
	b := &base{baseKey{p, off}, kind, data}
	c.at[b.key] = c.order.PushFront(b)
	for c.bytes += int64(len(data)); c.bytes > baseMemory; {
		last := c.order.Back()
		old := c.order.Remove(last).(*base)
		delete(c.at, old.key)
		c.bytes -= int64(len(old.data))
	}
}
