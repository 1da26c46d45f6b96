"""Checks for conflicting settings in instances and instance templates.

Source: Compute Engine documentation, "Provisioning models", "Flex-start", "Placement policies", "Live migration",
"Tier_1 networking performance", "Network profiles for RDMA".
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from hpc_components.catalog import machine
from hpc_components.catalog.machine_type import Machine
from hpc_components.gcp.catalog.machines import live_migrates
from hpc_components.gcp.fleet.offer import has_tier_1
from hpc_components.gcp.network_cards.card_kinds import card_kinds
from hpc_components.gcp.purchase.options import max_run_seconds
from hpc_components.preview.inputs.input_fault import PropertyFault, property_fault
from hpc_components.preview.nested import items, number_at, text_at, value_at
from hpc_components.spec.input_rules import FaultKind

_MAX_VALUE_BYTES = 256 * 1024
"""Maximum size of a metadata value in bytes. Source: Compute Engine documentation, "About VM metadata", limits."""


def purchase(inputs: Mapping[str, Any]) -> Iterator[PropertyFault]:
    model = text_at(inputs, "scheduling.provisioningModel")
    affinity = text_at(inputs, "reservationAffinity.type")
    if model in ("SPOT", "FLEX_START"):
        if affinity == "SPECIFIC_RESERVATION":
            path = "reservationAffinity.type"
            yield property_fault(path, affinity, f"can't be used with {model}", "use `NO_RESERVATION`")
        if value_at(inputs, "scheduling.automaticRestart") is True:
            path = "scheduling.automaticRestart"
            yield property_fault(path, True, f"can't be used with {model}", "set `automatic_restart` to `False`")
        if text_at(inputs, "scheduling.onHostMaintenance") == "MIGRATE":
            path = "scheduling.onHostMaintenance"
            yield property_fault(path, "MIGRATE", f"can't be used with {model}", "use `TERMINATE`")
    if value_at(inputs, "scheduling.preemptible") is True and model not in ("SPOT", None):
        yield property_fault("scheduling.preemptible", True, f"can't be used with {model}", "leave it out")
    if model == "FLEX_START":
        yield from _flex_start(inputs)
    key = value_at(inputs, "reservationAffinity.specificReservation")
    if affinity == "SPECIFIC_RESERVATION" and not key and not _is_open(inputs, "reservationAffinity"):
        path = "reservationAffinity.specificReservation"
        yield property_fault(
            path, None, "is required for a reservation", "specify `key` and `values`", FaultKind.MISSING
        )


def _flex_start(inputs: Mapping[str, Any]) -> Iterator[PropertyFault]:
    path, allowed = "scheduling.maxRunDuration.seconds", max_run_seconds()
    seconds = number_at(inputs, path)
    if value_at(inputs, "scheduling.maxRunDuration") is None and not _is_open(inputs, "scheduling.maxRunDuration"):
        remedy = f"specify {allowed[0]} to {allowed[-1]} seconds"
        yield property_fault(
            "scheduling.maxRunDuration", None, "is required for FLEX_START", remedy, FaultKind.MISSING
        )
    elif seconds is not None and seconds not in allowed:
        remedy = f"use {allowed[0]} to {allowed[-1]} seconds"
        yield property_fault(path, seconds, "is out of range for FLEX_START", remedy, FaultKind.OUT_OF_RANGE)
    if text_at(inputs, "scheduling.instanceTerminationAction") == "STOP":
        path = "scheduling.instanceTerminationAction"
        yield property_fault(path, "STOP", "can't be used with FLEX_START", "use `DELETE`")


def host(inputs: Mapping[str, Any]) -> Iterator[PropertyFault]:
    """Yield faults in settings that depend on the machine type or its placement."""
    facts, maintenance = _machine(inputs), text_at(inputs, "scheduling.onHostMaintenance")
    path = "scheduling.onHostMaintenance"
    if items(inputs, "resourcePolicies") or text_at(inputs, "resourcePolicies"):
        if maintenance == "MIGRATE":
            yield property_fault(path, maintenance, "can't be used with a placement policy", "use `TERMINATE`")
    elif facts is not None and maintenance == "MIGRATE" and not live_migrates(facts):
        yield property_fault(path, maintenance, f"is not supported by {facts.name}", "use `TERMINATE`")
    threads = number_at(inputs, "advancedMachineFeatures.threadsPerCore")
    if facts is not None and threads is not None and threads > facts.threads_per_core:
        path = "advancedMachineFeatures.threadsPerCore"
        yield property_fault(path, threads, f"exceeds the number of threads per core of {facts.name}", "leave it out")
    tier = text_at(inputs, "networkPerformanceConfig.totalEgressBandwidthTier")
    path = "networkPerformanceConfig.totalEgressBandwidthTier"
    sold = facts is None or has_tier_1(facts)
    if (
        tier == "TIER_1"
        and sold
        and any(text_at(each, "nicType") == "VIRTIO_NET" for each in items(inputs, "networkInterfaces"))
    ):
        yield property_fault(path, tier, "requires network cards of type GVNIC", "set `nic_type` to `GVNIC`")


def cards(inputs: Mapping[str, Any]) -> Iterator[PropertyFault]:
    """Yield faults in network cards. Only some machine types have RDMA cards, and a machine's first card can't be an
    RDMA card.
    """
    facts, found = _machine(inputs), items(inputs, "networkInterfaces")
    kinds = [text_at(each, "nicType") for each in found]
    if kinds and kinds[0] in ("IRDMA", "MRDMA"):
        remedy = "use GVNIC for the first card"
        yield property_fault("networkInterfaces[0].nicType", kinds[0], "can't be a machine's first card", remedy)
        return
    if facts is None:
        return
    allowed = Counter({kind.nic_type: kind.count for kind in card_kinds(facts) if kind.profile})
    for kind in ("IRDMA", "MRDMA"):
        if kinds.count(kind) > allowed[kind]:
            index = [i for i, each in enumerate(kinds) if each == kind][allowed[kind]]
            reason = f"is a card type that {facts.name} does not support" if not allowed[kind] else (
                f"exceeds the limit of {allowed[kind]} {kind} cards for {facts.name}"
            )  # fmt: skip
            yield property_fault(f"networkInterfaces[{index}].nicType", kind, reason, "leave it out")
    if any(kind in kinds for kind in ("IRDMA", "MRDMA")):
        maintenance = text_at(inputs, "scheduling.onHostMaintenance")
        if maintenance is None and not _is_open(inputs, "scheduling.onHostMaintenance"):
            path = "scheduling.onHostMaintenance"
            yield property_fault(path, None, "is required with RDMA cards", "set `TERMINATE`", FaultKind.MISSING)


def metadata(inputs: Mapping[str, Any]) -> Iterator[PropertyFault]:
    values = inputs.get("metadata")
    for key, value in values.items() if isinstance(values, Mapping) else ():
        if isinstance(value, str) and (size := len(value.encode())) > _MAX_VALUE_BYTES:
            reason = f"has {size} bytes, but at most {_MAX_VALUE_BYTES} are allowed"
            yield property_fault(
                f"metadata.{key}", f"{value[:20]}...", reason, "fetch the rest", FaultKind.OUT_OF_RANGE
            )
        elif value is not None and not isinstance(value, str):
            yield property_fault(
                f"metadata.{key}", value, "is not a string", "put it in quotes", FaultKind.WRONG_TYPE
            )


def _machine(inputs: Mapping[str, Any]) -> Machine | None:
    name = text_at(inputs, "machineType")
    return machine("gcp", name.rpartition("/")[2]) if name else None


def _is_open(inputs: Mapping[str, Any], path: str) -> bool:
    """Return whether the value at the path, or one of its parents, is not yet known."""
    value: Any = inputs
    for key in path.split("."):
        if not isinstance(value, Mapping):
            return isinstance(value, str)
        value = value.get(key)
    return isinstance(value, str)
