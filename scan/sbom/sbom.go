// Package sbom writes a bill of materials: which files a plugin consists of,
// under which licence, from which commit, and what it fetches when it is
// started. The format is SPDX 2.3 as JSON.
//
// The same packages, time and tool give the same bytes: nothing in the document
// is random, and its namespace is made of what is in it.
package sbom

import (
	"bytes"
	"cmp"
	"crypto/sha1" // SPDX identifies a package by the SHA-1 of its files
	"encoding/hex"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	spdxjson "github.com/spdx/tools-golang/json"
	"github.com/spdx/tools-golang/spdx"
	"github.com/spdx/tools-golang/spdx/v2/common"

	"pinion/hashes"
	"pinion/pkgfmt"
	"pinion/scan/checks"
	"pinion/scan/launch"
)

// unknown is SPDX's word for what nobody claims.
const unknown = "NOASSERTION"

// Origin is where a package was taken from. It is zero when that is not known.
type Origin struct {
	Repository string // URL of the git repository, or "npm:NAME" or "archive:URL"
	Commit     string // 40 or 64 hex digits, or what stands in their place
	Path       string // of the package inside it, "" for the root
}

// Item is what a document says of one package. It holds none of the package's
// bytes, so that a whole catalog can be described one package at a time.
type Item struct {
	ID, Version string
	Digest      hashes.Digest
	Description string
	Origin      Origin
	Licence     checks.Licence
	// Partial is true for a package that was not read completely; its files are
	// then not listed.
	Partial bool

	files   []file
	fetches []launch.Fetch
}

type file struct {
	path         string
	sha1, sha256 string
}

// Describe reads what a document says of a package. It may be used as long as
// the package's bytes are valid.
func Describe(pkg *pkgfmt.Package, from Origin) Item {
	it := Item{
		ID: pkg.ID(), Version: pkg.Version(), Digest: pkg.Digest, Description: pkg.Manifest.Description, Origin: from,
		Licence: checks.LicenceOf(pkg), Partial: pkg.Tree.Partial,
	}
	for _, f := range pkg.Tree.Files {
		if it.Partial {
			break
		}
		sum := sha1.Sum(f.Data)
		it.files = append(it.files, file{f.Path, hex.EncodeToString(sum[:]), f.Sum.String()})
	}
	for _, f := range launch.Of(pkg) {
		if f.Starts == launch.Host && f.PURL != "" {
			f.Text = nil // it would keep the file's bytes
			it.fetches = append(it.fetches, f)
		}
	}
	return it
}

// Document writes the document for one package, an installed set or a catalog.
// created is when; tool is the program and its version, "pinion-0.2.0".
func Document(in []Item, created time.Time, tool string) ([]byte, error) {
	d := &document{
		Document: &spdx.Document{
			SPDXVersion: spdx.Version, DataLicense: spdx.DataLicense, SPDXIdentifier: "DOCUMENT",
			CreationInfo: &spdx.CreationInfo{
				Creators: []spdx.Creator{{CreatorType: "Tool", Creator: tool}},
				Created:  created.UTC().Format("2006-01-02T15:04:05Z"),
			},
		},
		seen: map[spdx.ElementID]bool{},
	}
	items := slices.Clone(in)
	slices.SortStableFunc(items, func(a, b Item) int {
		return cmp.Or(cmp.Compare(a.ID, b.ID), cmp.Compare(a.Version, b.Version), cmp.Compare(a.Digest.String(), b.Digest.String()),
			cmp.Compare(a.Origin.Repository, b.Origin.Repository), cmp.Compare(a.Origin.Commit, b.Origin.Commit), cmp.Compare(a.Origin.Path, b.Origin.Path))
	})
	d.DocumentName = fmt.Sprintf("%d plugins", len(items))
	if len(items) == 1 {
		d.DocumentName = strings.TrimSpace(items[0].ID + " " + items[0].Version)
	}
	name := hashes.Of(fmt.Appendf(nil, "%s\n%s\n%s", d.CreationInfo.Created, tool, identify(items)))
	d.DocumentNamespace = "urn:pinion:sbom:" + name.String()
	for _, it := range items {
		d.item(it)
	}
	var out bytes.Buffer
	if err := spdxjson.Write(d.Document, &out, spdxjson.Indent("  "), spdxjson.EscapeHTML(false)); err != nil {
		return nil, fmt.Errorf("write SPDX: %w", err)
	}
	return out.Bytes(), nil
}

