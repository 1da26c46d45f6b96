"""Assertion that the rules of the plan hold."""

from hpc_components.preview.judge import findings_of_rule
from hpc_components.preview.plan import resources_of
from hpc_components.preview.record import Recording
from hpc_components.spec.plan_rule import plan_rules
from hpc_components.testing.offenders import refuse, shown

__all__ = ["assert_no_violations"]


def assert_no_violations(recording: Recording, *ids: str) -> None:
    """The rules of the plan hold that have these ids, or all of them: `hpc rules PLN` lists them.

    In a preview many values are unknown, and pass; record an update (`preview=False`) to judge policies as well.
    """
    resources = resources_of(recording)
    refuse(
        "violations of the rules of the plan",
        (
            f"{rule.id} {shown(found.resource)}: {found.what}; {found.remedy}"
            for rule in plan_rules()
            if not ids or rule.id in ids
            for found in findings_of_rule(rule, resources)
        ),
    )
