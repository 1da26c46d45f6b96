"""`hpc doctor`: what is wrong with a running cluster, why, and what to type."""

from typing import Any

import click

from hpc_components.cli.command import Command, complete_stack, show
from hpc_components.cli.output import say, write_report
from hpc_components.cli.preflighting import on_terminal
from hpc_components.cli.reaching import reach_of, reach_options


@click.command(cls=Command)
@click.argument("stack", shell_complete=complete_stack)
@click.argument("node", default="head")
@reach_options
@click.option("--format", "format_", type=click.Choice(["text", "json"]), default="text", show_default=True)
def doctor(stack: str, node: str, format_: str, **way: Any) -> None:
    """Say what is wrong with a cluster, or with NODE, why, and what to type.

    It asks the head node about its disks, clock, services, launches, nodes and jobs, and changes nothing. If the head
    node can't be reached, it says where on the way it stops. What could not be asked is listed; logs and launches
    need an account that may use sudo. Exit code 0: all is well; 1: something is wrong; 2: the stack can't be read.

    \b
    Examples:
      hpc doctor aws-cfd
      hpc doctor aws-cfd gpu-7
      hpc doctor aws-cfd --format json
    """
    from hpc_components.operate.doctor.ask import examine
    from hpc_components.operate.doctor.document import Target, doctor_document

    reach = reach_of(stack, **way)
    examination = examine(reach, node, say if on_terminal() else lambda text: None)
    options = [word for name, value in way.items() if value for word in (f"--{name}", str(value))]
    document = doctor_document(
        reach.cluster, None if node == "head" else node, examination, Target(stack=stack, options=options)
    )
    _show(document, format_)
    if not examination.is_well:
        raise click.exceptions.Exit(1)


def _show(document: dict[str, Any], format_: str) -> None:
    if format_ == "json":
        from hpc_components.spec.printable import json_text

        show(json_text(document))
        return
    from hpc_components.operate.doctor.text import doctor_text
    from hpc_components.report.text import plain_text, print_report

    report = doctor_text(document)
    write_report(None, lambda width: plain_text(report, width), lambda: print_report(report))
