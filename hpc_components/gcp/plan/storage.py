from collections.abc import Iterable, Iterator

from hpc_components.gcp.plan.types import BUCKET, SECRET
from hpc_components.preview.nested import text_at
from hpc_components.preview.picture.cards import Card
from hpc_components.preview.resources import Resource, Resources
from hpc_components.wording import plural

_BUDGET = "gcp:billing/budget:Budget"


def service_cards(resources: Resources, linked: Iterable[str]) -> Iterator[Card]:
    seen = set()
    for each in resources.of_type(BUCKET):
        config = resources.owner(each, "hpc:gcp:ConfigBucket") is not None
        seen.add(title := bucket_title(each))
        line = "bucket for the nodes' configuration" if config else "bucket"
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
        yield Card(kind="reaper", title="Removal of nodes", lines=("the head node deletes them on destroy",))
    if secrets := resources.of_type(SECRET):
        yield Card(kind="secret", title=plural(len(secrets), "secret"), lines=("Secret Manager",))


def bucket_title(bucket: Resource) -> str:
    return bucket.text("name") or bucket.name


def _whole(value: object) -> int | None:
    text = "" if isinstance(value, bool) else str(value)
    return int(text) if text.isdecimal() else None
