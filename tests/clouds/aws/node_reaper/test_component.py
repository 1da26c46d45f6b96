import json
import subprocess
import sys
from typing import Any

import pulumi
import pulumi_aws as aws
import pytest
from iam_lint import policy_findings

from clouds.aws.sample import CONFIG, TAGS
from hpc_components.aws.node_reaper.component import HANDLER, NodeReaper, NodeReaperArgs
from hpc_components.preview.record import Recording, record

ARGS: dict[str, Any] = {"cluster": "cfd", "config": CONFIG, "tags": TAGS}


def record_reaper(preview: bool = False, **args) -> Recording:
    def program() -> None:
        network = aws.ec2.Vpc("network", cidr_block="10.20.0.0/16")
        reaper = NodeReaper(
            "cfd-reaper",
            NodeReaperArgs(**{**ARGS, **args}),
            pulumi.ResourceOptions(depends_on=[network]),
        )
        aws.ec2.Eip("head", opts=pulumi.ResourceOptions(depends_on=[reaper]))

    return record(program, preview=preview)


def test_it_acts_through_an_invocation_that_follows_the_life_of_the_stack():
    recording = record_reaper()
    invocation = recording.one("aws:lambda/invocation:Invocation", "cfd-reaper-on-destroy")
    assert invocation.inputs["lifecycleScope"] == "CRUD"
    assert json.loads(invocation.inputs["input"]) == {"cluster": "cfd", "config": "cfd-config"}
    function = recording.one("aws:lambda/function:Function", "cfd-reaper-function")
    assert invocation.property_dependencies["functionName"] == (function.urn,)


def test_on_destroy_the_permission_goes_after_the_invocation():
    recording = record_reaper()
    assert recording.one("RolePolicy").urn in recording.one("Invocation").depends_on


def test_the_head_node_goes_before_it_and_the_network_after():
    recording = record_reaper()
    reaper = recording.one("hpc:aws:NodeReaper")
    # The engine deletes children before what their parent depends on.
    assert recording.one("Vpc", "network").urn in reaper.depends_on
    assert recording.one("Invocation").urn in recording.one("Eip", "head").depends_on


def test_the_function_has_time_to_wait_and_to_answer():
    function = record_reaper(wait_seconds=300).one("aws:lambda/function:Function").inputs
    assert (function["timeout"], function["runtime"], function["architectures"]) == (330, "python3.13", ["arm64"])
    assert record_reaper().one("aws:lambda/function:Function").inputs["timeout"] == 900


def test_the_function_is_the_file_beside_the_component():
    function = record_reaper().one("aws:lambda/function:Function").inputs
    (path, content) = next(iter(function["code"]["archive"]["assets"].items()))
    assert path == "handler.py"
    assert content["asset"]["text"] == HANDLER.read_text(encoding="utf-8")
    module, entry = function["handler"].split(".")
    assert (f"{module}.py", entry) == (path, "handler")


def test_the_file_needs_nothing_of_this_package():
    script = "import sys, handler; assert not [name for name in sys.modules if name.startswith('hpc_components')]"
    subprocess.run([sys.executable, "-c", script], cwd=HANDLER.parent, check=True)


def test_its_role_ends_nodes_of_this_cluster_and_writes_its_own_log():
    recording = record_reaper()
    policy = recording.one("RolePolicy").inputs["policy"]
    assert policy_findings(policy) == []
    assert recording.one("LogGroup").inputs["retentionInDays"] == 30
    logging = recording.one("aws:lambda/function:Function").inputs["loggingConfig"]
    assert logging["logFormat"] == "Text"


def test_a_preview_has_the_same_graph_as_an_update():
    preview, update = record_reaper(True), record_reaper(False)
    assert [(each.urn, each.parent, each.depends_on) for each in preview.resources] == [
        (each.urn, each.parent, each.depends_on) for each in update.resources
    ]


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ({"cluster": ""}, r"NodeReaperArgs.cluster: the name is empty"),
        ({"wait_seconds": 900}, r"NodeReaperArgs.wait_seconds: 900 is out of range; use 60 to 870"),
        ({"wait_seconds": 5}, r"NodeReaperArgs.wait_seconds: 5 is out of range; use 60 to 870"),
    ],
)
def test_wrong_arguments_are_named(args, message):
    with pytest.raises(ValueError, match=message):
        NodeReaperArgs(**{**ARGS, **args})
