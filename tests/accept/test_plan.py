"""What a test plans, and what it may cost."""

import math
import re
from decimal import Decimal

import pytest
from click.testing import CliRunner

from hpc_components.accept.cluster import AcceptanceError
from hpc_components.accept.plan import parts_of, plan_acceptance
from hpc_components.accept.result import Code
from hpc_components.cli import main
from hpc_components.cli.accepting import CHECKS, _agree
from hpc_components.cli.command import Refused
from hpc_components.spec.node_rates import queue_rate
from tests.rehearse.performing import described


def test_every_queue_is_planned_with_two_nodes() -> None:
    plan = plan_acceptance(described("aws-cfd"))
    assert [(job.queue, job.machine, job.nodes) for job in plan.jobs] == [
        ("compute-queue", "hpc6a.48xlarge", 2),
        ("spot", "c7i.48xlarge", 2),
    ]


def test_the_cost_covers_boot_job_and_idle_time() -> None:
    cluster = described("aws-cfd")
    (job,) = plan_acceptance(cluster, queues=["compute-queue"], nodes=4).jobs
    rate = queue_rate(cluster, cluster.queue("compute-queue"))
    assert rate
    hours = (cluster.slurm.boot_time.seconds + 60 * job.minutes + 600) / 3600
    assert job.usd == Decimal(math.ceil(float(rate.usd_per_hour) * 4 * hours * 100)) / 100


def test_an_unknown_price_is_not_counted_as_nothing() -> None:
    plan = plan_acceptance(described("aws-ultracluster"))
    assert plan.unpriced == [job.queue for job in plan.jobs if job.usd is None]


@pytest.mark.parametrize(
    ("wanted", "words"),
    [
        ({"queues": ["compute"]}, "no queue 'compute'; did you mean compute-queue?"),
        ({"queues": ["spot"], "nodes": 9}, "queue spot has at most 8 nodes, fewer than --nodes 9"),
    ],
)
def test_what_the_cluster_lacks_is_refused(wanted: dict, words: str) -> None:
    with pytest.raises(AcceptanceError, match=words.replace("?", r"\?")):
        plan_acceptance(described("aws-cfd"), **wanted)


def test_a_skipped_check_makes_the_job_shorter() -> None:
    whole = plan_acceptance(described("aws-cfd"), queues=["spot"])
    short = plan_acceptance(described("aws-cfd"), queues=["spot"], skip=[Code.THROUGHPUT])
    assert short.jobs[0].minutes < whole.jobs[0].minutes
    assert Code.THROUGHPUT not in {part.code for part in parts_of(short.runs[0], short.skip)}


def test_one_node_has_no_partner_for_mpi() -> None:
    (run,) = plan_acceptance(described("aws-cfd"), queues=["spot"], nodes=1).runs
    assert Code.MPI not in {part.code for part in parts_of(run, ())}


def test_the_remedy_for_a_high_cost_is_enough(capsys: pytest.CaptureFixture[str]) -> None:
    plan = plan_acceptance(described("aws-cfd"))
    with pytest.raises(Refused) as refused:
        _agree(plan, Decimal(1), yes=True)
    found = re.search(r"--max-cost (\d+),", str(refused.value))
    assert found
    _agree(plan, Decimal(found[1]), yes=True)
    assert "in all at most" in capsys.readouterr().err


def test_a_missing_key_is_refused_before_anything_starts() -> None:
    done = CliRunner().invoke(main, ["accept", "aws-cfd", "--out", "report.json", "--sign", "no-such-key"])
    assert done.exit_code == 2
    assert "the file does not exist" in done.output


def test_options_and_codes_are_the_same() -> None:
    assert list(CHECKS) == list(Code)
