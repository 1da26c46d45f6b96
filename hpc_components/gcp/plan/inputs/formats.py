import re
from collections.abc import Mapping
from ipaddress import ip_network
from typing import Any

from hpc_components.preview.inputs.formats import FORMATS as COMMON
from hpc_components.preview.inputs.formats import Format, pattern

_MEMBER = re.compile(
    r"(user|group|serviceAccount|domain|principal|principalSet|deleted:\w+|project(Owner|Editor|Viewer)):\S+"
    r"|allUsers|allAuthenticatedUsers"
)
_ROLE = re.compile(r"roles/[\w.]+|(projects|organizations)/[\w:.-]+/roles/[\w.]+")
_PROFILE = re.compile(r"(https://\S+/)?projects/[\w:.-]+/global/networkProfiles/[a-z0-9-]+")
_PERMISSION = re.compile(r"[a-z][\w-]*\.[A-Za-z]\w*(\.[A-Za-z]\w*)+")
_PORTS = re.compile(r"\d{1,5}(-\d{1,5})?")
_PROTOCOLS = ("tcp", "udp", "icmp", "esp", "ah", "sctp", "ipip", "all")

_LAST_PORT, _LAST_PROTOCOL = 65535, 255


def _ports(value: Any) -> tuple[str, str] | None:
    text = str(value)
    low, _, high = text.partition("-")
    ports = [int(each) for each in (low, high) if each.isdecimal()]
    if not _PORTS.fullmatch(text) or any(port > _LAST_PORT for port in ports) or ports != sorted(ports):
        return (
            "is not a port range",
            "write a port, or a range such as `6817-6829`; to allow all ports, leave the ports out",
        )
    return None


def _protocol(value: Any) -> tuple[str, str] | None:
    text = str(value)
    if text in _PROTOCOLS or (text.isdecimal() and int(text) <= _LAST_PROTOCOL):
        return None
    listed = ", ".join(f"`{each}`" for each in _PROTOCOLS)
    return (
        "is not a protocol that firewall rules support",
        f"write one of {listed}, or a number from 0 to {_LAST_PROTOCOL}",
    )


def _cidr(value: Any) -> tuple[str, str] | None:
    """Check an address range. A single address is also valid."""
    try:
        ip_network(str(value))
    except ValueError as error:
        return (
            f"is not an address range ({error})",
            "write the first address and the prefix length, such as `10.0.0.0/16`",
        )
    return None


FORMATS: Mapping[str, Format] = {
    **COMMON,
    "cidr": _cidr,
    "firewall_protocol": _protocol,
    "member": pattern(
        _MEMBER,
        "is not a Google Cloud principal",
        "write `serviceAccount:<email>`, `user:<email>` or `group:<email>`",
    ),
    "network_profile": pattern(
        _PROFILE, "is not a network profile", "write `projects/<project>/global/networkProfiles/<zone>-vpc-falcon`"
    ),
    "permission": pattern(
        _PERMISSION, "is not a permission", "write a full name such as `compute.instances.get`, without a wildcard"
    ),
    "port_range": _ports,
    "role": pattern(_ROLE, "is not a role", "write `roles/<name>` or `projects/<project>/roles/<id>`"),
}
"""Maps the name of each format in `known_values.json` to its check."""
