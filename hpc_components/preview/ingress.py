"""Who a resource lets in."""

from dataclasses import dataclass
from ipaddress import ip_network

__all__ = ["Ingress"]

_OPEN = {4: 8, 6: 13}
"""A range with a shorter prefix is nobody's site, as in HPC-NET-004; of IPv6, a registry's own is a /12 (IANA, "IPv6
Global Unicast Address Assignments")."""


@dataclass(frozen=True, kw_only=True)
class Ingress:
    """Who is let in on which TCP ports."""

    sources: tuple[str, ...]
    """Address ranges."""
    low: int
    high: int
    path: str = ""
    """The input that says so."""

    def admits(self, port: int) -> bool:
        """Whether `port` is among them."""
        return self.low <= port <= self.high

    @property
    def world(self) -> tuple[str, ...]:
        """Those of the sources that are the whole internet, or so much of it that they name nobody."""
        return tuple(each for each in self.sources if _is_world(each))


def _is_world(source: str) -> bool:
    try:
        network = ip_network(source, strict=False)
    except ValueError:  # a tag, or not known yet
        return False
    return network.prefixlen < _OPEN[network.version]
