"""Whose machine `hpc accept --spot` has taken away, how the cloud is asked, and what it may cost."""

import os
import re
import shlex
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest
from click.testing import CliRunner

from hpc_components.accept.cluster import AcceptanceError
from hpc_components.accept.interruption import Order, SpotMachine, give
from hpc_components.accept.plan import plan_acceptance
from hpc_components.accept.result import Code
from hpc_components.cli import main
from hpc_components.cli.accepting import _agree
from hpc_components.cloud import CLOUDS, cloud_named
from hpc_components.operate.ways import Program
from hpc_components.spec.node_rates import queue_rate
from tests.rehearse.performing import described

MACHINE = SpotMachine(cluster="cfd", node="spot-3", address="10.0.0.9", id="ab-12")
ACCESS = {"region": "us-east-2"}
HEADS = {
    "aws": {},
    "azure": {"vm_id": "/subscriptions/s-1/resourceGroups/cfd/providers/Microsoft.Compute/virtualMachines/head"},
    "gcp": {"instance_id": "projects/p-1/zones/europe-west4-a/instances/cfd-head"},
}
LINES = {
    "aws": [],
    "azure": [
        "az vm list --subscription s-1 --resource-group cfd --query"
        " \"[?vmId=='ab-12' && priority=='Spot'].name\" --output tsv",
        "az vm simulate-eviction --subscription s-1 --resource-group cfd --name '{0}'",
    ],
    "gcp": [
        "gcloud compute instances list --project=p-1 '--filter=name=cfd-spot-3 AND networkInterfaces[0].networkIP="
        "10.0.0.9 AND scheduling.provisioningModel=SPOT' '--format=value(name,zone.basename())'",
        "gcloud compute instances simulate-maintenance-event '{0}' --project=p-1 '--zone={1}' --async",
    ],
}
BY_HAND = {
    "aws": "ec2-spot-interrupter --region us-east-2 --instance-ids ab-12",
    "azure": "az vm simulate-eviction --subscription s-1 --resource-group cfd --name MACHINE",
    "gcp": "gcloud compute instances simulate-maintenance-event cfd-spot-3 --project=p-1 --zone=ZONE",
}


@pytest.mark.parametrize("cloud", CLOUDS)
def test_the_command_lines_of_a_cloud_name_this_machine_only(cloud: str) -> None:
    part = cloud_named(cloud).parts.spot
    assert part
    way = part.interruption(ACCESS, HEADS[cloud], MACHINE)
    lines = [way.order.find, way.order.take] if way.order else []
    assert [[*line] for line in lines] == [shlex.split(line) for line in LINES[cloud]]
    assert way.by_hand.startswith(BY_HAND[cloud])


def order(folder: Path, monkeypatch: pytest.MonkeyPatch, program: str) -> Order:
    """An order whose program `toy` is this script of sh, with its calls in the file `calls`."""
    (folder / "toy").write_text(f'#!/bin/sh\necho "$*" >>{folder}/calls\n{program}\n')
    (folder / "toy").chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    return Order(
        program=Program(name="toy", remedy="is a toy"), find=("toy", "find"), take=("toy", "take", "{0}", "--in={1}")
    )  # fmt: skip


def test_a_machine_that_the_cloud_lists_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert give(order(tmp_path, monkeypatch, 'test "$1" = take || echo vm-1 zone-a')) == ""
    assert (tmp_path / "calls").read_text() == "find\ntake vm-1 --in=zone-a\n"


@pytest.mark.parametrize(
    ("program", "words"),
    [
        ("true", "the cloud does not list the node's machine as a spot machine"),
        ("echo --all zone-a", "the cloud does not list the node's machine as a spot machine"),
        ("echo vm-1", "toy printed 'vm-1'"),
        ("echo 'ERROR: not authorized' >&2; exit 1", "toy find failed: ERROR: not authorized"),
    ],
)
def test_a_machine_that_the_cloud_does_not_list_is_left_alone(tmp_path, monkeypatch, program, words) -> None:
    assert give(order(tmp_path, monkeypatch, program)) == words
    assert (tmp_path / "calls").read_text() == "find\n"


def test_a_refused_order_shows_the_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = 'test "$1" = find && echo vm-1 zone-a || { echo "no permission" >&2; exit 3; }'
    assert give(order(tmp_path, monkeypatch, program)) == "toy take vm-1 --in=zone-a failed: no permission"


def test_a_missing_program_is_named_with_its_remedy() -> None:
    program = Program(name="no-such-cloud", remedy="is a cloud")
    assert give(Order(program=program, find=(), take=())) == "no-such-cloud is not on PATH; it is a cloud"


def test_the_cost_covers_both_machines_and_the_wait_for_the_notice() -> None:
    cluster = described("aws-cfd")
    plain, plan = plan_acceptance(cluster), plan_acceptance(cluster, spot=True)
    (job,) = plan.spot_jobs
    assert (job.queue, job.nodes) == ("spot", 1)
    assert 60 * job.minutes >= plan.notice_within
    rate = queue_rate(cluster, cluster.queue("spot"))
    assert rate
    assert job.usd
    seconds = 2 * cluster.slurm.boot_time.seconds + 60 * job.minutes
    assert float(job.usd) > float(rate.usd_per_hour) * seconds / 3600
    assert plan.usd == plain.usd + job.usd


def test_an_unknown_price_of_a_spot_machine_is_named() -> None:
    plan = plan_acceptance(described("aws-cfd"), queues=["spot"], spot=True)
    unknown = replace(plan, spot_jobs=[replace(plan.spot_jobs[0], usd=None)])
    assert unknown.unpriced == ["spot"]


def test_no_machine_is_taken_away_unless_asked() -> None:
    assert plan_acceptance(described("aws-cfd")).spot_jobs == []
    assert plan_acceptance(described("aws-cfd"), spot=True, skip=[Code.SPOT]).spot_jobs == []


@pytest.mark.parametrize(
    ("stack", "queues", "remedy"),
    [
        ("aws-cfd", ["compute-queue"], r"\(tested are compute-queue\); add --queue spot, or leave out --spot"),
        ("aws-ultracluster", [], "no queue has `purchase: spot` .*; leave out --spot"),
    ],
)
def test_spot_without_a_spot_queue_is_refused_with_the_key(stack, queues, remedy) -> None:
    with pytest.raises(AcceptanceError, match=remedy):
        plan_acceptance(described(stack), queues=queues, spot=True)


def test_the_command_ends_with_exit_code_2_before_it_reaches_the_cluster() -> None:
    done = CliRunner().invoke(main, ["accept", "aws-cfd", "--spot", "--queue", "compute-queue", "--yes"])
    assert done.exit_code == 2
    assert "no queue has `purchase: spot`" in done.output


def test_consent_is_asked_with_the_cost_of_the_machine_that_goes(capsys: pytest.CaptureFixture[str]) -> None:
    _agree(plan_acceptance(described("aws-cfd"), queues=["spot"], spot=True), Decimal(100), yes=True)
    said = capsys.readouterr().err
    assert re.search(r"1 × c7i\.48xlarge, taken away from a job of at most \d+ minutes, at most \d+\.\d+ USD", said)
