package pinion

import (
	"context"
	"io"
	"strconv"
	"time"

	"pinion/scan/sbom"
)

// SBOMOptions are the choices of [Client.SBOM].
type SBOMOptions struct {
	Installed bool   // everything that is installed
	Market    string // every plugin of this marketplace that was read
	Output    string // file to write, "" for none
	DryRun    bool   // write no file
}

// SBOM is a bill of materials as SPDX 2.3.
type SBOM struct {
	Document []byte // JSON
	Packages int
	// Skipped are plugins of a catalog that are not in the document, because
	// their bytes are not known here.
	Skipped []string
	Written string // absolute path of the file, "" for none
}

// SBOM writes a bill of materials of packages on disk, archives, installed
// plugins, everything installed, or a catalog: files with checksums, licences,
// where the bytes come from, and what is fetched at launch. The time in it is
// that of SOURCE_DATE_EPOCH, for documents that can be made again, else now.
func (c *Client) SBOM(ctx context.Context, refs []string, o SBOMOptions) (*SBOM, error) {
	created, err := c.created()
	if err != nil {
		return nil, err
	}
	if len(refs) == 0 && !o.Installed && o.Market == "" {
		refs = []string{"."}
	}
	m := &materials{c: c}
	for _, typed := range refs {
		if ref, ok := c.installedRef(typed); ok {
			err = m.ref(ctx, ref)
		} else {
			err = m.path(ctx, typed)
		}
		if err != nil {
			return nil, err
		}
	}
	if o.Installed {
		if err := m.everything(ctx); err != nil {
			return nil, err
		}
	}
	if o.Market != "" {
		if err := m.catalog(ctx, o.Market); err != nil {
			return nil, err
		}
	}
	doc, err := sbom.Document(m.items, created, "pinion-"+Version)
	if err != nil {
		return nil, err
	}
	r := &SBOM{Document: doc, Packages: len(m.items), Skipped: m.skipped}
	if o.Output == "" {
		return r, nil
	}
	r.Written = c.abs(o.Output)
	if o.DryRun {
		return r, nil
	}
	return r, writeFrom(r.Written, func(w io.Writer) error {
		_, err := w.Write(doc)
		return err
	})
}

// created is when a document says that it was made
// (https://reproducible-builds.org/specs/source-date-epoch/).
func (c *Client) created() (time.Time, error) {
	text := c.o.Getenv("SOURCE_DATE_EPOCH")
	if text == "" {
		return c.o.Clock(), nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	// The last second of the year 9999 is the last that SPDX can write.
	if err != nil || n < 0 || n > 253402300799 {
		return time.Time{}, usage("it is a number of seconds since 1970", "SOURCE_DATE_EPOCH is %q", text)
	}
	return time.Unix(n, 0), nil
}
