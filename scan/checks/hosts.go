package checks

import (
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// dropHosts are services to which anybody can send data, or put a script,
// without saying who they are: tunnels into a private machine, pastes, and
// collectors of requests. Each covers its subdomains. A plugin that talks to one
// of them is not wrong; a plugin that reads keys and does is.
var dropHosts = sync.OnceValue(func() []string {
	return []string{
		// Tunnels.
		"ngrok.io", "ngrok.app", "ngrok.dev", "ngrok-free.app", "ngrok-free.dev", "trycloudflare.com", "loca.lt", "localtunnel.me",
		"serveo.net", "localhost.run", "lhr.life", "lhr.rocks", "bore.pub", "pagekite.me", "tunnelmole.net", "zrok.io", "playit.gg",
		"devtunnels.ms", "pinggy.link", "pinggy.io", "telebit.io", "portmap.io", "portmap.host", "duckdns.org", "no-ip.org", "ddns.net",
		// Pastes and files without an account.
		"pastebin.com", "paste.ee", "hastebin.com", "ghostbin.com", "rentry.co", "rentry.org", "dpaste.com",
		"dpaste.org", "termbin.com", "ix.io", "sprunge.us", "0x0.st", "transfer.sh", "file.io", "paste.rs", "privatebin.net", "controlc.com",
		"gofile.io", "anonfiles.com", "catbox.moe", "temp.sh", "oshi.at", "bashupload.com", "uguu.se", "tmpfiles.org", "filebin.net",
		"glot.io", "justpaste.it", "pastes.io", "pixeldrain.com", "tmp.ninja", "keep.sh", "clbin.com",
		// Collectors of requests.
		"webhook.site", "requestbin.com", "requestbin.net", "pipedream.net", "hookbin.com", "beeceptor.com", "requestcatcher.com",
		"webhook.cool", "mockbin.org", "mockbin.io", "postb.in", "requestrepo.com", "interact.sh", "interactsh.com", "burpcollaborator.net",
		"oastify.com", "oast.fun", "oast.live", "oast.me", "oast.online", "oast.pro", "oast.site", "dnslog.cn", "ceye.io", "canarytokens.com",
		"typedwebhook.tools", "webhookrelay.com", "rbndr.us", "bxss.me", "xss.ht",
	}
})

// hostOf returns the host of a URL in lower case, without user and port; "" when
// it has none that is written out. A missing scheme is forgiven.
func hostOf(url string) string {
	rest := url
	if i := strings.Index(rest, "://"); i >= 0 {
		rest = rest[i+3:]
	} else {
		rest = strings.TrimPrefix(rest, "//")
	}
	if i := strings.IndexAny(rest, "/?#\\ \t\n\"'`"); i >= 0 {
		rest = rest[:i]
	}
	if i := strings.LastIndexByte(rest, '@'); i >= 0 {
		rest = rest[i+1:]
	}
	if end := strings.IndexByte(rest, ']'); strings.HasPrefix(rest, "[") && end > 0 {
		return strings.ToLower(rest[1:end])
	}
	if i := strings.IndexByte(rest, ':'); i >= 0 {
		rest = rest[:i]
	}
	rest = strings.ToLower(strings.TrimSuffix(rest, "."))
	if strings.ContainsAny(rest, "$<>{}()*|;,…%") {
		return ""
	}
	return rest
}

// isDropHost reports whether a host is a tunnel, a paste or a collector of
// requests, or a bare address on the public internet.
func isDropHost(host string) bool {
	if a, ok := address(host); ok {
		return !privateAddress(a)
	}
	return slices.ContainsFunc(dropHosts(), func(d string) bool { return within(host, d) })
}

// isPrivateHost reports whether a host is the machine itself or in a private
// network: data sent there does not leave.
func isPrivateHost(host string) bool {
	if a, ok := address(host); ok {
		return privateAddress(a)
	}
	if host == "" {
		return false
	}
	for _, d := range []string{"localhost", "local", "internal", "lan", "home.arpa", "localdomain", "svc", "cluster.local"} {
		if within(host, d) {
			return true
		}
	}
	return host == "host.docker.internal" || !strings.ContainsAny(host, ".:") // a bare name is of the local network
}

// isExampleHost reports whether a host is one of the three that are kept for
// documentation and belong to nobody.
func isExampleHost(host string) bool {
	return within(host, "example.com") || within(host, "example.org") || within(host, "example.net")
}

// within reports whether a host is a domain or below it.
func within(host, domain string) bool {
	return host == domain || strings.HasSuffix(host, "."+domain)
}

// address reads the forms in which a tool takes an address: dotted, one number,
// hexadecimal, IPv6.
func address(host string) (netip.Addr, bool) {
	if host == "" || len(host) > 45 {
		return netip.Addr{}, false
	}
	if a, err := netip.ParseAddr(host); err == nil {
		return a.Unmap(), true
	}
	if strings.Count(host, ".") == 0 {
		if n, err := strconv.ParseUint(host, 0, 32); err == nil && len(host) > 4 {
			return netip.AddrFrom4([4]byte{byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)}), true
		}
		return netip.Addr{}, false
	}
	parts := strings.Split(host, ".") // 0x7f.0.0.1
	if len(parts) != 4 {
		return netip.Addr{}, false
	}
	var b [4]byte
	for i, part := range parts {
		n, err := strconv.ParseUint(part, 0, 8)
		if err != nil {
			return netip.Addr{}, false
		}
		b[i] = byte(n)
	}
	return netip.AddrFrom4(b), true
}

func privateAddress(a netip.Addr) bool {
	if a.IsLoopback() || a.IsPrivate() || a.IsLinkLocalUnicast() || a.IsUnspecified() || a.IsMulticast() {
		return true
	}
	for _, p := range []string{"100.64.0.0/10", "192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24", "255.255.255.255/32", "2001:db8::/32"} {
		if netip.MustParsePrefix(p).Contains(a) {
			return true // shared or kept for documentation
		}
	}
	return false
}
