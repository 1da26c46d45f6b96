from dataclasses import dataclass
from ipaddress import ip_network

_SITE_PREFIX = {4: 8, 6: 13}
"""Maps each IP version to the minimum prefix length of an address range that can belong to a single site. The IPv4
value is the same as in HPC-NET-004. The IPv6 value excludes the /12 blocks of the regional registries (IANA, "IPv6
Global Unicast Address Assignments")."""


@dataclass(frozen=True, kw_only=True)
class Ingress:
    """A TCP port range, and the address ranges that are allowed to connect to it."""

    sources: tuple[str, ...]
    """Address ranges, or the cloud's service tags."""
    low: int
    high: int
    path: str = ""
    """Path of the input that allows the access."""

    def admits(self, port: int) -> bool:
        return self.low <= port <= self.high

    @property
    def world(self) -> tuple[str, ...]:
        """The sources that cover the whole internet or are too large for a single site."""
        return tuple(each for each in self.sources if _is_world(each))


def _is_world(source: str) -> bool:
    try:
        network = ip_network(source, strict=False)
    except ValueError:  # service tags and unknown values are not address ranges
        return False
    return network.prefixlen < _SITE_PREFIX[network.version]
