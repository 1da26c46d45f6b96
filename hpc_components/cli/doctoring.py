"""`hpc doctor`: what is wrong with a running cluster, why, and what to type."""

from typing import Any

import click

from hpc_components.cli.command import Command, complete_stack
from hpc_components.cli.output import say_progress, show_json, show_report
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
    examination = examine(reach, node, say_progress)
    options = [word for name, value in way.items() if value for word in (f"--{name}", str(value))]
    document = doctor_document(
        reach.cluster, None if node == "head" else node, examination, Target(stack=stack, options=options)
    )
    if format_ == "json":
        show_json(document)
    else:
        from hpc_components.operate.doctor.text import doctor_text

        show_report(doctor_text(document))
    if not examination.is_well:
        raise click.exceptions.Exit(1)
