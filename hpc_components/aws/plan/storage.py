from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from hpc_components.aws.plan.types import BUCKET
from hpc_components.preview.picture.cards import Card
from hpc_components.preview.resources import Resource, Resources
from hpc_components.wording import plural


def bucket_of(resources: Resources, link: Resource, key: str) -> str:
    """Return the name of the bucket that `link` refers to. The name comes from the S3 URI in the input `key` if there
    is one, or else from the bucket resource that `link` depends on.
    """
    own = resources.needed(link, BUCKET)
    path = link.text(key)
    if path is not None and path.startswith("s3://"):
        return path.removeprefix("s3://").split("/")[0]
    return _bucket_title(own[0]) if own else "bucket"


def _bucket_title(bucket: Resource) -> str:
    return bucket.text("bucket") or bucket.name


def service_cards(resources: Resources, linked: Iterable[str]) -> Iterator[Card]:
    seen = set()
    for each in resources.of_type(BUCKET):
        config = resources.owner(each, "hpc:aws:ConfigBucket") is not None
        seen.add(title := _bucket_title(each))
        yield Card(kind="bucket", title=title, lines=("S3, node configuration" if config else "S3 bucket",))
    for title in dict.fromkeys(linked):
        if title not in seen:
            yield Card(kind="bucket", title=title, lines=("existing S3 bucket",))
    shards = Counter(
        _shards_title(resources, each) for each in resources.of_type("aws:s3/directoryBucket:DirectoryBucket")
    )
    for title, number in sorted(shards.items()):
        yield Card(kind="bucket", title=title, lines=(f"S3 Express One Zone, {plural(number, 'bucket')}",))
    for each in resources.of_type("aws:budgets/budget:Budget"):
        yield Card(kind="money", title="Budget", lines=(_budget(each.inputs),))
    if resources.of_type("hpc:aws:NodeReaper"):
        yield Card(
            kind="reaper", title="Node reaper", lines=("terminates elastic nodes before the rest is destroyed",)
        )
    if secrets := resources.of_type("aws:secretsmanager/secret:Secret"):
        yield Card(kind="secret", title=plural(len(secrets), "secret"), lines=("Secrets Manager",))


def _shards_title(resources: Resources, bucket: Resource) -> str:
    """Return the name of the component that spreads data over several directory buckets, or the bucket's own name if
    it doesn't belong to such a component.
    """
    around = resources.parent(bucket)
    return around.name if around and around.type == "hpc:aws:ExpressDataBucket" else _bucket_title(bucket)


def _budget(inputs: Mapping[str, Any]) -> str:
    limit = inputs.get("limitAmount")
    try:
        return f"USD {float(str(limit)):,.0f} {str(inputs.get('timeUnit', '')).lower()}"
    except ValueError:
        return "limit not known yet"
