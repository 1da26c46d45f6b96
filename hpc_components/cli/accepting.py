"""`hpc accept`: the acceptance test of a running cluster, or of a rehearsal of it."""

import math
import sys
from collections.abc import Sequence
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hpc_components.cli.command import INTERRUPTED, Command, Refused, complete_stack, stack_file
from hpc_components.cli.judging import fail_for_errors
from hpc_components.cli.output import check_writable, say, show_report, write_report
from hpc_components.cli.reaching import reach_of, reach_options, require_programs

if TYPE_CHECKING:
    from hpc_components.accept.plan import Plan
    from hpc_components.accept.result import Acceptance, QueueJob
    from hpc_components.spec.cluster import ClusterSpec

CHECKS = (
    "login", "home", "shared-files", "job", "ranks", "names", "start-time", "accounting", "fabric", "mpi", "gpus",
    "nccl", "throughput", "local-scratch", "buckets", "boot-steps", "spot",
)  # fmt: skip
"""The values of `accept.result.Code`, repeated here so that `--help` doesn't have to import that module."""

DEFAULT_MAX_COST = "50"
"""USD. Two nodes of the most expensive CPU machines for an hour cost less; GPU nodes need a decision."""


class _Usd(click.ParamType):
    name = "USD"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Decimal:
        try:
            amount = Decimal(str(value))
        except InvalidOperation:
            amount = Decimal(-1)
        if not amount.is_finite() or amount < 0:
            self.fail(f"{value!r} is not an amount like 50 or 12.50", param, ctx)
        return amount


@click.command(cls=Command)
@click.argument("stack", shell_complete=complete_stack)
@click.option("--rehearsal", is_flag=True, help="Test a rehearsal on this machine instead of the running cluster.")
@click.option("--queue", "queues", multiple=True, metavar="QUEUE", help="Test only this queue. May be repeated.")
@click.option(
    "--nodes", type=click.IntRange(min=1), metavar="N", help="Nodes of each job. [default: 2, or all of a queue]"
)
@click.option(
    "--max-cost", type=_Usd(), default=DEFAULT_MAX_COST, show_default=True, help="Refuse a test that may cost more."
)
@click.option("--skip", multiple=True, type=click.Choice(CHECKS), help="Leave out this check. May be repeated.")
@click.option("--spot", is_flag=True, help="Also have the cloud take a spot machine away, under a job of the test.")
@click.option("--yes", is_flag=True, help="Start without asking.")
@click.option(
    "--format", "format_", type=click.Choice(["text", "json", "html"]), default="text", show_default=True,
    help="Format of the report.",
)  # fmt: skip
@click.option("--out", type=click.Path(path_type=Path), metavar="FILE", help="Write the report to this file.")
@click.option(
    "--sign",
    "key",
    type=click.Path(path_type=Path),
    metavar="KEY",
    help="Sign the file of --out with this ssh key, into FILE.sig.",
)
@reach_options
@click.pass_context
def accept(
    ctx: click.Context,
    stack: str,
    rehearsal: bool,
    queues: Sequence[str],
    nodes: int | None,
    max_cost: Decimal,
    skip: Sequence[str],
    spot: bool,
    yes: bool,
    format_: str,
    out: Path | None,
    key: Path | None,
    **way: Any,
) -> None:
    """Prove a running cluster: log in, run a job on every queue, measure, and write a report.

    It runs as a person of the cluster (--user), starts one short job for each queue, and removes its jobs and files.
    It prints what the nodes may cost at most, and asks before it starts. Exit code 0: accepted; 1: a check failed, or
    the description has errors; 2: the test can't run, or was declined; 130: Ctrl-C.

    \b
    Examples:
      hpc accept aws-cfd --user alice
      hpc accept aws-cfd --user alice --queue compute-queue --nodes 4
      hpc accept aws-cfd --user alice --queue spot --spot
      hpc accept aws-cfd --user alice --max-cost 200 --yes --format html --out cfd.html
      hpc accept aws-cfd --user alice --format json --out cfd.json --sign ~/.ssh/id_ed25519
      hpc accept --rehearsal aws-cfd          the same test on this machine, without a cloud
    """
    if key and not out:
        raise Refused("--sign signs the file of --out; add --out FILE")
    if key and not key.is_file():
        raise Refused(
            f"--sign {key}: the file does not exist; give the path of a private ssh key, or of its .pub file"
        )
    check_writable(out)
    cluster, name = _described(ctx, stack)
    from hpc_components.accept.result import Code

    wanted: dict[str, Any] = {"queues": queues, "nodes": nodes, "skip": [Code(name) for name in skip], "spot": spot}
    try:
        if rehearsal:
            acceptance = _rehearsed(cluster, wanted)
        else:
            acceptance = _real(cluster, name, wanted, way, max_cost, yes=yes)
    except KeyboardInterrupt:
        say("interrupted; jobs and files of the test are removed")
        ctx.exit(INTERRUPTED)
    _write(acceptance, format_, out, key)
    ctx.exit(0 if acceptance.passed else 1)


