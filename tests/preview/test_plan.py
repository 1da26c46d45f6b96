"""The plan document."""

import json
from pathlib import Path
from typing import Any

import pulumi
import pytest
import yaml
from golden import assert_golden
from hypothesis import given
from hypothesis import strategies as st
from preview_sample import FINDINGS, Program, cfd, fleet, network, plan_of, recording_of
from stack_recordings import recorded

from hpc_components.preview.plan import Plan, UnreadablePlanError, make_plan
from hpc_components.preview.record import record
from hpc_components.preview.resources import Resource, Resources
from hpc_components.spec.findings import Finding, Level
from hpc_components.spec.input_rules import INPUT_RULES

plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


def small() -> Program:
    program = Program()
    fleet(program, "compute", ["hpc6a.48xlarge"], network(program), placementStrategy="cluster")
    return program


def test_the_plan_is_the_reviewed_one() -> None:
    assert_golden("plan.json", plan_of(small()).to_json())


def test_the_document_has_the_documented_shape() -> None:
    document = json.loads(plan_of(cfd()).to_json())
    assert document["plan"] == 1
    assert document["stack"] == "aws-cfd"
    urns = [each["urn"] for each in document["resources"]]
    assert urns == sorted(urns)
    assert set(document["resources"][0]) == {
        "urn", "type", "name", "parent", "inputs", "depends_on", "protect", "retain", "component",
        "property_dependencies", "ignore_changes", "replace_on_changes", "delete_before_replace", "deleted_with",
        "aliases",
    }  # fmt: skip
    assert [each["id"] for each in document["findings"]] == [each.id for each in FINDINGS]


def test_the_order_in_which_resources_were_made_does_not_matter() -> None:
    forth, back = cfd(), cfd()
    back.made.reverse()
    assert plan_of(forth).to_json() == plan_of(back).to_json()


def test_reading_gives_back_what_was_written() -> None:
    text = plan_of(cfd()).to_json()
    assert text.endswith("}\n")
    assert Plan.from_json(text) == plan_of(cfd())
    assert Plan.from_json(text).to_json() == text


@given(inputs=st.dictionaries(st.text(), plain, max_size=4), name=st.text(min_size=1))
def test_a_plan_with_any_inputs_is_read_again(inputs: dict[str, Any], name: str) -> None:
    program = Program()
    program.made.append(Resource(urn=f"urn:{name}", type="a:b:C", name=name, inputs=inputs))
    plan = plan_of(program)
    assert Plan.from_json(plan.to_json()) == plan


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("not json", "line 1: this is not valid JSON"),
        ("[]", "`plan` must be 1, not None"),
        ('{"plan": 2}', "`plan` must be 1, not 2"),
        ('{"plan": 1, "stack": "x"}', "the plan lacks cloud, cluster"),
    ],
)
def test_what_is_no_plan_is_refused_with_a_way_out(text: str, said: str) -> None:
    with pytest.raises(UnreadablePlanError) as refused:
        Plan.from_json(text)
    assert said in str(refused.value)
    assert "`hpc preview STACK --format json`" in str(refused.value)


def test_a_recording_becomes_a_plan_with_findings_sorted() -> None:
    # The fleet's launch template of the sample is whole enough to be judged.
    program = Program()
    fleet(program, "compute", ["hpc6a.48xlarge"], {"private use2-az2": program.add("a:b:Subnet", "s")})
    plan = make_plan(
        recording_of(program), cloud="aws", cluster="cfd", region="us-east-2", findings=reversed(FINDINGS)
    )
    assert (plan.stack, plan.cluster, plan.region) == ("aws-cfd", "cfd", "us-east-2")
    assert plan.resources == program.resources
    assert [each["id"] for each in plan.findings] == [each.id for each in FINDINGS]
    assert plan.cost["queues"][0]["queue"] == "compute"


