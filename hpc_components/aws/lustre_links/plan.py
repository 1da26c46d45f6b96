"""Finds inputs that AWS rejects, in links recorded in a plan."""

from hpc_components.aws.lustre_links.offer import facts_of_kind
from hpc_components.preview.inputs.input_facts import InputFacts, rules_of_records
from hpc_components.preview.reader import PlanReader
from hpc_components.spec.surfaces import Keys

_INPUTS: Keys = {"path": None, "bucket": None, "earlier": None}
"""Maps each order field to its input. The formats in `facts.json` cover all fields, so the order isn't checked
against other links."""


class LinksPlan(PlanReader):
    """Plan reader for FSx data repository associations."""

    def inputs(self) -> InputFacts:
        """Return the checks on link inputs."""
        properties = rules_of_records(facts_of_kind("input"))
        return InputFacts(properties=properties)


READER = LinksPlan()
