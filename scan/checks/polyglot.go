package checks

import (
	"bytes"
	"encoding/binary"
)

// carries returns what an image has inside that is no image, in words, or "".
// what is the kind of file its name promises.
func carries(data []byte, what string) string {
	end := -1
	switch {
	case bytes.HasPrefix(data, []byte("\x89PNG\r\n\x1a\n")):
		end = pngEnd(data)
	case bytes.HasPrefix(data, []byte("\xff\xd8\xff")):
		end = jpegEnd(data)
	case bytes.HasPrefix(data, []byte("GIF87a")), bytes.HasPrefix(data, []byte("GIF89a")):
		// "GIF89a/*" and "GIF89a=" begin a script too. As a picture it would be
		// thousands of pixels wide by chance.
		if len(data) > 8 && (data[6] == '/' && data[7] == '*' && bytes.Contains(data, []byte("*/")) || data[6] == '=' && printable(data[6:])) {
			return "a picture that is a script as well"
		}
		end = gifEnd(data)
	default:
		if what == "image" || what == "sound" || what == "font" {
			if bytes.HasPrefix(data, []byte("#!")) && printable(data) || bytes.HasPrefix(data, []byte("<?php")) {
				return "the name says " + what + ", the content is a script"
			}
		}
		return ""
	}
	if end >= 0 && end < len(data) {
		rest := data[end:]
		// A few blanks between do not matter to what reads it.
		trimmed := bytes.TrimLeft(rest, " \t\r\n\x00")
		if k := kindOf(trimmed); k.class != 0 {
			return "behind the end of the picture there is " + k.words()
		}
		for _, mark := range []string{"#!/", "<?php", "<script"} {
			if bytes.HasPrefix(bytes.ToLower(trimmed[:min(len(trimmed), 16)]), []byte(mark)) {
				return "behind the end of the picture there is a script"
			}
		}
	}
	if zipAtEnd(data) {
		return "the picture is a zip archive as well"
	}
	return ""
}

// printable reports whether the beginning of data is text.
func printable(data []byte) bool {
	for _, c := range data[:min(len(data), 256)] {
		if c < ' ' && c != '\n' && c != '\r' && c != '\t' {
			return false
		}
	}
	return true
}

// pngEnd returns where the last chunk of a PNG ends, -1 for a broken file.
func pngEnd(data []byte) int {
	at := int64(8)
	for at+12 <= int64(len(data)) {
		size := int64(binary.BigEndian.Uint32(data[at:]))
		kind := string(data[at+4 : at+8])
		at += 12 + size
		if kind == "IEND" {
			return int(min(at, int64(len(data))))
		}
	}
	return -1
}

// jpegEnd returns where the first picture of a JPEG ends, -1 for a broken file.
// Thumbnails lie in segments, which are passed over.
func jpegEnd(data []byte) int {
	at := 2
	for at+4 <= len(data) && data[at] == 0xff {
		marker := data[at+1]
		if marker == 0xd9 {
			return at + 2
		}
		if marker == 0xff || marker == 0x01 || marker >= 0xd0 && marker <= 0xd7 {
			at++
			if marker != 0xff {
				at++
			}
			continue
		}
		at += 2 + int(binary.BigEndian.Uint16(data[at+2:]))
		if marker != 0xda {
			continue
		}
		// Behind the start of a scan come bytes up to the next marker that is
		// neither an escaped FF nor a restart.
		for at+1 < len(data) && (data[at] != 0xff || data[at+1] == 0 || data[at+1] >= 0xd0 && data[at+1] <= 0xd7) {
			next := bytes.IndexByte(data[at+1:], 0xff)
			if next < 0 {
				return -1
			}
			at += 1 + next
		}
	}
	return -1
}

// gifEnd returns where the trailer of a GIF is, -1 for a broken file.
func gifEnd(data []byte) int {
	if len(data) < 13 {
		return -1
	}
	at := 13 + colours(data[10])
	blocks := func(i int) int { // data in blocks, each with its length before it
		for i < len(data) && data[i] != 0 {
			i += 1 + int(data[i])
		}
		return i + 1
	}
	for at < len(data) {
		switch data[at] {
		case 0x3b:
			return at + 1
		case 0x21:
			at = blocks(at + 2)
		case 0x2c:
			if at+10 >= len(data) {
				return -1
			}
			at = blocks(at + 11 + colours(data[at+9]))
		default:
			return -1
		}
	}
	return -1
}

// colours returns the size of the colour table that a GIF's flags announce.
func colours(flags byte) int {
	if flags&0x80 == 0 {
		return 0
	}
	return 3 << (1 + flags&7)
}

// zipAtEnd reports whether a zip's directory stands at the end of data, which is
// where readers of zips look, whatever the file begins with.
func zipAtEnd(data []byte) bool {
	const size = 22
	tail := data[max(0, len(data)-(size+0xffff)):]
	for end := len(tail); ; {
		i := bytes.LastIndex(tail[:end], []byte("PK\x05\x06"))
		if i < 0 {
			return false
		}
		end = i
		if i+size > len(tail) {
			continue
		}
		record := tail[i:]
		comment := int(binary.LittleEndian.Uint16(record[20:]))
		directory := int64(binary.LittleEndian.Uint32(record[12:]))
		at := int64(len(data)-len(tail)+i) - directory
		if size+comment > len(record) || at < 0 || directory < 46 {
			continue
		}
		if bytes.HasPrefix(data[at:], []byte("PK\x01\x02")) {
			return true
		}
	}
}
