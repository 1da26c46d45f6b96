from collections.abc import Iterator

from hpc_components.aws.buckets.offer import facts_of_kind
from hpc_components.aws.plan.types import BUCKET
from hpc_components.preview.inputs.input_facts import InputFacts, rules_of_records
from hpc_components.preview.reader import PlanReader
from hpc_components.preview.resources import Resources
from hpc_components.spec.surfaces import Keys

_INPUTS: Keys = {"name": None, "default": None, "base": None, "zone": None, "region": None, "shards": None}
"""Maps order fields to inputs. The inputs need no further checks: `facts.json` has formats for names, and each shard
is a separate resource."""


class BucketsPlan(PlanReader):
    def not_counted(self, resources: Resources) -> Iterator[str]:
        if resources.of_type(BUCKET, "aws:s3/directoryBucket:DirectoryBucket"):
            yield "data stored in buckets, and requests to them"

    def inputs(self) -> InputFacts:
        properties = rules_of_records(facts_of_kind("input"))
        return InputFacts(properties=properties)


READER = BucketsPlan()
