"""`hpc stop` and `hpc start`: whether new jobs start on a running cluster's queues."""

from typing import TYPE_CHECKING, Any

import click

from hpc_components.cli.command import Command, complete_stack, show
from hpc_components.cli.reaching import reach_of, reach_options, require_programs

if TYPE_CHECKING:
    from hpc_components.operate.queue_state import State


@click.command(cls=Command)
@click.argument("stack", shell_complete=complete_stack)
@click.argument("queues", nargs=-1, metavar="[QUEUE]...")
@reach_options
def stop(stack: str, queues: tuple[str, ...], **way: Any) -> None:
    """Let no new job start on QUEUE, or on any queue.

    Jobs that run go on, and jobs can be submitted and wait. Nodes end when they have been idle for as long as usual,
    except those of a queue's `min`. It needs an account that may use sudo. Exit code 0: done; 2: a queue does not
    exist, or the cluster can't be reached.

    \b
    Examples:
      hpc stop aws-cfd gpu
      hpc stop aws-cfd
    """
    _set(stack, queues, "DOWN", way)


@click.command(cls=Command)
@click.argument("stack", shell_complete=complete_stack)
@click.argument("queues", nargs=-1, metavar="[QUEUE]...")
@reach_options
def start(stack: str, queues: tuple[str, ...], **way: Any) -> None:
    """Let jobs start on QUEUE, or on all queues, again.

    Exit codes are those of `hpc stop`.

    \b
    Examples:
      hpc start aws-cfd gpu
    """
    _set(stack, queues, "UP", way)


def _set(stack: str, queues: tuple[str, ...], state: "State", way: dict[str, Any]) -> None:
    from hpc_components.operate.queue_state import set_queues

    reach = reach_of(stack, **way)
    require_programs(reach, "head")
    for queue in set_queues(reach, queues, state):
        show(f"{queue}: {'no new job starts' if state == 'DOWN' else 'jobs start'}")
