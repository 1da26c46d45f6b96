from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal

from hpc_components.aws.lustre_links.offer import LinkOrder
from hpc_components.spec.findings import Path
from hpc_components.spec.model import Model
from hpc_components.spec.surfaces import Key, Keys, Surface, described

if TYPE_CHECKING:
    from hpc_components.aws.lustre.model import Lustre
    from hpc_components.aws.spec.cluster import AwsClusterSpec

Change = Literal["new", "changed", "deleted"]


class DataAssociation(Model):
    """A link between a Lustre directory and a bucket. The content of a file is loaded from the bucket when the file
    is first read.
    """

    path: str = "/"
    """Directory in the file system."""
    bucket: str
    """URL of the bucket: `s3://bucket` or `s3://bucket/prefix`. The bucket must be in the cluster's region."""
    auto_import: tuple[Change, ...] = ("new", "changed", "deleted")
    """Changes in the bucket that are imported automatically."""
    auto_export: tuple[Change, ...] = ("new", "changed")
    """Changes in the file system that are exported automatically. Without `deleted`, objects are never deleted from
    the bucket."""


KEYS: Keys = {"path": Key(("path",)), "bucket": Key(("bucket",)), "earlier": None}

_SHORT_KEYS: Keys = {"path": None, "bucket": Key(("import_from",)), "earlier": None}
"""Keys for the shorthand `import_from`, which is a key of the file system rather than of a link."""


def links_of(lustre: "Lustre", path: Path) -> Iterator[tuple[Path, DataAssociation]]:
    if lustre.import_from is not None:
        yield (*path, "import_from"), DataAssociation(bucket=lustre.import_from)
    for index, link in enumerate(lustre.associations):
        yield (*path, "associations", index), link


def bucket_path(path: Path) -> Path:
    return path if path[-1] == "import_from" else (*path, "bucket")


def orders_of(lustre: "Lustre", path: Path, cluster: "AwsClusterSpec") -> Iterator[tuple[LinkOrder, Surface]]:
    earlier: dict[str, str] = {}
    for where, link in links_of(lustre, path):
        order = LinkOrder(path=link.path, bucket=link.bucket, earlier=dict(earlier))
        if where[-1] == "import_from":
            yield order, described(lustre, path, _SHORT_KEYS, cluster)
        else:
            yield order, described(link, where, KEYS, cluster)
        earlier.setdefault(link.path, link.bucket)
