package tree

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
)

// A signed MCP bundle is a zip with a block after its end (mcpb 2.1.2):
//
//	MCPB_SIG_V1, length (32 bits, little endian), PKCS#7 signature, MCPB_SIG_END
var (
	sigHeader = []byte("MCPB_SIG_V1")
	sigFooter = []byte("MCPB_SIG_END")
)

// maxSignature bounds a signature with its chain of certificates, in bytes. Real
// ones have about 2 KiB.
const maxSignature = 256 << 10

// unsign takes the signature block off the end of a bundle, so that the rest is
// a zip. It is false when there is none; what else follows the zip is then
// reported as data after its end.
//
// The block is the last one in the file and must reach exactly from its header
// to the last byte: readers that look for the markers anywhere would disagree
// about where the zip ends.
func (a *archive) unsign() (bool, error) {
	tail := make([]byte, min(a.size, int64(len(sigHeader)+4+maxSignature+len(sigFooter))))
	if _, err := a.r.ReadAt(tail, a.size-int64(len(tail))); err != nil && !errors.Is(err, io.EOF) {
		return false, err
	}
	if !bytes.HasSuffix(tail, sigFooter) {
		return false, nil
	}
	at := bytes.LastIndex(tail, sigHeader)
	body := at + len(sigHeader) + 4
	if at < 0 || body+len(sigFooter) > len(tail) {
		return false, nil
	}
	length := int64(binary.LittleEndian.Uint32(tail[body-4:]))
	if int64(body)+length+int64(len(sigFooter)) != int64(len(tail)) {
		return false, nil
	}
	// A tool that counts the block as the comment of the zip has left a whole zip.
	if end := at - zipEndLen; end < 0 || !bytes.HasPrefix(tail[end:], zipEnd) || !reaches(tail, end) {
		a.size -= int64(len(tail) - at)
	}
	return true, nil
}
