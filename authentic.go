package pinion

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path"

	"pinion/internal/fsx"
	"pinion/internal/sealed"
)

const (
	reportKey = reportsDir + "/key"
	keyBytes  = 64 // hexadecimal digits
)

// authentic is what lies in the home with an HMAC under a key of this home, so
// that a file that came from elsewhere is not believed (security 2.4).
type authentic interface {
	// covered is what the mac is of. It differs between kinds of files.
	covered() ([]byte, error)
	// mac is where it stands.
	mac() *string
}

func authenticate(v authentic, key []byte) (string, error) {
	body, err := v.covered()
	if err != nil {
		return "", err
	}
	m := hmac.New(sha256.New, key)
	m.Write(body)
	return hex.EncodeToString(m.Sum(nil)), nil
}

// loadAuthentic reads a file of a kind into v, and reports whether this home made
// it. Whatever is wrong with it, it is then not there.
func loadAuthentic(home *fsx.Dir, file, kind string, limit int64, v authentic) bool {
	key, err := home.ReadFile(reportKey, keyBytes)
	if err != nil || !isReportKey(key) {
		return false
	}
	data, err := home.ReadFile(file, limit)
	if err != nil {
		return false
	}
	if fault := sealed.Decode(data, kind, v); fault != nil {
		return false
	}
	mac, err := authenticate(v, key)
	return err == nil && hmac.Equal([]byte(mac), []byte(*v.mac()))
}

// saveAuthentic writes v. A home that cannot be written to is no error: what is
// kept only saves work.
func saveAuthentic(home *fsx.Dir, file string, v authentic) error {
	return unlessReadOnly(writeAuthentic(home, file, v))
}

// unlessReadOnly drops the error of a home that cannot be written to, which still
// gives answers.
func unlessReadOnly(err error) error {
	if errors.Is(err, fsx.ErrReadOnly) || errors.Is(err, fs.ErrPermission) {
		return nil
	}
	return err
}

func writeAuthentic(home *fsx.Dir, file string, v authentic) error {
	key, err := makeReportKey(home)
	if err != nil {
		return err
	}
	if *v.mac(), err = authenticate(v, key); err != nil {
		return err
	}
	data, err := sealed.Encode(v)
	if err != nil {
		return err
	}
	if err := home.MkdirAll(path.Dir(file)); err != nil {
		return err
	}
	return home.WriteFile(file, data, 0o600)
}

// isReportKey tells a key from what a crash or an editor left: with an empty key
// anybody could make a report.
func isReportKey(key []byte) bool {
	_, err := hex.Decode(make([]byte, keyBytes/2), key)
	return err == nil && len(key) == keyBytes
}

// makeReportKey returns the key of this home, which is made when there is none
// that can be used. What another key was used for is then not believed.
func makeReportKey(home *fsx.Dir) ([]byte, error) {
	key, err := home.ReadFile(reportKey, keyBytes)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !isReportKey(key) {
		raw := make([]byte, keyBytes/2)
		rand.Read(raw)
		key = hex.AppendEncode(nil, raw)
		if err = home.MkdirAll(reportsDir); err == nil {
			err = home.WriteFile(reportKey, key, 0o600)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("the key of reports: %w", err)
	}
	return key, nil
}
