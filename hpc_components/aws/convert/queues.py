"""Converts queues. Each compute resource becomes a separate queue, because all machines in a queue must be alike."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from hpc_components.aws.convert.entry import Entry
from hpc_components.aws.convert.ledger import Ledger, flag, made
from hpc_components.aws.convert.nodes import custom_image, disk_of, instance_profile_of
from hpc_components.aws.convert.place import Place, machine_entries
from hpc_components.aws.convert.purchase import price_of, purchase_of
from hpc_components.aws.convert.slurm import queue_settings
from hpc_components.catalog import machine, zones_offering
from hpc_components.spec.findings import Path, dotted
from hpc_components.wording import listed

_DEFAULT_MAX_COUNT = 10
"""Default MaxCount. Source: ParallelCluster 3.16, SlurmComputeResource."""

_MAX_NAME_LENGTH = 25
"""Maximum length of a queue's name, according to rule HPC-NAM-002."""


@dataclass(frozen=True)
class _Work:
    """A compute resource, and the place of the queue that it becomes."""

    queue: Entry
    resource: Entry
    place: Path
    where: Place
    ledger: Ledger

    @property
    def path(self) -> str:
        return dotted(self.place)

    def both(self, key: str) -> Entry | None:
        """Return the compute resource's value for a setting, or its queue's value if the compute resource has
        none.
        """
        return self.resource.get(key) or self.queue.get(key)


def queues_of(root: Entry, ledger: Ledger, where: Place) -> list[dict[str, Any]]:
    made_queues: list[dict[str, Any]] = []
    for queue in root.items("Scheduling.SlurmQueues"):
        resources = queue.items("ComputeResources") or [Entry((*queue.path, "ComputeResources"), queue.at, {})]
        names = _names(queue, resources, ledger, len(made_queues))
        for name, resource in zip(names, resources, strict=True):
            work = _Work(queue, resource, ("queues", len(made_queues)), where, ledger)
            made_queues.append({"name": name} | _queue(work))
        _tell_of_queue(queue, ledger, ("queues", len(made_queues) - len(resources)))
    return made_queues


def _names(queue: Entry, resources: list[Entry], ledger: Ledger, first: int) -> list[str]:
    """Return the names of the queues that replace `queue`. The first one keeps the original name, because job scripts
    use that name; the others get a suffix.
    """
    entry = queue.get("Name")
    word = ledger.word(entry, ("queues", first)) or f"queue{first + 1}"
    name = re.sub(r"[^a-z0-9-]+", "-", word.lower()).strip("-")[:_MAX_NAME_LENGTH]
    if entry is not None and name != word:
        told = made(f"queues[{first}].name", name)
        ledger.corrected(
            entry,
            told,
            "queue names can contain only lower-case letters, digits and hyphens",
            "use the new name in job scripts",
        )
    elif entry is not None:
        ledger.taken(entry, made(f"queues[{first}].name", name))
    names = [name]
    for number, resource in enumerate(resources):
        own = resource.get("Name")
        if number:
            end = re.sub(r"[^a-z0-9-]+", "-", str(own.value if own else number + 1).lower())
            names.append(f"{name[: _MAX_NAME_LENGTH - len(end) - 1]}-{end}"[:_MAX_NAME_LENGTH])
        if own is not None and number == 0:
            ledger.dropped(own, f"nodes are named after their queue: {name}-1, {name}-2, ...")
        elif own is not None:
            ledger.decide(
                own, "all machines in a queue must be alike, so this compute resource becomes a separate queue, "
f"{names[-1]}",
                f"submit jobs to both queues with --partition={name},{names[-1]}, or add this machine type to "
f"the fallback of queue {name}",
                ("queues", first + number), made(f"queues[{first + number}].name", names[-1]),
            )  # fmt: skip
    return names


def _queue(work: _Work) -> dict[str, Any]:
    ledger, resource, place = work.ledger, work.resource, work.place
    queue = dict(_machines(work))
    most = ledger.number(resource.get("MaxCount"), place)
    least = ledger.number(resource.get("MinCount"), place)
    queue["max"] = most if most is not None else _DEFAULT_MAX_COUNT
    if most is not None:
        ledger.taken(resource.value["MaxCount"], made(f"{work.path}.max", most))
    if least is not None:
        ledger.taken(resource.value["MinCount"], made(f"{work.path}.min", least))
        queue |= {"min": least} if least else {}
    queue |= purchase_of(work.queue, work.both("CapacityReservationTarget.CapacityReservationId"), ledger, place)
    queue |= _zones(work, queue)
    queue |= _fabric(work, queue)
    queue |= _resources(work)
    queue |= price_of(resource, ledger, place)
    if settings := queue_settings(work.queue, ledger, work.path):
        queue["slurm"] = settings
    return queue