def test_refused_inputs_become_findings_with_an_id_for_each_kind() -> None:
    def program() -> None:
        import pulumi_aws as aws

        yes: Any = "yes"
        aws.ec2.Vpc("net", cidr_block="10.20.0.0/33", enable_dns_support=yes)
        protected = pulumi.ResourceOptions(protect=True)
        aws.ebs.Volume("disk", availability_zone="us-east-2b", size=1, type="io9", encrypted=True, opts=protected)
        block: Any = {"deviceName": "/dev/sda1", "ebs": {"volumeSise": 8, "encrypted": "true"}}
        rules: Any = [{"protocol": "tcp", "from_port": 22}]
        options: Any = {"httpPutResponseHopLimit": 65, "httpTokens": "required"}
        aws.ec2.LaunchTemplate("node", block_device_mappings=[block], metadata_options=options)
        aws.ec2.SecurityGroup("group", ingress=rules)
        aws.ec2.SecurityGroupRule(
            "ports", type="ingress", protocol="tcp", from_port=70, to_port=22, security_group_id="sg-1", self=True
        )

    plan = make_plan(record(program), cloud="aws", cluster="cfd", region="us-east-2")
    assert {each["path"]: each["id"] for each in plan.findings} == {
        "SecurityGroup group: ingress[0].toPort": "HPC-INP-001",
        "LaunchTemplate node: blockDeviceMappings[0].ebs.volumeSise": "HPC-INP-002",
        "Volume disk: type": "HPC-INP-003",
        "Vpc net: enableDnsSupport": "HPC-INP-004",
        "LaunchTemplate node: metadataOptions.httpPutResponseHopLimit": "HPC-INP-005",
        "Vpc net: cidrBlock": "HPC-INP-006",
        "SecurityGroupRule ports: fromPort": "HPC-INP-007",
    }
    assert {each["id"] for each in plan.findings} == {rule.id for rule in INPUT_RULES.values()}
    assert all(each["level"] == "error" and each["reason"] and each["remedy"] for each in plan.findings)


def test_what_is_silenced_stays_in_the_document_with_the_reason() -> None:
    def program() -> None:
        import pulumi_aws as aws

        aws.ec2.Vpc("net", cidr_block="10.20.0.0/33")
        aws.ebs.Volume("disk", availability_zone="us-east-2b", size=1, type="io9")

    silence = {
        "HPC-INP-003": "io9 is in preview for us",
        "HPC-INP-001": "not found here",
        "HPC-PLN-006": "the account encrypts all disks",
    }
    plan = make_plan(record(program), cloud="aws", cluster="cfd", region="us-east-2", silence=silence)
    assert {each["id"]: each.get("silenced") for each in plan.findings} == {
        "HPC-INP-003": "io9 is in preview for us",
        "HPC-INP-006": None,
        "HPC-PLN-004": None,
        "HPC-PLN-006": "the account encrypts all disks",
    }
    assert [each["id"] for each in plan.reported] == ["HPC-INP-006", "HPC-PLN-004"]
    assert Plan.from_json(plan.to_json()).reported == plan.reported


def open_door() -> None:
    import pulumi_aws as aws

    door = {"ip_protocol": "tcp", "from_port": 22, "to_port": 22, "cidr_ipv4": "0.0.0.0/0"}
    aws.vpc.SecurityGroupIngressRule("door", security_group_id="sg-1", **door)


@pytest.mark.parametrize("silenced", [None, "a honeypot"])
def test_what_a_rule_says_of_the_description_is_not_said_again_of_its_resources(silenced: str | None) -> None:
    described = Finding(
        id="HPC-NET-004", level=Level.WARNING, path="network.ssh_from[0]", value="0.0.0.0/0", reason="SSH is open",
        remedy="name ranges", silenced=silenced,
    )  # fmt: skip
    given = {"cloud": "aws", "cluster": "cfd", "region": "us-east-2"}
    assert [each["id"] for each in make_plan(record(open_door), **given).findings] == ["HPC-PLN-001"]
    with_it = make_plan(record(open_door), findings=[described], **given)
    assert [each["id"] for each in with_it.findings] == ["HPC-NET-004"]


@pytest.mark.parametrize("stack", ["aws-cfd", "aws-dev", "aws-university", "aws-ultracluster"])
def test_reference_stacks_have_a_cost_and_need_quotas(stack: str) -> None:
    plan = reference_plan(stack)
    assert plan.cost["lines"]
    assert all(each["max"] > 0 for each in plan.cost["queues"])
    assert plan.quota


def reference_plan(stack: str) -> Plan:
    """The plan of one of the project's own stacks."""
    root = Path(__file__).parents[2]
    config = yaml.safe_load((root / "stacks" / "config" / f"Pulumi.{stack}.yaml").read_text())["config"]
    cluster = config["hpc:cluster"]
    return make_plan(recorded(stack), cloud="aws", cluster=cluster["name"], region=cluster["region"])


def test_resources_are_compared_by_content() -> None:
    assert cfd().resources == cfd().resources
    assert cfd().resources != Resources(())
