import sys
from typing import TYPE_CHECKING, Any

import click

from hpc_components.cli.command import Command, Refused, complete_stack, show
from hpc_components.cli.output import say_progress
from hpc_components.cli.planning import fail_without_plan, planned_file
from hpc_components.cli.terminal import in_colour, terminal_width
from hpc_components.cloud import CLOUDS, cloud_named

if TYPE_CHECKING:
    from hpc_components.preflight.account import AccountPart
    from hpc_components.preflight.asked import Asked
    from hpc_components.preview.plan import Plan
    from hpc_components.preview.stack import PlannedStack
    from hpc_components.spec.project import StackFile


@click.command(cls=Command)
@click.argument("stack", metavar="STACK|CLOUD", shell_complete=complete_stack)
@click.option("--format", "format_", type=click.Choice(["text", "json", "github"]), default="text", show_default=True)
@click.option("--permissions", is_flag=True, help="Print a policy with the permissions that preflight needs.")
@click.pass_context
def preflight(ctx: click.Context, stack: str, format_: Any, permissions: bool) -> None:
    """Ask the cloud whether STACK can be created, with your own credentials, without changing anything.

    Asks for machine types, quotas, images, keys, buckets, existing networks and file systems, reservations, names and
    your permissions. Each answer that doesn't suit the description is a finding at its key. Checks that a permission
    or the network prevents are listed as left out. Exit code 0: no errors; 1: errors; 2: nothing can be asked, or a
    file can't be read.

    \b
    Examples:
      hpc preflight aws-cfd
      hpc preflight aws-cfd --format json
      hpc preflight aws --permissions > preflight-policy.json
    """
    if permissions and stack in CLOUDS:
        show(_part(stack).policy())
        return
    file, planned = planned_file(stack)
    cloud = planned.judgement.cluster.cloud if planned.judgement.cluster else None
    if permissions and cloud:
        show(_part(cloud).policy())
        return
    if planned.plan is None:
        fail_without_plan(ctx, planned)
    if planned.judgement.cluster is None:
        raise Refused(f"{planned.file} describes no cluster, so nothing is known to ask about")
    _ask(ctx, _asked(file, planned, planned.plan), planned.file, format_)


def _part(cloud: str) -> "AccountPart":
    part = cloud_named(cloud).parts.preflight
    if part is None:
        raise Refused(f"{cloud_named(cloud).title} can't be asked yet")
    return part


def _asked(file: "StackFile", planned: "PlannedStack", plan: "Plan") -> "Asked":
    from hpc_components.preflight.asked import Asked, Made

    assert planned.judgement.cluster is not None
    made = [Made(type=each.type, name=each.name, inputs=each.inputs) for each in plan.resources if not each.component]
    return Asked(
        cluster=planned.judgement.cluster,
        document=file.cluster,
        config=file.config,
        quotas=plan.quota,
        made=made,
    )


def _ask(ctx: click.Context, asked: "Asked", file: str, format_: Any) -> None:
    from hpc_components.preflight.report import report
    from hpc_components.preflight.run import run

    part = _part(asked.cluster.cloud)
    account = part.connect(asked)
    say_progress(f"asking {account.who} ...")
    done = run(asked, account, part, lambda check: say_progress(f"asked about {check}"))
    colour, width = in_colour(sys.stdout), terminal_width(sys.stdout)
    show(report(file, asked.cluster, done, format_, colour=colour, width=width))
    ctx.exit(1 if done.errors else 0 if done.answered else 2)