def _machines(work: _Work) -> Iterator[tuple[str, Any]]:
    entries = list(machine_entries(work.resource))
    for number, entry in enumerate(entries):
        work.ledger.taken(
            entry, made(f"{work.path}.{f'fallback[{number - 1}]' if number else 'machine'}", entry.value)
        )
    if entries:
        yield "machine", str(entries[0].value)
    if entries[1:]:
        yield "fallback", [str(each.value) for each in entries[1:]]


def _zones(work: _Work, queue: dict[str, Any]) -> dict[str, Any]:
    """Return the queue's `zones` if the cluster's zone doesn't offer the machine type. Otherwise, return {}."""
    facts = machine("aws", queue.get("machine", ""))
    selling = zones_offering(facts, work.where.region) if facts else ()
    if not selling or work.where.zone in selling:
        return {}
    entry = next(machine_entries(work.resource))
    told = f"{work.path}.zones: [{', '.join(selling)}]"
    work.ledger.taken(entry, told, f"the cluster's zone, {work.where.zone}, does not offer {entry.value}")
    return {"zones": list(selling)}


def _fabric(work: _Work, queue: dict[str, Any]) -> dict[str, Any]:
    """Return the fabric and placement settings that differ from the defaults."""
    facts = machine("aws", queue.get("machine", ""))
    has_fabric = facts is not None and facts.has_fabric
    entry = work.resource.get("Efa.Enabled")
    wanted = entry is not None and flag(entry.value)
    fabric: dict[str, Any] = {}
    if has_fabric and not wanted:
        fabric["fabric"] = False
    if entry is not None and wanted and facts is not None and not has_fabric:
        work.ledger.corrected(
            entry,
            "",
            f"{facts.name} does not support EFA",
            "use a machine type with EFA (run `hpc machines` to find one)",
        )
    elif entry is not None:
        work.ledger.taken(entry, made(f"{work.path}.fabric", wanted))
    placement = _placement(work)
    if placement is not None:
        fabric = {"placement": placement} | fabric
    return fabric


def _placement(work: _Work) -> str | None:
    group = work.both("Networking.PlacementGroup")
    if group is None:
        return None
    enabled, named = group.get("Enabled"), group.get("Name") or group.get("Id")
    on = flag(enabled.value) if enabled is not None else named is not None
    told = made(f"{work.path}.placement", "cluster" if on else "none")
    if enabled is not None:
        around = "the compute resource's" if group.path[:-2] == work.resource.path else "the queue's"
        reason = (
            f"ParallelCluster expects this setting under {around} Networking; here, it is a key of the queue itself"
        )
        work.ledger.taken(enabled, told, reason)
    if named is not None and on:
        work.ledger.corrected(named, told, "the cluster creates a new placement group for each queue")
    elif named is not None:
        work.ledger.dropped(named, "placement groups are turned off")
    return "cluster" if on else "none"


def _resources(work: _Work) -> dict[str, Any]:
    """Return the settings for threads, memory, disks and the instance profile."""
    found: dict[str, Any] = {}
    ledger, place = work.ledger, work.place
    if entry := work.resource.get("DisableSimultaneousMultithreading"):
        smt = not flag(entry.value)
        facts = machine("aws", next((str(each.value) for each in machine_entries(work.resource)), ""))
        single = facts is not None and facts.threads_per_core == 1
        ledger.taken(
            entry, made(f"{work.path}.smt", smt), "the machine's cores always have a single thread" if single else ""
        )
        found |= {} if smt or single else {"smt": False}
    if (memory := ledger.number(work.resource.get("SchedulableMemory"), place)) is not None:
        found["memory"] = f"{memory}MiB"
        ledger.taken(work.resource.value["SchedulableMemory"], made(f"{work.path}.memory", found["memory"]))
    if entry := work.queue.get("ComputeSettings.LocalStorage.EphemeralVolume.MountDir"):
        names = [str(each.value) for each in machine_entries(work.resource)]
        without = [name for name in names if (facts := machine("aws", name)) and not facts.local_nvme_gb]
        if without:
            ledger.dropped(
                entry,
                f"these machines have no local disks: {listed(without, 4)}",
                "make the root disk large enough for scratch data",
            )
        else:
            found["local_scratch"] = str(entry.value)
            ledger.taken(entry, made(f"{work.path}.local_scratch", entry.value))
    if disk := disk_of(work.queue.get("ComputeSettings.LocalStorage.RootVolume"), ledger, (*place, "root")):
        found["root"] = disk
    if profile := instance_profile_of(work.queue.get("Iam.InstanceProfile"), ledger, place):
        found["instance_profile"] = profile
    return found


def _tell_of_queue(queue: Entry, ledger: Ledger, place: Path) -> None:
    custom_image(queue.get("Image.CustomAmi"), ledger, place)
    if strategy := queue.get("AllocationStrategy"):
        if str(strategy.value) == "prioritized":
            ledger.taken(strategy, f"{dotted(place)}.machine, fallback", "machine types are tried in file order")
        else:
            ledger.dropped(strategy, "machine types are tried in file order", "list the preferred machine type first")
