"""Network access that a resource allows."""

from dataclasses import dataclass
from ipaddress import ip_network

_SITE_PREFIX = {4: 8, 6: 13}
"""Minimum prefix length of a range that can belong to one site, by IP version: HPC-NET-004 for IPv4; for IPv6, a
registry's own block is a /12 (IANA, "IPv6 Global Unicast Address Assignments").
"""


@dataclass(frozen=True, kw_only=True)
class Ingress:
    """Address ranges that are allowed to reach a range of TCP ports."""

    sources: tuple[str, ...]
    """Address ranges, or tags of the cloud."""
    low: int
    high: int
    path: str = ""
    """The input that allows it."""

    def admits(self, port: int) -> bool:
        """Return whether `port` is among the allowed ports."""
        return self.low <= port <= self.high

    @property
    def world(self) -> tuple[str, ...]:
        """The sources that are the whole internet, or too large to be one site."""
        return tuple(each for each in self.sources if _is_world(each))


def _is_world(source: str) -> bool:
    try:
        network = ip_network(source, strict=False)
    except ValueError:  # a tag, or not known yet
        return False
    return network.prefixlen < _SITE_PREFIX[network.version]
