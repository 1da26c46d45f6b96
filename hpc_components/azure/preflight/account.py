import re
import threading
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from hpc_components.azure.preflight.look_ups import LOOK_UPS
from hpc_components.azure.preflight.policies import policy_that_denies
from hpc_components.preflight.account import Demand, Forbidden, Owner, QuotaSeen, Seen
from hpc_components.preflight.rest import RestReader

_USABLE = ("Enabled", "PastDue", "Warned")
"""States in which a subscription accepts resources. Source: Azure documentation, "Azure subscription states"."""
_USAGES = {"compute": "compute usage", "network": "network usage"}


class AzureAccount:
    """See `Account`."""

    def __init__(self, reader: RestReader, subscription: str, region: str) -> None:
        self._reader, self._subscription, self._region = reader, subscription, region
        self._lock = threading.Lock()
        self._sizes: dict[str, dict[str, str]] | None = None

    @property
    def who(self) -> str:
        return f"subscription {self._subscription}"

    def problem(self) -> str:
        found = self._reader.read("subscription", subscription=self._subscription)
        if found is None:
            return "there is no such subscription"
        state = found.get("state", "Enabled")
        return "" if state in _USABLE else f"its state is {state}"

    def closed(self, region: str, zones: Collection[str]) -> Mapping[str, str]:
        places = {
            each["name"]: each
            for page in self._reader.pages("locations", subscription=self._subscription)
            for each in page["value"]
        }
        if region not in places:
            return {region: "the subscription has no such location"}
        numbers = {each["logicalZone"] for each in places[region].get("availabilityZoneMappings", ())}
        wanted = {zone: zone.removeprefix(region).removeprefix("-") for zone in zones}
        return {
            zone: "the subscription has no such zone"
            for zone, number in wanted.items()
            if number and number not in numbers
        }

    def offers(self, machine: str) -> Mapping[str, str]:
        with self._lock:  # the list is long, so it is read once
            if self._sizes is None:
                self._sizes = self._read_sizes()
        return next((zones for name, zones in self._sizes.items() if name.lower() == machine.lower()), {})

    def _read_sizes(self) -> dict[str, dict[str, str]]:
        query = {"$filter": f"location eq '{self._region}'"}
        return {
            each["name"]: _zones_of(each, self._region)
            for page in self._reader.pages("machine sizes", query, subscription=self._subscription)
            for each in page["value"]
            if each.get("resourceType") == "virtualMachines"
        }

    def quota(self, need: Mapping[str, Any]) -> QuotaSeen | None:
        call = _USAGES.get(need["service"])
        if call is None or need["code"] is None:
            return None
        for page in self._reader.pages(call, subscription=self._subscription, location=self._region):
            for each in page["value"]:
                if each["name"]["value"].lower() == need["code"].lower():
                    return QuotaSeen(limit=float(each["limit"]), used=float(each["currentValue"]))
        return None

    def look_up(self, kind: str, id: str) -> Seen | None:
        return LOOK_UPS[kind](self._reader, id, self._subscription, self._region)

    def owner(self, kind: str, name: str) -> Owner | None:
        if kind == "resource group":
            id = f"/subscriptions/{self._subscription}/resourceGroups/{name}"
            return "caller" if self._reader.read("resource group", id=id) is not None else None
        body = {"name": name, "type": "Microsoft.Storage/storageAccounts"}
        answer = self._reader.read("storage account name", {}, body, subscription=self._subscription) or {}
        if answer.get("nameAvailable", True):
            return None
        own = (
            each["name"]
            for page in self._reader.pages("storage accounts", subscription=self._subscription)
            for each in page["value"]
        )
        return "caller" if name in own else "other"

    def disabled(self, services: Collection[str]) -> Collection[str]:
        found = {
            name: self._reader.read("provider", subscription=self._subscription, namespace=name) or {}
            for name in services
        }
        return [name for name, seen in found.items() if seen.get("registrationState") != "Registered"]

    def refused(self, actions: Collection[str]) -> Mapping[str, bool]:
        """Compare the actions with those of the caller's roles for the subscription. Roles for single resource groups
        are not part of them, and a new cluster creates its own groups.
        """
        roles = [
            each
            for page in self._reader.pages("permissions", subscription=self._subscription)
            for each in page["value"]
        ]
        return {action: True for action in actions if not any(_permits(role, action) for role in roles)}

    def forbidden(self, demand: Demand) -> Forbidden | None:
        """Let Azure Policy evaluate a resource that does not exist."""
        body = {"resourceDetails": {"resourceContent": demand.value}}
        answer = self._reader.read("policies", {}, body, subscription=self._subscription)
        return policy_that_denies(answer or {}, demand.value)


def _zones_of(size: Mapping[str, Any], region: str) -> dict[str, str]:
    """Return the zones that sell a size, as a description names them, and the region itself."""
    numbers = [number for info in size.get("locationInfo", ()) for number in info.get("zones", ())]
    found = {region: ""} | {f"{region}-{number}": "" for number in numbers}
    for each in size.get("restrictions", ()):
        reason = each.get("reasonCode", "restricted")
        limited = each.get("restrictionInfo", {}).get("zones", ()) if each["type"] == "Zone" else numbers
        found |= {f"{region}-{number}": reason for number in limited}
        if each["type"] == "Location":
            found[region] = reason
    return found


def _permits(role: Mapping[str, Any], action: str) -> bool:
    return _matches(role.get("actions", ()), action) and not _matches(role.get("notActions", ()), action)


def _matches(patterns: Iterable[str], action: str) -> bool:
    """Return whether a pattern with the wildcard `*` matches. Azure ignores case."""
    return any(
        re.fullmatch(re.escape(each).replace(r"\*", ".*"), action, re.IGNORECASE) is not None for each in patterns
    )
