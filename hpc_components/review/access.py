"""Finds new access granted by a change: who can reach or do something that they could not before."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from ipaddress import ip_network

from hpc_components.preview.clouds import cloud_of_resources, reader_of, reader_of_type
from hpc_components.preview.resources import Resources
from hpc_components.review.change_effects import Effect
from hpc_components.review.document import ABSENT, Change, Opening, Operation

_SSH = 22


def openings(before: Resources, after: Resources) -> tuple[tuple[Opening, ...], tuple[Opening, ...]]:
    """Return the ports opened to address ranges outside the cluster's network, and the ports closed to them.

    For ports other than SSH, only ranges that cover all or nearly all of the internet are considered.
    """
    old, new = _open(before), _open(after)
    return tuple(_added(old, new)), tuple(_added(new, old))


def _open(resources: Resources) -> list[Opening]:
    ssh = reader_of(cloud_of_resources(resources)).ssh_sources(resources)
    found = {Opening(source=source, low=_SSH, high=_SSH) for source in ssh}
    for resource in resources:
        for rule in reader_of_type(resource.type).ingress(resource):
            if not (rule.low == rule.high == _SSH):
                found |= {Opening(source=source, low=rule.low, high=rule.high) for source in rule.world}
    return sorted(found, key=lambda each: (each.low, each.high, each.source))


def _added(before: Iterable[Opening], after: Iterable[Opening]) -> Iterator[Opening]:
    there = tuple(before)
    for each in after:
        if not any(_covers(other, each) for other in there):
            same_ports = (other.source for other in there if other.low <= each.high and each.low <= other.high)
            yield replace(each, before=tuple(dict.fromkeys(same_ports)))


def _covers(one: Opening, other: Opening) -> bool:
    return one.low <= other.low and other.high <= one.high and _is_within(other.source, one.source)


def _is_within(inner: str, outer: str) -> bool:
    try:
        one, other = ip_network(inner, strict=False), ip_network(outer, strict=False)
    except ValueError:  # not an address range, but a cloud's name for several ranges
        return inner == outer
    return one.version == other.version and one.network_address in other and one.prefixlen >= other.prefixlen


def with_grants(changes: Iterable[Change], before: Resources, after: Resources) -> tuple[Change, ...]:
    """Return the changes, with `grants` set on those that grant new access.

    Permissions of a new component or identity are ignored. A new queue, for example, has the same permissions as
    existing queues. Rules that admit address ranges are also ignored, because `openings` reports them.
    """
    every = tuple(changes)
    old = {each.urn for each in before}
    made = {each.urn for each in every if each.operation is Operation.CREATE}
    here = {each.urn: each for each in after}

    def grants(change: Change) -> bool:
        resource = here.get(change.urn)
        if change.effect is not Effect.ACCESS or change.because or resource is None:
            return False
        if any(True for _ in reader_of_type(change.type).ingress(resource)):
            return False
        if change.operation is Operation.CREATE:
            is_new_part = change.parent in here and change.parent not in old
            return not is_new_part and not made.intersection(resource.depends_on)
        return change.operation in (Operation.UPDATE, Operation.REPLACE) and not _only_takes(change)

    return tuple(replace(each, grants=True) if grants(each) else each for each in every)


def _only_takes(change: Change) -> bool:
    """Return whether a change only removes list items, such as a role's actions. Removing an exception doesn't count,
    because that grants more access.
    """
    paths = [each.path for each in change.properties]
    before, after = ({repr(getattr(each, side)) for each in change.properties} for side in ("before", "after"))
    in_lists = all(path.endswith("]") and "not" not in path.lower() for path in paths)
    return bool(paths) and in_lists and after <= before | {repr(ABSENT)}
