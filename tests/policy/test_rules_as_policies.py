"""The policy pack in this process: the same rules as in a plan, on what Pulumi shows to policies."""

import subprocess
import sys
from collections.abc import Iterator, Mapping
from typing import Any

import pulumi
import pytest
from pulumi_policy import (
    EnforcementLevel,
    Policy,
    PolicyCustomTimeouts,
    PolicyResource,
    PolicyResourceOptions,
    ResourceValidationArgs,
    ResourceValidationPolicy,
    StackValidationArgs,
    StackValidationPolicy,
)
from pulumi_policy.proxy import UNKNOWN_STRING_VALUE, unknown_checking_proxy
from stack_recordings import recorded

import hpc_components
from hpc_components.policy import PACK
from hpc_components.policy.policies import policies
from hpc_components.preview.judge import findings_of_rule
from hpc_components.preview.plan import resources_of
from hpc_components.preview.resources import UNKNOWN, Resource, Resources
from hpc_components.spec.findings import Level
from hpc_components.spec.plan_rule import plan_rules

POLICIES = {each.name: each for each in policies()}
RULE = "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule"
URN = "urn:pulumi:dev::hpc::{}::{}"


@pytest.fixture(autouse=True)
def configured() -> Iterator[None]:
    """No configuration of other tests, nor for them."""
    pulumi.runtime.set_all_config({})
    yield
    pulumi.runtime.set_all_config({})


def options(resource: Resource) -> PolicyResourceOptions:
    return PolicyResourceOptions(resource.protect, [], None, [], PolicyCustomTimeouts(0, 0, 0), [], resource.parent)


