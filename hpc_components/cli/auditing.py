"""`hpc audit`: who logged in, who became root and who changed the cluster."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import click

from hpc_components.cli.command import Command, complete_stack
from hpc_components.cli.output import show_json, show_report
from hpc_components.cli.reaching import reach_of, reach_options, require_programs

KINDS = ("login", "logout", "refused", "root", "slurm", "files", "pulumi", "cloud")


class _Since(click.ParamType[datetime]):
    """A duration before now, such as `7d`, or a day or time in UTC."""

    name = "time"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> datetime:
        from hpc_components.spec.values import Duration

        if isinstance(value, datetime):
            return value
        try:
            return datetime.now(UTC) - timedelta(seconds=Duration.parse(value).seconds)
        except ValueError:
            pass
        try:
            return datetime.fromisoformat(value).replace(tzinfo=UTC)
        except ValueError:
            self.fail(
                f"{value!r} is neither a duration nor a time; use 7d, 2026-11-01 or 2026-11-01T12:00", param, ctx
            )


@click.command(cls=Command)
@click.argument("stack", shell_complete=complete_stack)
@click.option(
    "--since",
    type=_Since(),
    default="7d",
    metavar="TIME",
    help="A duration before now, or a time in UTC.",
    show_default=True,
)
@click.option("--who", multiple=True, metavar="NAME", help="Only records of this user. May be repeated.")
@click.option("--kind", "kinds", multiple=True, type=click.Choice(KINDS), help="Only such records. May be repeated.")
@reach_options
@click.option("--format", "format_", type=click.Choice(["text", "json"]), default="text", show_default=True)
def audit(
    stack: str,
    since: datetime,
    who: tuple[str, ...],
    kinds: tuple[str, ...],
    format_: str,
    outputs: Path | None,
    **way: Any,
) -> None:
    """Show who logged in, who became root and who changed the cluster, sorted by time.

    Needs `audit` in the description, and an account that may use sudo. Reads the head node and one login node; the
    cloud's log service has the records of all nodes. Updates of the stack come from `pulumi stack history`, unless
    --outputs is given. Changes of its resources, by Pulumi and past it, come from CloudTrail, the activity log or the
    Admin Activity audit logs, by the cloud's own command line on this machine. Only the sources of the chosen kinds
    are asked. Exit code 0: done; 1: a source could not be read; 2: the cluster can't be reached.

    \b
    Examples:
      hpc audit aws-cfd
      hpc audit aws-cfd --since 2026-11-01 --who alice
      hpc audit aws-cfd --kind root --kind slurm --format json
      hpc audit aws-cfd --kind cloud --since 30d
    """
    from hpc_components.operate.audit import ask_audit, asks_nodes, chosen
    from hpc_components.operate.stack_outputs import ids_of_outputs, ids_of_stack, outputs_of_file, updates_of_stack

    reach = reach_of(stack, outputs=outputs, **way)
    if asks_nodes(kinds):
        require_programs(reach, "head")
    asked = ask_audit(
        reach,
        since,
        kinds,
        updates=lambda: [] if outputs else updates_of_stack(stack),
        ids=lambda: ids_of_outputs(outputs_of_file(outputs)) if outputs else ids_of_stack(stack),
    )
    document = chosen(asked, who, kinds)
    if format_ == "json":
        show_json(document)
    else:
        from hpc_components.operate.audit_text import audit_text

        show_report(audit_text(document))
    if document["unread"]:
        raise click.exceptions.Exit(1)
