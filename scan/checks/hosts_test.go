package checks

import "testing"

func TestHostOf(t *testing.T) {
	for _, c := range []struct{ url, want string }{
		{"https://Host.Invalid:8443/x?y", "host.invalid"},
		{"https://user:pass@host.invalid/x", "host.invalid"},
		{"https://known.example@host.invalid/", "host.invalid"},
		{"http://[2001:db8::1]:80/", "2001:db8::1"},
		{"//host.invalid/x", "host.invalid"},
		{"host.invalid/install.sh", "host.invalid"},
		{"https://host.invalid./", "host.invalid"},
		{"https://host.invalid#x", "host.invalid"},
		{"https://$HOST/x", ""},
		{"https://${HOST}/x", ""},
		{"https://<your-host>/x", ""},
		{"", ""},
	} {
		if got := hostOf(c.url); got != c.want {
			t.Errorf("hostOf(%q) = %q, want %q", c.url, got, c.want)
		}
	}
}

func TestKindsOfHosts(t *testing.T) {
	for _, c := range []struct {
		host          string
		drop, private bool
	}{
		{"fixture.ngrok.io", true, false},
		{"ngrok.io", true, false},
		{"notngrok.io", false, false},
		{"240.0.0.1", true, false},
		{"0xf0000001", true, false},
		{"4026531841", true, false},
		{"0xf0.0.0.1", true, false},
		{"2600::1", true, false},
		{"127.0.0.1", false, true},
		{"0x7f000001", false, true},
		{"10.1.2.3", false, true},
		{"192.168.0.1", false, true},
		{"203.0.113.7", false, true},
		{"::1", false, true},
		{"::ffff:127.0.0.1", false, true},
		{"localhost", false, true},
		{"db", false, true},
		{"printer.local", false, true},
		{"host.invalid", false, false},
		{"", false, false},
	} {
		if got := isDropHost(c.host); got != c.drop {
			t.Errorf("isDropHost(%q) = %v", c.host, got)
		}
		if got := isPrivateHost(c.host); got != c.private {
			t.Errorf("isPrivateHost(%q) = %v", c.host, got)
		}
	}
}

func TestKnownInstaller(t *testing.T) {
	for _, c := range []struct {
		url   string
		known bool
	}{
		{"https://sh.rustup.rs", true},
		{"https://raw.githubusercontent.com/nvm-sh/nvm/v0.40.0/install.sh", true},
		{"https://raw.githubusercontent.com/nvm-sh/nvm/../../someone/x/install.sh", false},
		{"https://raw.githubusercontent.com/nvm-sh/nvm/%2e%2e/%2E%2e/someone/x", false},
		{"https://raw.githubusercontent.com/nvm-sh/nvmx/install.sh", false},
		{"http://sh.rustup.rs", false},
		{"https://sh.rustup.rs.host.invalid", false},
		{"https://sh.rustup.rs@host.invalid", false},
		{"https://deno.land/install.sh", true},
		{"https://deno.land/x/other/mod.ts", false},
	} {
		if got := knownInstaller(c.url) != ""; got != c.known {
			t.Errorf("knownInstaller(%q) = %v", c.url, got)
		}
	}
}
