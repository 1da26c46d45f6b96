import shlex
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import click

from hpc_components.cli.command import INTERRUPTED, Command, Refused, complete_stack, show, stack_file
from hpc_components.cli.judging import fail_for_errors
from hpc_components.cli.output import check_writable, say, write_text

if TYPE_CHECKING:
    from hpc_components.rehearse.events import Fault
    from hpc_components.rehearse.result import Rehearsal
    from hpc_components.rehearse.run.job import Job
    from hpc_components.rehearse.run.rehearsal import RehearsalPlan
    from hpc_components.rehearse.run.runner import LoginShell
    from hpc_components.rehearse.show.live import EventLines, LiveScreen
    from hpc_components.spec.cluster import ClusterSpec

FAULTS = ("capacity", "spot", "dead-node", "dead-daemon", "boot")
"""The values of `rehearse.events.Fault`, repeated here so that `--help` doesn't have to import that module."""


@click.command(cls=Command)
@click.argument("stack", metavar="STACK", shell_complete=complete_stack)
@click.option("--job", type=click.Path(path_type=Path), metavar="FILE", help="Run this job script, unmodified.")
@click.option(
    "--nodes",
    type=click.IntRange(min=1),
    metavar="N",
    help="Number of nodes for the job. [default: 4, or the number in the job script]",
)
@click.option("--full", is_flag=True, help="Run the reference job with all its ranks, which takes a while.")
@click.option("--fault", type=click.Choice(FAULTS), help="Inject this fault, and check the consequences.")
@click.option("--shell", is_flag=True, help="Open a shell on the login node instead of submitting a job.")
@click.option("--keep", is_flag=True, help="Keep the cluster running after the job until you press Ctrl-C.")
@click.option(
    "--format",
    "format_",
    type=click.Choice(["text", "json", "html"]),
    default="text",
    show_default=True,
    help="Format of the report.",
)
@click.option("--out", type=click.Path(path_type=Path), metavar="FILE", help="Write the report to this file.")
@click.pass_context
def rehearse(
    ctx: click.Context,
    stack: str,
    job: Path | None,
    nodes: int | None,
    full: bool,
    fault: str | None,
    shell: bool,
    keep: bool,
    format_: str,
    out: Path | None,
) -> None:
    """Run STACK's cluster on this machine, with real Slurm, elastic nodes and a job.

    STACK is a stack of this project or a stack file. A rehearsal needs Linux, root and Debian's Slurm packages. If
    packages are missing, a message shows how to install them. Nothing is left behind. Exit code 0: all checks
    passed; 1: a check or the job failed, or the description has errors; 2: the rehearsal can't run here; 130: Ctrl-C.

    \b
    Examples:
      hpc rehearse aws-cfd                             the cluster's reference job
      hpc rehearse aws-cfd --job solver.sh --nodes 2
      hpc rehearse aws-cfd --fault spot
      hpc rehearse aws-cfd --shell                     sbatch, squeue, sinfo: as on the real cluster
      hpc rehearse aws-cfd --format html --out cfd.html
    """
    _refuse_contradictions(job=job, full=full, fault=fault, shell=shell, keep=keep)
    check_writable(out)
    cluster = _cluster(ctx, stack)
    from hpc_components.rehearse.events import Fault

    injected = Fault(fault) if fault else None
    _check_nodes(cluster, job, nodes, injected)
    from hpc_components.rehearse.run.runner import ImpossibleError, plan_rehearsal

    try:
        plan = plan_rehearsal(cluster, job=job, nodes=nodes, full=full, fault=injected, shell=shell, keep=keep)
        rehearsal = _run(plan, stack)
    except ImpossibleError as error:
        raise Refused("can't run this rehearsal here: " + "\n  and: ".join(error.reasons)) from None
    except KeyboardInterrupt:
        click.echo("interrupted; nothing is left behind", err=True)
        ctx.exit(INTERRUPTED)
    _write(rehearsal, format_, out)
    ctx.exit(0 if rehearsal.passed else 1)


def _refuse_contradictions(*, job: Path | None, full: bool, fault: str | None, shell: bool, keep: bool) -> None:
    if job and full:
        raise Refused(
            "--full applies only to the reference job, and your own job always runs unmodified; leave out --full"
        )
    if shell and fault:
        raise Refused(
            "--fault needs a job to disturb, but --shell doesn't submit one; leave out one of the two options"
        )
    if shell and keep:
        raise Refused("--shell keeps the cluster until you exit the shell; leave out --keep")
    if shell and not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise Refused("--shell needs a terminal; leave out --shell, or provide the commands as a script with --job")


