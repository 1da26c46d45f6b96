from collections.abc import Iterator, Mapping
from typing import Any

from hpc_components.gcp.data_bucket.offer import BucketOrder, facts_of_kind, refusals
from hpc_components.gcp.plan.inputs.relations import named
from hpc_components.gcp.plan.types import BUCKET
from hpc_components.preview.inputs.input_facts import InputFacts
from hpc_components.preview.inputs.input_fault import PropertyFault
from hpc_components.preview.inputs.refused import refused_inputs
from hpc_components.preview.nested import is_true
from hpc_components.preview.reader import PlanReader
from hpc_components.spec.surfaces import Key, Keys

_INPUTS: Keys = {
    "archive": None,  # lifecycle rules may have conditions other than ages
    "autoclass": Key(("autoclass", "enabled")),
    "folders": Key(("hierarchicalNamespace",)),
    "versioning": Key(("versioning", "enabled")),
}
"""Maps each field of `BucketOrder` to its input."""


class BucketPlan(PlanReader):
    def inputs(self) -> InputFacts:
        return InputFacts(
            properties={BUCKET: {record["path"]: record for record in facts_of_kind("input")}},
            relations={BUCKET: (_bucket, named("name", "bucket"))},
        )


READER = BucketPlan()


def _bucket(inputs: Mapping[str, Any]) -> Iterator[PropertyFault]:
    order = BucketOrder(
        folders=is_true(inputs, "hierarchicalNamespace.enabled"), versioning=is_true(inputs, "versioning.enabled")
    )
    yield from refused_inputs(inputs, refusals(order), _INPUTS)
