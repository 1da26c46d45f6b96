"""Represents the network access that a resource allows."""

from dataclasses import dataclass
from ipaddress import ip_network

_SITE_PREFIX = {4: 8, 6: 13}
"""Maps each IP version to the minimum prefix length of a range that can belong to a single site. The IPv4 value is
the same as in HPC-NET-004. The IPv6 value excludes blocks that belong to a registry, which are /12 (IANA, "IPv6
Global Unicast Address Assignments").
"""


@dataclass(frozen=True, kw_only=True)
class Ingress:
    """A range of TCP ports, and the address ranges that are allowed to reach it."""

    sources: tuple[str, ...]
    """Address ranges, or the cloud's service tags."""
    low: int
    high: int
    path: str = ""
    """Path of the input that allows the access."""

    def admits(self, port: int) -> bool:
        """Return whether `port` is in the allowed range."""
        return self.low <= port <= self.high

    @property
    def world(self) -> tuple[str, ...]:
        """The sources that are the whole internet or too large to be a single site."""
        return tuple(each for each in self.sources if _is_world(each))


def _is_world(source: str) -> bool:
    try:
        network = ip_network(source, strict=False)
    except ValueError:  # a tag, or a value that is not known yet
        return False
    return network.prefixlen < _SITE_PREFIX[network.version]
