from hpc_components.preview.judge import findings_of_rule
from hpc_components.preview.plan import resources_of
from hpc_components.preview.record import Recording
from hpc_components.spec.plan_rule import plan_rules
from hpc_components.testing.offenders import refuse, shown


def assert_no_violations(recording: Recording, *ids: str) -> None:
    """Assert that the recording satisfies the plan rules with these ids (default: all plan rules). `hpc rules PLN`
    lists the ids.

    Many values are unknown in a preview and therefore pass. To check these values as well, e.g. policies, record an
    update (`preview=False`).
    """
    resources = resources_of(recording)
    refuse(
        "findings of plan rules",
        (
            f"{rule.id} {shown(found.resource)}: {found.what}; {found.remedy}"
            for rule in plan_rules()
            if not ids or rule.id in ids
            for found in findings_of_rule(rule, resources)
        ),
    )
