package web

import (
	"fmt"
	"net/netip"
	"syscall"
)

// PublicOnly is a net.Dialer.Control that refuses connections to this machine
// and to private networks, after the name was resolved, so that no name leads
// there (security 3.3 row 55).
func PublicOnly(_, address string, _ syscall.RawConn) error {
	ap, err := netip.ParseAddrPort(address)
	if err != nil {
		return err
	}
	ip := ap.Addr().Unmap()
	if !ip.IsGlobalUnicast() || ip.IsPrivate() || ip.IsLoopback() || ip.IsLinkLocalUnicast() || sharedNet().Contains(ip) {
		return fmt.Errorf("address %s is not public", ip)
	}
	return nil
}

// sharedNet is carrier-grade NAT, where some clouds keep internal services.
func sharedNet() netip.Prefix { return netip.PrefixFrom(netip.AddrFrom4([4]byte{100, 64}), 10) }
