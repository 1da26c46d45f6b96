"""Facts about resource inputs that the AWS SDK doesn't include."""

from collections import defaultdict

from hpc_components.aws.plan.inputs.formats import FORMATS
from hpc_components.aws.plan.inputs.relations import RELATIONS, tags
from hpc_components.aws.plan.inputs.table import table
from hpc_components.preview.inputs.input_facts import InputFacts, Rule


def _facts() -> InputFacts:
    properties: dict[str, dict[str, Rule]] = defaultdict(dict)
    for rule in table()["properties"]:
        properties[rule["type"]][rule["path"]] = rule
    return InputFacts(
        properties=dict(properties),
        names={rule["name"]: rule for rule in table()["names"]},
        endings={"Arn": {"format": "arn"}},
        formats=FORMATS,
        relations=RELATIONS,
        everywhere=(tags,),
        has_whole_enums=False,  # the SDK's enumerations are incomplete: `PlacementStrategy` lacks `partition`
    )


FACTS = _facts()