def _described(ctx: click.Context, stack: str) -> "tuple[ClusterSpec, str]":
    """Return the cluster, and the name of its stack."""
    from hpc_components.spec.validate import judge

    file = stack_file(stack)
    judgement = judge(file.cluster)
    if judgement.errors or judgement.cluster is None:
        fail_for_errors(ctx, file.document.file, judgement, "can't test this cluster: fix the errors first")
    return judgement.cluster, file.stack


def _rehearsed(cluster: "ClusterSpec", wanted: dict[str, Any]) -> "Acceptance":
    from hpc_components.accept.rehearsed import accept_rehearsal, prepare_rehearsal
    from hpc_components.rehearse.hosts.sandbox import SandboxEndedError
    from hpc_components.rehearse.run.runner import ImpossibleError

    try:
        setup, plan = prepare_rehearsal(cluster, **wanted)
        return accept_rehearsal(setup, plan, say)
    except ImpossibleError as error:
        raise Refused("can't run this rehearsal here: " + "\n  and: ".join(error.reasons)) from None
    except SandboxEndedError as error:
        raise Refused(f"{error}; if memory ran out, test fewer queues with --queue") from None


def _real(
    cluster: "ClusterSpec", stack: str, wanted: dict[str, Any], way: dict[str, Any], max_cost: Decimal, *, yes: bool
) -> "Acceptance":
    from hpc_components.accept.over_ssh import SshCluster
    from hpc_components.accept.plan import plan_acceptance
    from hpc_components.accept.run import accept as run_acceptance

    plan = plan_acceptance(cluster, **wanted)
    _agree(plan, max_cost, yes=yes)
    reach = reach_of(stack, **way)
    if reach.cluster != cluster.name:
        raise Refused(f"the stack's outputs are of cluster {reach.cluster}, but {stack} describes {cluster.name}")
    reached = SshCluster(reach, cluster)
    for place in reached.places:
        require_programs(reach, place)
    return run_acceptance(plan, reached, say)


def _show(job: "QueueJob", what: str) -> None:
    cost = "at an unknown price" if job.usd is None else f"at most {job.usd:,.2f} USD"
    say(f"queue {job.queue}: {job.nodes} × {job.machine}, {what} of at most {job.minutes} minutes, {cost}")


def _agree(plan: "Plan", max_cost: Decimal, *, yes: bool) -> None:
    """Show what the test may cost, and ask. Raise `Refused` if that is too much, or the user declines."""
    for job in plan.jobs:
        _show(job, "a job")
    for job in plan.spot_jobs:
        _show(job, "taken away from a job")
    total = f"at most {plan.usd:,.2f} USD" + (" and what has no known price" if plan.unpriced else "")
    say(f"in all {total}, from the launch of nodes until they are idle and end")
    if plan.usd > max_cost:
        raise Refused(
            f"the test may cost {plan.usd:,.2f} USD, more than --max-cost {max_cost:,.2f}; allow it with --max-cost"
            f" {math.ceil(plan.usd)}, or test less with --queue, --nodes or --skip"
        )
    if yes:
        return
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise Refused("the test costs money, and it can't ask for consent without a terminal; add --yes")
    if not click.confirm("Start?", err=True):
        raise Refused("not started")


def _write(acceptance: "Acceptance", format_: str, out: Path | None, key: Path | None) -> None:
    from hpc_components.accept.show.document import sign, to_json

    if format_ == "json":
        write_report(out, lambda width: to_json(acceptance), None)
    elif format_ == "html":
        from hpc_components.accept.show.page import acceptance_page

        write_report(out, lambda width: acceptance_page(acceptance), None)
    else:
        from hpc_components.accept.show.text import acceptance_text

        show_report(acceptance_text(acceptance), out)
    if out:
        from hpc_components.accept.show.tables import verdict

        say(verdict(acceptance))
        if key:
            say(f"wrote {sign(out, key)}")