def as_sent(value: Any) -> Any:
    """As it reaches a policy: numbers as floats, Pulumi's mark for what is unknown."""
    if isinstance(value, Mapping):
        return {key: as_sent(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [as_sent(each) for each in value]
    if isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    return UNKNOWN_STRING_VALUE if value == UNKNOWN else value


def shown(resource: Resource) -> Mapping[str, Any]:
    return unknown_checking_proxy(as_sent(resource.inputs))


def reported(policy: Policy, resources: Resources) -> list[tuple[str, str]]:
    """URN and message of each report."""
    found: list[tuple[str, str]] = []
    if isinstance(policy, ResourceValidationPolicy):
        for each in resources:
            args = ResourceValidationArgs(each.type, shown(each), each.urn, each.name, options(each), None)
            policy.validate(args, lambda text, urn, each=each: found.append((each.urn, text)))
    elif isinstance(policy, StackValidationPolicy):
        by_urn = {
            each.urn: PolicyResource(each.type, shown(each), each.urn, each.name, options(each), None, None, [], {})
            for each in resources
        }
        for each in resources:
            there = by_urn[each.urn]
            there.parent = by_urn.get(each.parent or "")
            there.dependencies = [by_urn[urn] for urn in each.depends_on if urn in by_urn]
            there.property_dependencies = {
                name: [by_urn[urn] for urn in urns if urn in by_urn]
                for name, urns in each.property_dependencies.items()
            }
        policy.validate(StackValidationArgs([*by_urn.values()]), lambda text, urn: found.append((urn or "", text)))
    return found


def port(number: int, **inputs: Any) -> Resource:
    told = {
        "ipProtocol": "tcp",
        "fromPort": number,
        "toPort": number,
        "cidrIpv4": "0.0.0.0/0",
        "securityGroupId": UNKNOWN,
    }
    return Resource(urn=URN.format(RULE, "door"), type=RULE, name="door", inputs=told | inputs)


def test_each_rule_is_a_policy() -> None:
    rules = [rule for rule in plan_rules() if not rule.asks_what_is_secret]
    assert list(POLICIES) == [rule.id for rule in rules]
    assert {rule.id for rule in plan_rules()} - {*POLICIES} == {"HPC-PLN-022"}
    for rule in rules:
        policy = POLICIES[rule.id]
        is_stack = isinstance(policy, StackValidationPolicy)
        assert (policy.description, is_stack) == (rule.title, rule.whole)
        mandatory = policy.enforcement_level is EnforcementLevel.MANDATORY
        assert mandatory == (rule.level is Level.ERROR)


def test_a_report_names_input_reason_and_remedy() -> None:
    ((urn, text),) = reported(POLICIES["HPC-PLN-002"], Resources([port(2049)]))
    assert urn == URN.format(RULE, "door")
    assert text == (
        "cidrIpv4: NFS can be reached from the whole internet (0.0.0.0/0)\n"
        "-> allow access only from the cluster's own network, and only to the required ports"
    )
    assert reported(POLICIES["HPC-PLN-001"], Resources([port(2049)])) == []


def test_what_is_unknown_is_not_reported() -> None:
    assert reported(POLICIES["HPC-PLN-002"], Resources([port(2049, cidrIpv4=UNKNOWN)])) == []


@pytest.mark.parametrize("silenced", ["HPC-PLN-001", "HPC-NET-004"])
def test_what_the_description_silences_is_silent(silenced: str) -> None:
    open_door = Resources([port(22)])
    assert len(reported(POLICIES["HPC-PLN-001"], open_door)) == 1
    pulumi.runtime.set_config("hpc:cluster", f'{{"name": "cfd", "silence": {{"{silenced}": "a honeypot"}}}}')
    assert reported(POLICIES["HPC-PLN-001"], open_door) == []
    assert len(reported(POLICIES["HPC-PLN-002"], Resources([port(988)]))) == 1


@pytest.mark.parametrize("cluster", ['"a text"', "[]", '{"silence": ["HPC-PLN-001"]}', "{}"])
def test_without_silenced_rules_a_policy_reports(cluster: str) -> None:
    pulumi.runtime.set_config("hpc:cluster", cluster)
    assert len(reported(POLICIES["HPC-PLN-001"], Resources([port(22)]))) == 1


@pytest.mark.parametrize("stack", ["aws-ultracluster", "azure-hbv4", "gcp-h4d"])
def test_it_finds_what_the_plan_finds(stack: str) -> None:
    """In a cluster whose network rules, templates and groups are damaged in many ways."""
    damaged = Resources(map(damage, resources_of(recorded(stack))))
    count = 0
    for rule in plan_rules():
        if rule.id not in POLICIES:
            continue
        planned = sorted((each.resource.urn, each.reason) for each in findings_of_rule(rule, damaged))
        told = [(urn, text.partition("\n")[0]) for urn, text in reported(POLICIES[rule.id], damaged)]
        assert sorted((urn, text.rpartition(": ")[2]) for urn, text in told) == sorted(
            (urn, reason.rpartition(": ")[2]) for urn, reason in planned
        )
        count += len(planned)
    assert count > 3


def damage(resource: Resource) -> Resource:
    """Without the inputs that rules ask for."""
    kept = {
        key: value
        for key, value in resource.inputs.items()
        if key
        not in ("metadataOptions", "metadata", "publicAccessPrevention", "sourceRanges", "referencedSecurityGroupId")
    }
    if resource.kind == "VirtualMachineScaleSet":
        kept |= {"zones": ["1", "2"], "upgradePolicy": {"mode": "Rolling"}}
    if resource.kind == "NetworkSecurityGroup":
        kept["securityRules"] = [{"access": "Allow", "direction": "Inbound", "sourceAddressPrefix": "*"}]
    sources = {key: urns for key, urns in resource.property_dependencies.items() if key in kept}
    return Resource(
        urn=resource.urn,
        type=resource.type,
        name=resource.name,
        parent=resource.parent,
        inputs=kept,
        depends_on=resource.depends_on,
        property_dependencies=sources,
    )


def test_the_pack_has_the_version_of_the_package() -> None:
    text = (PACK / "PulumiPolicy.yaml").read_text(encoding="utf-8")
    assert f"version: {hpc_components.__version__}\n" in text
    assert (PACK / "__main__.py").is_file()


def test_another_python_is_told_what_it_lacks() -> None:
    done = subprocess.run(
        [sys.executable, "-I", "-S", str(PACK / "__main__.py")], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert "can't import pulumi_policy: install hpc with its policies (pip install" in done.stderr
    assert "Traceback" not in done.stderr
