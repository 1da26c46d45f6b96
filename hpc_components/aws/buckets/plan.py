"""What recorded buckets mean: cost, and what AWS refuses in their inputs."""

from collections.abc import Iterator

from hpc_components.aws.buckets.offer import facts_of_kind
from hpc_components.aws.plan.types import BUCKET
from hpc_components.preview.inputs.input_facts import InputFacts, Rule
from hpc_components.preview.reader import PlanReader
from hpc_components.preview.resources import Resources
from hpc_components.spec.surfaces import Keys

_INPUTS: Keys = {"name": None, "default": None, "base": None, "zone": None, "region": None, "shards": None}
"""Inputs by the fields of orders: the formats in `facts.json` cover names, and each shard is a resource."""


class BucketsPlan(PlanReader):
    """Buckets of S3."""

    def not_counted(self, resources: Resources) -> Iterator[str]:
        """Yield the content of buckets."""
        if resources.of_type(BUCKET, "aws:s3/directoryBucket:DirectoryBucket"):
            yield "content of buckets, and requests to them"

    def inputs(self) -> InputFacts:
        """Return the checks of the inputs of buckets."""
        properties: dict[str, dict[str, Rule]] = {}
        for record in facts_of_kind("input"):
            properties.setdefault(record["type"], {})[record["path"]] = record
        return InputFacts(properties=properties)


READER = BucketsPlan()
