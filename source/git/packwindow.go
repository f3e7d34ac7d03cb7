package git

import "io"

// window is what was last read of a pack. Objects of one directory lie
// close together.
type window struct {
	p   *pack
	at  int64 // of buf in the pack
	n   int   // bytes in buf
	i   int   // of them taken
	buf [16 << 10]byte
}

func (w *window) seek(p *pack, to int64) {
	if w.p == p && to >= w.at && to < w.at+int64(w.n) {
		w.i = int(to - w.at)
		return
	}
	w.p, w.at, w.n, w.i = p, to, 0, 0
}

func (w *window) pos() int64 { return w.at + int64(w.i) }

func (w *window) fill() error {
	if w.i < w.n {
		return nil
	}
	w.at, w.n, w.i = w.at+int64(w.n), 0, 0
	n := min(int64(len(w.buf)), w.p.end-w.at)
	if n <= 0 {
		return io.ErrUnexpectedEOF
	}
	if _, err := w.p.data.ReadAt(w.buf[:n], w.at); err != nil {
		return err
	}
	w.n = int(n)
	return nil
}

func (w *window) ReadByte() (byte, error) {
	if err := w.fill(); err != nil {
		return 0, err
	}
	w.i++
	return w.buf[w.i-1], nil
}

func (w *window) Read(b []byte) (int, error) {
	if err := w.fill(); err != nil {
		return 0, err
	}
	n := copy(b, w.buf[w.i:w.n])
	w.i += n
	return n, nil
}
