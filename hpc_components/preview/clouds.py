from collections import Counter
from collections.abc import Iterable

from hpc_components.cloud import CLOUDS, Cloud, UnknownCloudError, cloud_named
from hpc_components.preview.reader import PlanReader
from hpc_components.preview.recording import Recording
from hpc_components.preview.resources import Resource

_NO_CLOUD = PlanReader()


def cloud_of(recording: Recording) -> str:
    """Return the cloud that most resources belong to, or the first known cloud if the recording has no resources.

    If no resource belongs to a known cloud, return the name of the most common package.
    """
    return cloud_of_types(each.type for each in recording.resources if each.custom)


def cloud_of_types(types: Iterable[str]) -> str:
    """Return the cloud that most of these resource types belong to. See `cloud_of`."""
    counts = Counter(type.partition(":")[0] for type in types)
    del counts["pulumi"]  # provider resources don't belong to a cloud
    first = max(_clouds(), key=lambda cloud: counts[cloud.pulumi_package])
    if counts[first.pulumi_package] or not counts:
        return first.name
    return counts.most_common(1)[0][0]


def cloud_of_resources(resources: Iterable[Resource], otherwise: str = "") -> str:
    """Return the cloud that most resources belong to (see `cloud_of`), or `otherwise` if there are no resources."""
    types = [each.type for each in resources if not each.component]
    return cloud_of_types(types) if types else otherwise


def reader_of(cloud: str) -> PlanReader:
    try:
        return cloud_named(cloud).parts.plan_reader
    except UnknownCloudError:
        return _NO_CLOUD


def reader_of_type(type: str) -> PlanReader:
    """Return the reader of the cloud that a resource type such as `aws:ec2/vpc:Vpc` belongs to."""
    package = type.partition(":")[0]
    return next((reader_of(cloud.name) for cloud in _clouds() if cloud.pulumi_package == package), _NO_CLOUD)


def title_of(cloud: str) -> str:
    try:
        return cloud_named(cloud).title
    except UnknownCloudError:
        return cloud


def internet_way_of(cloud: str) -> str:
    """Return the cloud's term for a connection to the internet, or "internet" if the cloud is unknown."""
    try:
        return cloud_named(cloud).words.internet
    except UnknownCloudError:
        return "internet"


def _clouds() -> list[Cloud]:
    return [cloud_named(name) for name in CLOUDS]
