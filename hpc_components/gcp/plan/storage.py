"""Cards of Google Cloud's file systems, and of project resources outside of the network."""

from collections.abc import Iterable, Iterator

from hpc_components.gcp.plan.types import BUCKET, LUSTRE, SECRET
from hpc_components.preview.nested import text_at
from hpc_components.preview.picture.cards import Card, file_system_card
from hpc_components.preview.resources import Resource, Resources
from hpc_components.wording import plural

_ACCESS = "gcp:storage/bucketIAMMember:BucketIAMMember"
_LUSTRE = "hpc:gcp:LustreFilesystem"
_BUDGET = "gcp:billing/budget:Budget"


def lustre_gib(lustre: Resource) -> int | None:
    """Return the capacity of a Lustre file system, which the provider writes as a string."""
    return _whole(lustre.inputs.get("capacityGib"))


def file_system_cards(resources: Resources) -> Iterator[tuple[Resource, Card]]:
    """Yield a card for each Lustre file system, with the buckets that it imports from and exports to."""
    for each in resources.of_type(LUSTRE):
        gib, speed = lustre_gib(each), each.text("perUnitStorageThroughput")
        facts = ("Managed Lustre", f"{gib:,} GiB" if gib else None, f"{speed} MB/s per TiB" if speed else None)
        yield each, file_system_card(resources, each, "lustre", facts, _linked(resources, each))


def _linked(resources: Resources, lustre: Resource) -> tuple[str, ...]:
    """Return the titles of the buckets that Lustre's service agent may use."""
    component = resources.owner(lustre, _LUSTRE)
    grants = resources.below_of_type(component, _ACCESS) if component else ()
    titles = [_title(own) for each in grants for own in resources.needed(each, BUCKET)]
    titles += [bucket for each in grants if (bucket := each.text("bucket"))]
    return tuple(dict.fromkeys(titles))


def service_cards(resources: Resources, linked: Iterable[str]) -> Iterator[Card]:
    """Yield the cards of resources outside of the network, buckets first."""
    seen = set()
    for each in resources.of_type(BUCKET):
        config = resources.owner(each, "hpc:gcp:ConfigBucket") is not None
        seen.add(title := _title(each))
        line = "bucket, configuration of the nodes" if config else "bucket"
        yield Card(kind="bucket", title=title, lines=(line,))
    for title in dict.fromkeys(linked):
        if title not in seen:
            yield Card(kind="bucket", title=title, lines=("existing bucket",))
    for each in resources.of_type(_BUDGET):
        amount = _whole(text_at(each.inputs, "amount.specifiedAmount.units"))
        period = (text_at(each.inputs, "budgetFilter.calendarPeriod") or "MONTH").lower()
        line = f"{amount:,} a {period}" if amount is not None else "limit not known yet"
        yield Card(kind="money", title="Budget", lines=(line,))
    if resources.of_type("hpc:gcp:NodeReaper"):
        yield Card(kind="reaper", title="Removal of nodes", lines=("the head node deletes them on a destroy",))
    if secrets := resources.of_type(SECRET):
        yield Card(kind="secret", title=plural(len(secrets), "secret"), lines=("Secret Manager",))


def _title(bucket: Resource) -> str:
    return bucket.text("name") or bucket.name


def _whole(value: object) -> int | None:
    """Return a number that may be written as a string."""
    text = "" if isinstance(value, bool) else str(value)
    return int(text) if text.isdecimal() else None
