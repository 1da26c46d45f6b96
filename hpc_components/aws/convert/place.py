"""Chooses the cluster's region and zone. The file's region is kept if it offers all machine types in the file."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from hpc_components.aws.convert.entry import Entry
from hpc_components.aws.convert.ledger import Ledger
from hpc_components.catalog import Machine, machine, regions, regions_offering, zones, zones_offering
from hpc_components.wording import any_of, did_you_mean

_DEFAULT_REGION = "us-east-1"
"""Region to use if the file specifies no region and no known machine types. This region has the most machine types.
"""


@dataclass(frozen=True)
class Place:
    region: str
    zone: str
    left: str | None = None
    """The file's region if the cluster can't be placed there, otherwise None."""


def machine_entries(resource: Entry) -> Iterator[Entry]:
    """Yield a compute resource's machine types in the order in which they are tried."""
    if found := resource.get("InstanceType"):
        yield found
    for each in resource.items("Instances"):
        if found := each.get("InstanceType"):
            yield found


def place_of(root: Entry, ledger: Ledger) -> Place:
    entry = root.get("Region")
    compute = list(_facts(_compute_types(root)))
    others = [*compute, *_facts(_other_types(root))]
    named = ledger.word(entry)
    region = _region(named, compute, others)
    zone = _zone(region, compute, others)
    told = f"region: {region}, zone: {zone}"
    if entry is None:
        home = Entry(("Region",), root.at, None)
        ledger.decide(
            home,
            "the file doesn't specify a region",
            f"specify your region, or keep {told}, where the machine types in this file are available",
            ("region",),
        )
    elif named not in regions("aws"):
        hint = did_you_mean(str(named), regions("aws"), f"known: {', '.join(regions('aws'))}")
        ledger.decide(entry, f"the catalogue has no AWS region {named}; {hint}", "correct it", ("region",), told)
    elif region != named:
        absent = [each for each in others if named not in each.offered]
        names = any_of(each.name for each in absent)
        selling = ", ".join(regions_offering(absent[0]))
        ledger.corrected(
            entry, told, f"region {named} does not offer {names}; regions that do: {selling}",
            f"in the new region, create the same buckets, key pairs and images as in {named}, and request the "
"same quotas",
        )  # fmt: skip
    else:
        ledger.taken(entry, told)
    return Place(region, zone, named if named in regions("aws") and region != named else None)


def _region(named: str | None, compute: Sequence[Machine], others: Sequence[Machine]) -> str:
    """Return the named region if it offers all machine types, or if no region does. Otherwise, return the region with
    the most similar name among the regions that offer all of them.
    """
    known = regions("aws")
    home = named if named in known else None
    for wanted in (others, compute):
        selling = [each for each in known if all(each in one.offered for one in wanted)]
        if home in selling or (selling and wanted):
            near = home or named or _DEFAULT_REGION
            return min(selling, key=lambda each: (each != near, -_alike(each, near), each))
    return home or _DEFAULT_REGION


def _alike(region: str, other: str) -> int:
    """Return the length of the region names' common prefix, which is longer for regions on the same continent."""
    return next((at for at, (one, two) in enumerate(zip(region, other, strict=False)) if one != two), len(other))


def _zone(region: str, compute: Sequence[Machine], others: Sequence[Machine]) -> str:
    """Return the zone that offers the most of the queues' machine types. Ties are broken in favour of a zone that
    offers the first machine type, and then by the number of the other nodes' machine types that a zone offers.
    """

    def sold(zone: str, wanted: Sequence[Machine]) -> int:
        return sum(zone in zones_offering(each, region) for each in wanted)

    return max(
        zones("aws", region), key=lambda zone: (sold(zone, compute), sold(zone, compute[:1]), sold(zone, others))
    )


def _compute_types(root: Entry) -> Iterator[Entry]:
    for queue in root.items("Scheduling.SlurmQueues"):
        for resource in queue.items("ComputeResources"):
            yield from machine_entries(resource)


def _other_types(root: Entry) -> Iterator[Entry]:
    for node in (root.get("HeadNode"), *root.items("LoginNodes.Pools")):
        if node and (found := node.get("InstanceType")):
            yield found


def _facts(types: Iterator[Entry]) -> Iterator[Machine]:
    for each in types:
        found = machine("aws", str(each.value))
        if found is not None and found.offered:
            yield found
