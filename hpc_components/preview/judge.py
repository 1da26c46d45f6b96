from collections.abc import Collection, Iterator, Mapping
from types import MappingProxyType

from hpc_components.preview.resource_finding import ResourceFinding
from hpc_components.preview.resources import Resources
from hpc_components.spec.findings import Finding
from hpc_components.spec.plan_rule import PlanRule, plan_rules


def judge_resources(
    resources: Resources,
    *,
    said: Collection[str] = (),
    silence: Mapping[str, str] = MappingProxyType({}),
) -> Iterator[Finding]:
    """Yield the findings of all plan rules.

    `said` contains the ids of the rules that reported findings in the description, including silenced findings. A
    plan rule is skipped if its equivalent rule for descriptions is among them. `silence` maps the id of each silenced
    rule to the reason.
    """
    for rule in plan_rules():
        if rule.said_by not in said:
            for found in findings_of_rule(rule, resources):
                yield _finding(rule, found, silence.get(rule.id))


def findings_of_rule(rule: PlanRule, resources: Resources) -> Iterator[ResourceFinding]:
    if rule.whole:
        yield from rule.check(resources)
    else:
        for resource in resources:
            yield from rule.check(resource)


def _finding(rule: PlanRule, found: ResourceFinding, silenced: str | None) -> Finding:
    name = f"{found.resource.kind} {found.resource.name}"
    return Finding(
        id=rule.id,
        level=rule.level,
        path=f"{name}: {found.path}" if found.path else name,
        value=found.value,
        reason=found.reason,
        remedy=found.remedy,
        silenced=silenced,
    )
