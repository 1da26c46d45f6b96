"""Names that would be too long for Azure with Pulumi's random suffix."""

from clouds.azure.sample import GROUP, PRIVATE, TAGS
from hpc_components.azure.buckets.component import DataBucket, DataBucketArgs
from hpc_components.azure.catalog.names import longest_name
from hpc_components.preview.record import record

CLUSTER, BUCKETS = "c" * 40, ("b" * 29 + "1", "b" * 29 + "2")
"""The longest names that a description may have."""


def test_private_endpoints_of_the_longest_names_fit_and_differ():
    def program() -> None:
        for bucket in BUCKETS:
            DataBucket(f"{CLUSTER}-{bucket}", DataBucketArgs(group=GROUP, network=PRIVATE, tags=TAGS))

    recording = record(program)
    names = [each.name for each in recording.all("azure-native:network:PrivateEndpoint")]
    assert len({*names}) == 2
    assert max(map(len, names)) + len("1a2b3c4d") <= longest_name("private_endpoint")
