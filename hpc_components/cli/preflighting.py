import sys
from typing import TYPE_CHECKING, Any

import click

from hpc_components.cli.command import Command, Refused, complete_stack, show
from hpc_components.cli.output import say, say_progress
from hpc_components.cli.planning import fail_without_plan, planned_file
from hpc_components.cli.terminal import in_colour, terminal_width
from hpc_components.cloud import CLOUDS, cloud_named

if TYPE_CHECKING:
    from hpc_components.preflight.account import AccountPart
    from hpc_components.preflight.asked import Asked
    from hpc_components.preflight.run import Preflight
    from hpc_components.preview.plan import Plan
    from hpc_components.preview.stack import PlannedStack
    from hpc_components.spec.project import StackFile


@click.command(cls=Command)
@click.argument("stack", metavar="STACK|CLOUD", shell_complete=complete_stack)
@click.option("--format", "format_", type=click.Choice(["text", "json", "github"]), default="text", show_default=True)
@click.option("--keep", is_flag=True, help="Write the zones of each machine type to hpc-facts/CLOUD.json.")
@click.option("--permissions", is_flag=True, help="Print a policy with the permissions that preflight needs.")
@click.pass_context
def preflight(ctx: click.Context, stack: str, format_: Any, keep: bool, permissions: bool) -> None:
    """Ask the cloud whether STACK can be created, with your own credentials, without changing anything.

    Asks for machine types, quotas, images, keys, buckets, existing networks and file systems, reservations, names and
    your permissions. Each answer that doesn't suit the description is a finding at its key. Checks that a permission
    or the network prevents are listed as left out. Exit code 0: no errors; 1: errors; 2: nothing can be asked, or a
    file can't be read or written.

    With --keep, the zones in which the account may have each machine type are written to hpc-facts/CLOUD.json beside
    Pulumi.yaml. Commit that file: all commands and programs of the project then use these answers instead of the
    catalogue, for 90 days.

    \b
    Examples:
      hpc preflight aws-cfd
      hpc preflight aws-cfd --format json
      hpc preflight aws-cfd --keep
      hpc preflight aws --permissions > preflight-policy.json
    """
    from hpc_components.catalog.account_facts import without_own_facts

    if permissions and stack in CLOUDS:
        show(_part(stack).policy())
        return
    with without_own_facts():  # an earlier answer must not prevent asking again
        file, planned = planned_file(stack)
    cloud = planned.judgement.cluster.cloud if planned.judgement.cluster else None
    if permissions and cloud:
        show(_part(cloud).policy())
        return
    if planned.plan is None:
        fail_without_plan(ctx, planned)
    if planned.judgement.cluster is None:
        raise Refused(f"{planned.file} describes no cluster, so nothing is known to ask about")
    done = _ask(_asked(file, planned, planned.plan), planned.file, format_)
    if keep:
        _keep(file, planned.judgement.cluster.cloud, done)
    ctx.exit(1 if done.errors else 0 if done.answered else 2)


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


def _ask(asked: "Asked", file: str, format_: Any) -> "Preflight":
    from hpc_components.preflight.report import report
    from hpc_components.preflight.run import run

    part = _part(asked.cluster.cloud)
    account = part.connect(asked)
    say_progress(f"asking {account.who} ...")
    done = run(asked, account, part, lambda check: say_progress(f"asked about {check}"))
    colour, width = in_colour(sys.stdout), terminal_width(sys.stdout)
    show(report(file, asked.cluster, done, format_, colour=colour, width=width))
    return done


def _keep(file: "StackFile", cloud: str, done: "Preflight") -> None:
    from hpc_components.catalog.account_facts import fact_file, keep_facts
    from hpc_components.spec.project import displayed, project_of
    from hpc_components.wording import plural

    if not done.facts:
        say("nothing is kept: the check of machine types was left out")
        return
    kept = fact_file(project_of(file.path).root, cloud)
    changed = keep_facts(kept, done.facts)
    say(f"{displayed(kept)}: {plural(len(done.facts), 'fact')}, {changed} of them new or changed; commit this file")
