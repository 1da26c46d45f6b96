import re
from collections.abc import Callable, Mapping
from typing import Any

from hpc_components.azure.catalog.arm_ids import ArmKind, arm_id, wrong_arm_id, wrong_vault_url
from hpc_components.preview.inputs.formats import FORMATS as COMMON
from hpc_components.preview.inputs.formats import Format, pattern

_GUID = re.compile(r"[0-9a-fA-F]{8}-([0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}")
_ROLE = re.compile(
    r"(/subscriptions/[^/]+)?/providers/Microsoft\.Authorization/roleDefinitions/[0-9a-fA-F-]{36}", re.I
)
_PORTS = re.compile(r"\*|\d{1,5}(-\d{1,5})?")
_TIME = re.compile(r"([01]\d|2[0-3]):[0-5]\d")
_SOURCE = re.compile(r"\*|[A-Z][A-Za-z]+(\.[A-Za-z0-9]+)?|[0-9a-fA-F.:]+(/\d{1,3})?")

_LAST_PORT = 65535


def _id_of(kind: ArmKind) -> Format:
    return lambda value: wrong_arm_id(str(value), kind)


def _any_id(value: Any) -> tuple[str, str] | None:
    if str(value).startswith("$self/") or arm_id(str(value)) is not None:
        return None
    return "is not a resource id", "write `/subscriptions/<subscription>/resourceGroups/<group>/providers/...`"


def _scope(value: Any) -> tuple[str, str] | None:
    text = str(value)
    if re.fullmatch(r"/subscriptions/[0-9a-fA-F-]{36}", text) or arm_id(text) is not None:
        return None
    return "is not a valid scope", "write the id of a subscription, resource group or resource, `/subscriptions/...`"


def _ports(value: Any) -> tuple[str, str] | None:
    text, remedy = str(value), "write a port, a range such as `1019-1023`, or `*`"
    if not _PORTS.fullmatch(text):
        return "is not a port range", remedy
    low, _, high = text.partition("-")
    ports = [int(each) for each in (low, high) if each.isdigit()]
    if any(port > _LAST_PORT for port in ports) or ports != sorted(ports):
        return "is not a port range", remedy
    return None


def _vault(kind: str) -> Callable[[Any], tuple[str, str] | None]:
    return lambda value: wrong_vault_url(str(value), kind)  # ty: ignore[invalid-argument-type]  keys or secrets


FORMATS: Mapping[str, Format] = {
    **COMMON,
    "arm_id": _any_id,
    "guid": pattern(_GUID, "is not a GUID", "write it as 12345678-1234-1234-1234-123456789abc"),
    "key_url": _vault("keys"),
    "nsg_source": pattern(
        _SOURCE, "is not a traffic source", "write an address range, a service tag such as `VirtualNetwork`, or `*`"
    ),
    "port_range": _ports,
    "role": pattern(
        _ROLE,
        "is not a role definition id",
        "write `/subscriptions/<id>/providers/Microsoft.Authorization/roleDefinitions/<guid>`",
    ),
    "scope": _scope,
    "subnet_id": _id_of("subnet"),
    "time_of_day": pattern(_TIME, "is not a time of day", "write hours and minutes, e.g. `03:00`"),
    "workspace_id": _id_of("workspace"),
}
"""Formats, keyed by their names in `known_values.json`."""