func identify(items []Item) string {
	var b strings.Builder
	for _, it := range items {
		fmt.Fprintf(&b, "%q %q %s %q %q %q\n", it.ID, it.Version, it.Digest, it.Origin.Repository, it.Origin.Commit, it.Origin.Path)
	}
	return b.String()
}

type document struct {
	*spdx.Document
	seen map[spdx.ElementID]bool
}

func (d *document) relate(a spdx.ElementID, kind string, b spdx.ElementID, comment string) {
	d.Relationships = append(d.Relationships, &spdx.Relationship{
		RefA: spdx.DocElementID{ElementRefID: a}, RefB: spdx.DocElementID{ElementRefID: b}, Relationship: kind, RelationshipComment: comment,
	})
}

// item adds a package, its files and what it fetches.
func (d *document) item(it Item) {
	ref := element("Package", it.ID, identify([]Item{it}))
	if d.seen[ref] {
		return
	}
	d.seen[ref] = true
	p := &spdx.Package{
		PackageName: cmp.Or(it.ID, "unnamed"), PackageSPDXIdentifier: ref, PackageVersion: it.Version,
		PackageDownloadLocation: location(it.Origin), FilesAnalyzed: !it.Partial, IsFilesAnalyzedTagPresent: true,
		PackageLicenseDeclared: cmp.Or(it.Licence.Declared, unknown), PackageLicenseConcluded: unknown,
		PackageCopyrightText: unknown, PackageDescription: it.Description, PrimaryPackagePurpose: "APPLICATION",
	}
	if it.Licence.Declared != "" && it.Licence.Declared == it.Licence.Found {
		p.PackageLicenseConcluded = it.Licence.Found
	}
	if !it.Digest.IsZero() {
		p.PackageSourceInfo = "package digest " + it.Digest.String()
	}
	if name, ok := strings.CutPrefix(it.Origin.Repository, "npm:"); ok {
		name, _, _ = strings.Cut(name, "#") // the registry
		version, _, _ := strings.Cut(it.Origin.Commit, "@")
		p.PackageExternalReferences = []*spdx.PackageExternalReference{{
			Category: common.CategoryPackageManager, RefType: common.TypePackageManagerPURL,
			Locator: "pkg:npm/" + strings.Replace(name, "@", "%40", 1) + "@" + url.PathEscape(version),
		}}
	}
	d.Packages = append(d.Packages, p)
	d.relate("DOCUMENT", common.TypeRelationshipDescribe, ref, "")
	if !it.Partial {
		d.files(p, it)
	}
	for _, f := range it.fetches {
		d.fetch(ref, f)
	}
}

func (d *document) files(p *spdx.Package, it Item) {
	p.PackageLicenseInfoFromFiles = []string{cmp.Or(it.Licence.Found, unknown)}
	sums := make([]string, 0, len(it.files))
	for _, f := range it.files {
		ref := element("File", "", string(p.PackageSPDXIdentifier)+"\n"+f.path)
		licence := unknown
		if f.path == it.Licence.File && it.Licence.Found != "" {
			licence = it.Licence.Found
		}
		d.Files = append(d.Files, &spdx.File{
			FileName: "./" + f.path, FileSPDXIdentifier: ref, LicenseConcluded: unknown, LicenseInfoInFiles: []string{licence}, FileCopyrightText: unknown,
			Checksums: []spdx.Checksum{{Algorithm: spdx.SHA1, Value: f.sha1}, {Algorithm: spdx.SHA256, Value: f.sha256}},
		})
		d.relate(p.PackageSPDXIdentifier, common.TypeRelationshipContains, ref, "")
		sums = append(sums, f.sha1)
	}
	// The code is the SHA-1 of the sorted SHA-1 of all files (SPDX 2.3, 7.9).
	slices.Sort(sums)
	code := sha1.Sum([]byte(strings.Join(sums, "")))
	p.PackageVerificationCode = &spdx.PackageVerificationCode{Value: hex.EncodeToString(code[:])}
}

