from hpc_components.aws.lustre_links.offer import facts_of_kind
from hpc_components.preview.inputs.input_facts import InputFacts, rules_of_records
from hpc_components.preview.reader import PlanReader
from hpc_components.spec.surfaces import Keys

_INPUTS: Keys = {"path": None, "bucket": None, "earlier": None}
"""No field of an order is read from a plan, because the formats in `facts.json` cover all inputs. A plan's links are
not compared with one another."""


class LinksPlan(PlanReader):
    def inputs(self) -> InputFacts:
        properties = rules_of_records(facts_of_kind("input"))
        return InputFacts(properties=properties)


READER = LinksPlan()
