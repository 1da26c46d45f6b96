"""`hpc status`, `hpc nodes` and `hpc logs`: what happens on a cluster, by one call that only reads."""

import sys
from pathlib import Path
from typing import Any

import click

from hpc_components.cli.command import Command, Refused, complete_stack, show
from hpc_components.cli.output import make_folder, say, show_json, show_report
from hpc_components.cli.reaching import reach_of, reach_options, require_programs

_format = click.option("--format", "format_", type=click.Choice(["text", "json"]), default="text", show_default=True)


@click.command(cls=Command)
@click.argument("stack", shell_complete=complete_stack)
@reach_options
@_format
def status(stack: str, format_: str, **way: Any) -> None:
    """Show whether a cluster serves its jobs: queues, waiting jobs with Slurm's reasons, failed launches, costs.

    Launches and costs need an account that may use sudo. Exit code 0: all is well; 1: Slurm or the daemon that
    launches nodes does not work, or launches are stopped; 2: the cluster can't be reached.

    \b
    Examples:
      hpc status aws-cfd
      hpc status aws-cfd --format json
    """
    from hpc_components.operate.status import ask_status

    reach = reach_of(stack, **way)
    require_programs(reach, "head")
    document = ask_status(reach)
    if format_ == "json":
        show_json(document)
    else:
        from hpc_components.operate.status_text import status_text

        show_report(status_text(document))
    if document["problems"]:
        raise click.exceptions.Exit(1)


@click.command(cls=Command)
@click.argument("stack", shell_complete=complete_stack)
@click.option("--all", "all_nodes", is_flag=True, help="Also list nodes that are off.")
@reach_options
@_format
def nodes(stack: str, all_nodes: bool, format_: str, **way: Any) -> None:
    """List a cluster's nodes with their states, jobs and reasons.

    Nodes that are off have no machine and cost nothing; they are only counted. JSON has all nodes. Exit code 0: done;
    1: Slurm does not answer; 2: the cluster can't be reached.

    \b
    Examples:
      hpc nodes aws-cfd
      hpc nodes aws-cfd --all
    """
    from hpc_components.operate.status import ask_nodes

    reach = reach_of(stack, **way)
    require_programs(reach, "head")
    document = ask_nodes(reach)
    if format_ == "json":
        show_json(document)
    else:
        from hpc_components.operate.status_text import nodes_text

        show_report(nodes_text(document, all_nodes=all_nodes))
    if document["problems"]:
        raise click.exceptions.Exit(1)


@click.command(cls=Command)
@click.argument("stack", shell_complete=complete_stack)
@click.argument("node", default="head")
@click.option(
    "--lines", type=click.IntRange(0, 100_000), default=50, show_default=True, help="Last lines of each log."
)
@click.option("--follow", "-f", is_flag=True, help="Go on with new lines until Ctrl-C.")
@click.option(
    "--export",
    "folder",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Write all of the node's logs into the folder DIR, without secrets. DIR must be new or empty.",
)
@reach_options
def logs(stack: str, node: str, lines: int, follow: bool, folder: Path | None, **way: Any) -> None:
    """Show the logs of the head node, or of NODE: first boot, Slurm's daemons, and the services of hpc.

    It needs an account that may use sudo on the node. Exit code 0: done; 1: with --follow, the connection was lost or
    the node went; 2: the node can't be reached; 130: Ctrl-C.

    \b
    Examples:
      hpc logs aws-cfd --follow
      hpc logs aws-cfd gpu-7 --lines 200
      hpc logs aws-cfd gpu-7 --export gpu-7-logs
    """
    from hpc_components.operate.logs import export_logs, show_logs, why_ended
    from hpc_components.operate.run_on_node import LOST, unreachable

    if folder and follow:
        raise Refused("use either --follow or --export")
    if folder:
        _check_empty(folder)
    reach = reach_of(stack, **way)
    require_programs(reach, node)
    if folder:
        make_folder(folder)
        try:
            files = export_logs(reach, node, folder)
        except OSError as error:
            raise Refused(f"can't write to {folder}: {error.strerror}") from None
        for file in files:
            say(f"wrote {file}")
        return
    seen = _Lines()
    code = show_logs(reach, node, lines, seen.write, follow=follow)
    if follow and seen.any:
        raise _Ended(why_ended(reach, node))
    if code == LOST:
        raise unreachable(reach, node)
    if not seen.any:
        raise Refused(f"{node} shows no logs: the account needs sudo there (see above)")


class _Ended(Refused):
    """The end of a log that was followed."""

    exit_code = 1


class _Lines:
    """Writes lines to standard output at once, and knows whether there were any."""

    any = False

    def write(self, line: str) -> None:
        self.any = True
        show(line)
        sys.stdout.flush()


def _check_empty(folder: Path) -> None:
    if folder.is_dir() and any(folder.iterdir()):
        raise Refused(f"{folder} is not empty; choose a new folder with --export")
