from collections.abc import Collection, Mapping
from typing import Any

from hpc_components.gcp.catalog.quotas import quota_dimension
from hpc_components.gcp.preflight import policies
from hpc_components.gcp.preflight.look_ups import LOOK_UPS
from hpc_components.preflight.account import Demand, Forbidden, NotPermittedError, Owner, QuotaSeen, Seen
from hpc_components.preflight.rest import RestReader, ServiceOffError

_PERMISSIONS_IN_A_CALL = 100
"""Maximum. Source: Resource Manager API reference, projects.testIamPermissions."""

_FALLS_BACK = "PREEMPTIBLE_"
"""Prefix of quotas for spot machines. A project without one has the limit 0, and its spot machines count against the
other quotas. Source: Compute Engine documentation, "Allocation quotas", preemptible quotas."""


class GcpAccount:
    """See `Account`."""

    def __init__(self, reader: RestReader, project: str, region: str) -> None:
        self._reader, self._project, self._region = reader, project, region

    @property
    def who(self) -> str:
        return f"project {self._project}"

    def problem(self) -> str:
        found = self._reader.read("project", project=self._project)
        if found is None:
            return "there is no such project"
        state = found.get("state", "ACTIVE")
        return "" if state == "ACTIVE" else f"its state is {state}"

    def closed(self, region: str, zones: Collection[str]) -> Mapping[str, str]:
        status = _status(self._reader.read("region", project=self._project, region=region))
        if status:
            return {region: status}
        found = {zone: _status(self._reader.read("zone", project=self._project, zone=zone)) for zone in zones}
        return {zone: status for zone, status in found.items() if status}

    def offers(self, machine: str) -> Mapping[str, str]:
        query = {"filter": f'name = "{machine}"'}
        found: dict[str, str] = {}
        for page in self._reader.pages("machine types", query, project=self._project):
            for place, listed in page.get("items", {}).items():
                zone = place.removeprefix("zones/")
                for each in listed.get("machineTypes", ()):
                    if each["name"] == machine and zone.startswith(f"{self._region}-"):
                        state = each.get("deprecated", {}).get("state", "")
                        found[zone] = f"it is {state.lower()}" if state in ("OBSOLETE", "DELETED") else ""
        return found

    def quota(self, need: Mapping[str, Any]) -> QuotaSeen | None:
        code = need["code"]
        if need["service"] != "compute" or code is None:
            return None
        if dimension := quota_dimension(code):
            return self._quota_info(*dimension)
        if need["region"]:
            found = self._reader.read("region", project=self._project, region=need["region"])
        else:
            found = self._reader.read("project quotas", project=self._project)
        listed = (found or {}).get("quotas", ())
        seen = next((each for each in listed if each["metric"] == code), None)
        if seen is None or (code.startswith(_FALLS_BACK) and not seen["limit"]):
            return None
        return QuotaSeen(limit=float(seen["limit"]), used=float(seen.get("usage", 0)))

    def _quota_info(self, metric: str, dimension: str, value: str) -> QuotaSeen | None:
        """Return a quota by machine series or GPU model, which only Cloud Quotas knows. Its usage is not part of it.

        Of several entries, the one with the most dimensions that fit counts. Source: Cloud Quotas API reference,
        DimensionsInfo.
        """
        id = f"{metric.replace('_', '-')}-per-project-region"
        found = self._reader.read("quota info", project=self._project, service="compute.googleapis.com", id=id)
        wanted = {"region": self._region, dimension: value}
        fitting = [
            each
            for each in (found or {}).get("dimensionsInfos", ())
            if each.get("dimensions", {}).items() <= wanted.items() and "value" in each.get("details", {})
        ]
        if not fitting:
            return None
        closest = max(fitting, key=lambda each: len(each.get("dimensions", {})))
        limit = float(closest["details"]["value"])
        return QuotaSeen(limit=float("inf") if limit < 0 else limit)

    def look_up(self, kind: str, id: str) -> Seen | None:
        return LOOK_UPS[kind](self._reader, id)

    def owner(self, kind: str, name: str) -> Owner | None:
        try:
            return "caller" if self._reader.read("bucket", bucket=name) is not None else None
        except NotPermittedError:
            return "other"

    def disabled(self, services: Collection[str]) -> Collection[str]:
        found = []
        for name in services:
            try:
                seen = self._reader.read("service", project=self._project, service=name)
            except ServiceOffError as error:
                found.append(error.service)
                continue
            if (seen or {}).get("state") != "ENABLED":
                found.append(name)
        return [name for name in services if name in found]

    def refused(self, actions: Collection[str]) -> Mapping[str, bool]:
        every, granted = list(actions), set[str]()
        for start in range(0, len(every), _PERMISSIONS_IN_A_CALL):
            some = every[start : start + _PERMISSIONS_IN_A_CALL]
            answer = self._reader.read("permissions", {}, {"permissions": some}, project=self._project)
            granted.update((answer or {}).get("permissions", ()))
        return {each: True for each in every if each not in granted}

    def forbidden(self, demand: Demand) -> Forbidden | None:
        body = {"constraint": demand.policy}
        found = self._reader.read("organization policy", {}, body, project=self._project)
        return policies.forbidden(found or {}, demand)


def _status(found: Mapping[str, Any] | None) -> str:
    if found is None:
        return "Google has no such place, or it is closed to this project"
    status = found.get("status", "UP")
    return "" if status == "UP" else f"its status is {status}"
