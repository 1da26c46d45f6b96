"""Google Cloud's file systems, and what the project holds outside of the network, as cards."""

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
    """The capacity of a Lustre file system, which the provider writes as a text."""
    return _whole(lustre.inputs.get("capacityGib"))


def file_system_cards(resources: Resources) -> Iterator[tuple[Resource, Card]]:
    """Every Lustre file system, with the buckets that it copies from and to."""
    for each in resources.of_type(LUSTRE):
        gib, speed = lustre_gib(each), each.text("perUnitStorageThroughput")
        facts = ("Managed Lustre", f"{gib:,} GiB" if gib else None, f"{speed} MB/s per TiB" if speed else None)
        yield each, file_system_card(resources, each, "lustre", facts, _linked(resources, each))


def _linked(resources: Resources, lustre: Resource) -> tuple[str, ...]:
    """Titles of the buckets that Lustre's own service account may use."""
    component = resources.owner(lustre, _LUSTRE)
    grants = resources.below_of_type(component, _ACCESS) if component else ()
    titles = [_title(own) for each in grants for own in resources.needed(each, BUCKET)]
    titles += [bucket for each in grants if (bucket := each.text("bucket"))]
    return tuple(dict.fromkeys(titles))


def service_cards(resources: Resources, linked: Iterable[str]) -> Iterator[Card]:
    """What the project holds outside of the network, buckets first."""
    seen = set()
    for each in resources.of_type(BUCKET):
        config = resources.owner(each, "hpc:gcp:ConfigBucket") is not None
        seen.add(title := _title(each))
        line = "bucket, configuration of the nodes" if config else "bucket"
        yield Card(kind="bucket", title=title, lines=(line,))
    for title in dict.fromkeys(linked):
        if title not in seen:
            yield Card(kind="bucket", title=title, lines=("bucket that is there already",))
    for each in resources.of_type(_BUDGET):
        amount = _whole(text_at(each.inputs, "amount.specifiedAmount.units"))
        period = (text_at(each.inputs, "budgetFilter.calendarPeriod") or "MONTH").lower()
        line = f"{amount:,} a {period}" if amount is not None else "limit not known yet"
        yield Card(kind="money", title="Budget", lines=(line,))
    if resources.of_type("hpc:gcp:NodeReaper"):
        yield Card(kind="reaper", title="Nodes' end", lines=("the head node deletes them before it goes",))
    if secrets := resources.of_type(SECRET):
        yield Card(kind="secret", title=plural(len(secrets), "secret"), lines=("Secret Manager",))


def _title(bucket: Resource) -> str:
    return bucket.text("name") or bucket.name


def _whole(value: object) -> int | None:
    """A number that may be written as a text."""
    text = "" if isinstance(value, bool) else str(value)
    return int(text) if text.isdecimal() else None
