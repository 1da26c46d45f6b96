"""Converts plan rules to Pulumi policies that you can include in your own policy pack."""

from collections.abc import Mapping
from functools import partial
from typing import Any

import pulumi
from pulumi_policy import (
    EnforcementLevel,
    Policy,
    ReportViolation,
    ResourceValidationArgs,
    ResourceValidationPolicy,
    StackValidationArgs,
    StackValidationPolicy,
)

from hpc_components.policy.values import resource_of, resources_of
from hpc_components.preview.resource_finding import ResourceFinding
from hpc_components.spec.findings import Level
from hpc_components.spec.plan_rule import PlanRule, plan_rules

__all__ = ["policies"]

_ENFORCEMENT = {
    Level.ERROR: EnforcementLevel.MANDATORY,
    Level.WARNING: EnforcementLevel.ADVISORY,
    Level.INFO: EnforcementLevel.ADVISORY,
}


def policies() -> list[Policy]:
    """Return a policy for each plan rule, named after the rule's id. Errors are mandatory; all others are advisory.

    A policy reports nothing if the stack's `hpc:cluster` silences its rule or the equivalent rule for descriptions.
    """
    return [_policy(rule) for rule in plan_rules() if not rule.asks_what_is_secret]


def _policy(rule: PlanRule) -> Policy:
    common: dict[str, Any] = {
        "name": rule.id,
        "description": rule.title,
        "enforcement_level": _ENFORCEMENT[rule.level],
    }
    if rule.whole:
        return StackValidationPolicy(**common, validate=partial(_validate_stack, rule))
    return ResourceValidationPolicy(**common, validate=partial(_validate_resource, rule))


def _validate_resource(rule: PlanRule, args: ResourceValidationArgs, report: ReportViolation) -> None:
    if not _is_silenced(rule):
        for found in rule.check(resource_of(args)):
            report(_said(found), None)


def _validate_stack(rule: PlanRule, args: StackValidationArgs, report: ReportViolation) -> None:
    if not _is_silenced(rule):
        for found in rule.check(resources_of(args.resources)):
            report(_said(found), found.resource.urn)


def _said(found: ResourceFinding) -> str:
    return f"{found.what}\n-> {found.remedy}"


def _is_silenced(rule: PlanRule) -> bool:
    cluster = pulumi.Config("hpc").get_object("cluster")
    silence = cluster.get("silence") if isinstance(cluster, Mapping) else None
    return isinstance(silence, Mapping) and any(id in silence for id in (rule.id, rule.said_by))
