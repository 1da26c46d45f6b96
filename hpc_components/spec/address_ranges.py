from collections.abc import Iterable
from ipaddress import IPv4Network
from zlib import crc32

PRIVATE_RANGES = tuple(
    IPv4Network(cidr) for cidr in ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10")
)
"""The private ranges of RFC 1918 and the shared range of RFC 6598, which a VPC also accepts."""

_WITHOUT_A_HOST = {
    IPv4Network("0.0.0.0/8"): "no host has an address from 0.0.0.0 to 0.255.255.255",
    IPv4Network("127.0.0.0/8"): "these are loopback addresses",
    IPv4Network("169.254.0.0/16"): "these are link-local addresses",
    IPv4Network("224.0.0.0/3"): "these are multicast and reserved addresses",
}
"""Maps address ranges from which no connection can come to the reason. Source: RFC 6890."""


def is_public(cidr: IPv4Network) -> bool:
    return unroutable(cidr) is None and not any(cidr.subnet_of(private) for private in PRIVATE_RANGES)


def unroutable(cidr: IPv4Network) -> str | None:
    """Return why no connection can come from `cidr`, or None if connections are possible."""
    return next((why for taken, why in _WITHOUT_A_HOST.items() if cidr.subnet_of(taken)), None)


def free_range(name: str, taken: Iterable[IPv4Network]) -> str:
    """Return a private range for the network of the cluster `name`, avoiding overlaps with `taken` if possible.

    The same name always gets the same range as long as `taken` doesn't change. Different names are unlikely to get
    the same range.
    """
    known = list(taken)
    first = crc32(name.encode())
    wide = [f"10.{16 + (first + step) % 224}.0.0/16" for step in range(224)]
    for candidate in (*wide, *(f"172.{part}.0.0/16" for part in range(20, 32))):
        if not any(IPv4Network(candidate).overlaps(each) for each in known):
            return candidate
    return wide[0]