def _cluster(ctx: click.Context, stack: str) -> "ClusterSpec":
    from hpc_components.spec.validate import judge

    file = stack_file(stack)
    judgement = judge(file.cluster)
    if judgement.errors or judgement.cluster is None:
        fail_for_errors(ctx, file.document.file, judgement, "can't rehearse this cluster: fix the errors first")
    return judgement.cluster


def _check_nodes(cluster: "ClusterSpec", job: Path | None, nodes: int | None, fault: "Fault | None") -> None:
    from hpc_components.rehearse.run.job import choose_queue
    from hpc_components.rehearse.run.job_script import asked_partitions

    if job is None:
        wanted = [choose_queue(cluster, fault).name]
    else:
        wanted = [name or cluster.queues[0].name for name in asked_partitions(_read_job(job))]
    largest = {queue.name: queue.max for queue in cluster.queues}
    for name in wanted:
        if name not in largest:
            raise Refused(
                f"{job} asks for partition {name!r}, but cluster {cluster.name} has only {', '.join(largest)}"
            )
    if nodes and nodes > max(largest[name] for name in wanted):
        name = max(wanted, key=lambda name: largest[name])
        raise Refused(
            f"queue {name} has at most {largest[name]} nodes, fewer than the {nodes} requested; lower --nodes"
        )


def _read_job(job: Path) -> str:
    from hpc_components.user_files import read_regular

    try:
        text = read_regular(job).decode("utf-8")
    except OSError as error:
        raise Refused(f"can't read {job}: {error.strerror}; --job takes a job script") from None
    except UnicodeDecodeError:
        raise Refused(f"{job} is not a text file; --job takes a job script, which can run your program") from None
    if not text.startswith("#!"):
        raise Refused(f"{job} does not begin with #!, so Slurm rejects it; add #!/bin/bash as the first line")
    if "\r\n" in text:
        raise Refused(f"{job} has Windows line endings, so Slurm rejects it; save the file with Unix line endings")
    return text


def _run(plan: "RehearsalPlan", stack: str) -> "Rehearsal":
    from hpc_components.rehearse.hosts.sandbox import SandboxEndedError
    from hpc_components.rehearse.run.runner import run_rehearsal
    from hpc_components.rehearse.show.live import live_view

    try:
        with live_view(f"Rehearsal of {stack}") as view:

            def on_login(shell: "LoginShell") -> None:
                _open_shell(shell, view, plan.job) if plan.shell else _wait(shell, view)

            return run_rehearsal(plan, view.show, on_login)
    except SandboxEndedError as error:
        raise Refused(f"{error}; if memory ran out, ask for fewer nodes with --nodes") from None


def _open_shell(shell: "LoginShell", view: "EventLines | LiveScreen", job: "Job") -> None:
    """Run a shell on the terminal. Meanwhile, Ctrl-C affects only the processes in the shell."""
    # use a handler that does nothing, because the shell would inherit SIG_IGN
    before = signal.signal(signal.SIGINT, lambda number, frame: None)
    try:
        with view.suspended():
            click.echo(f"You are {shell.user} on {shell.host}; `exit` ends the rehearsal. To submit a job:", err=True)
            click.echo(f"  cd {job.directory} && {shlex.join(job.command)}\n", err=True)
            subprocess.run(shell.command, check=False)
    finally:
        signal.signal(signal.SIGINT, before)


def _wait(shell: "LoginShell", view: "EventLines | LiveScreen") -> None:
    view.print(
        f"The cluster runs until you press Ctrl-C. To open a shell on {shell.host}, run this as root in another "
        "terminal:"
    )
    view.print(f"  {shlex.join(shell.command)}")
    threading.Event().wait()


def _write(rehearsal: "Rehearsal", format_: str, out: Path | None) -> None:
    if format_ == "text" and out is None and sys.stdout.isatty():
        from hpc_components.rehearse.show.text import print_rehearsal

        print_rehearsal(rehearsal)
        return
    text = _rendered(rehearsal, format_)
    if out is None:
        show(text, nl=False)
        return
    from hpc_components.rehearse.show.wording import verdict

    write_text(out, text)
    say(f"{verdict(rehearsal.checks)}\nwrote {out}")


def _rendered(rehearsal: "Rehearsal", format_: str) -> str:
    if format_ == "json":
        from hpc_components.rehearse.show.json import to_json

        return to_json(rehearsal)
    if format_ == "html":
        from hpc_components.rehearse.show.html import render_html

        return render_html(rehearsal)
    from hpc_components.rehearse.show.text import render_text

    return render_text(rehearsal)