// fetch adds something that a package starts, once for all packages.
func (d *document) fetch(from spdx.ElementID, f launch.Fetch) {
	ref := element("Dependency", f.Name, string(f.Ecosystem)+"\n"+f.Name+"\n"+f.Version)
	if !d.seen[ref] {
		d.seen[ref] = true
		p := &spdx.Package{
			PackageName: f.Name, PackageSPDXIdentifier: ref, PackageVersion: f.Version, PackageDownloadLocation: unknown,
			IsFilesAnalyzedTagPresent: true, PackageLicenseDeclared: unknown, PackageLicenseConcluded: unknown, PackageCopyrightText: unknown,
			PackageExternalReferences: []*spdx.PackageExternalReference{{Category: common.CategoryPackageManager, RefType: common.TypePackageManagerPURL, Locator: f.PURL}},
		}
		switch f.Ecosystem {
		case launch.Git:
			o := Origin{Repository: f.Name}
			if f.Pinned {
				o.Commit = f.Version
			}
			p.PackageDownloadLocation = location(o)
		case launch.URL:
			p.PackageDownloadLocation = withoutUser(f.Name)
		}
		d.Packages = append(d.Packages, p)
	}
	pinned := "an exact version"
	if !f.Pinned {
		pinned = "no exact version"
	}
	edge := element("Edge", "", string(from)+"\n"+string(ref))
	if !d.seen[edge] {
		d.seen[edge] = true
		d.relate(from, "DEPENDS_ON", ref, fmt.Sprintf("fetched when it is started, by %s; %s", f.Tool, pinned))
	}
}

// location writes where a package comes from as SPDX wants it:
// git+https://host/repo@commit#path. What is only on this machine has no
// location.
func location(o Origin) string {
	repo := o.Repository
	if address, ok := strings.CutPrefix(repo, "archive:"); ok {
		return withoutUser(address)
	}
	if !strings.Contains(repo, "://") {
		user, rest, ok := strings.Cut(repo, "@")
		host, path, scp := strings.Cut(rest, ":")
		if !ok || !scp || strings.ContainsAny(user, "/ ") {
			return unknown
		}
		repo = "ssh://" + host + "/" + path
	}
	repo = withoutUser(repo)
	scheme, _, _ := strings.Cut(repo, "://")
	switch scheme {
	case "https", "http", "ssh", "git":
	default:
		return unknown
	}
	if scheme != "git" {
		repo = "git+" + repo
	}
	if o.Commit != "" {
		repo += "@" + o.Commit
	}
	if o.Path != "" && o.Path != "." {
		repo += "#" + (&url.URL{Path: o.Path}).EscapedPath()
	}
	return repo
}

// withoutUser takes a name or a token out of an address.
func withoutUser(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return unknown
	}
	u.User = nil
	return u.String()
}

// element makes an SPDX identifier: what it is, a readable part, and a digest
// that keeps it apart from all others.
func element(kind, name, unique string) spdx.ElementID {
	clean := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '.', r == '-':
			return r
		}
		return '-'
	}, name[:min(len(name), 40)])
	id := kind
	if clean != "" {
		id += "-" + clean
	}
	return spdx.ElementID(id + "-" + hashes.Of([]byte(unique)).String()[:16])
}
