"""`hpc rehearse`: what is asked for, whether it can be done here, and doing it."""

import os
import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue

from hpc_components.rehearse.cluster.adapt import Times
from hpc_components.rehearse.cluster.setup import prepare
from hpc_components.rehearse.hosts.host import entered
from hpc_components.rehearse.hosts.sandbox import Supervised
from hpc_components.rehearse.result import Event, Fault, Rehearsal
from hpc_components.rehearse.run.job import choose_queue, own_job, reference_job
from hpc_components.rehearse.run.rehearsal import Open, Play, play
from hpc_components.rehearse.run.requirements import missing, obstacles
from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.files import read_regular

__all__ = ["ImpossibleError", "Visit", "perform", "plan"]

PATIENCE = 180.0
"""Seconds to wait for a job that is scaled to this machine, restarts included."""

FULL_PATIENCE = 900.0
"""Seconds to wait for all ranks of a published job."""

IMPATIENCE = 12
"""Seconds to wait for a machine that never boots."""

OWN_PATIENCE = 24 * 3600.0
"""Seconds to wait for a job of the user's own."""


class ImpossibleError(Exception):
    """This can't be rehearsed here. The message says everything that stands in the way, and the way out."""

    def __init__(self, reasons: tuple[str, ...]) -> None:
        self.reasons = reasons
        super().__init__("this can't be rehearsed here:\n" + "\n".join(f"  - {reason}" for reason in reasons))


@dataclass(frozen=True, kw_only=True)
class Visit:
    """Users can log in now."""

    host: str
    """Where."""
    user: str
    """Who they are."""
    command: tuple[str, ...]
    """What opens a shell there, on this machine, as root."""


def plan(
    cluster: ClusterSpec,
    *,
    job: Path | None = None,
    nodes: int | None = None,
    full: bool = False,
    fault: Fault | None = None,
    shell: bool = False,
    keep: bool = False,
    root: Path = Path("/"),
) -> Play:
    """What will be rehearsed. ImpossibleError or UnreadableError if it can't be, before anything starts.

    `job` is a script of the user's own, else it is the cluster's reference job, scaled to this machine unless `full`;
    `root` a root file system with Slurm in it, whose release is then rehearsed.
    """
    if lacks := missing(root=root, accounting=cluster.slurm.accounting is not None):
        raise ImpossibleError(tuple(map(str, lacks)))
    times = Times(boot=IMPATIENCE) if fault is Fault.BOOT else Times()
    setup = prepare(cluster, root=root, times=times)
    if job:
        wanted = own_job(setup, job.name, read_regular(job).decode(), nodes=nodes)
    else:
        steps = fault in (Fault.SPOT, Fault.DEAD_NODE)
        queue = choose_queue(cluster, fault)
        wanted = reference_job(setup, queue, nodes=nodes, cores=os.cpu_count() or 1, full=full, steps=steps)
    if reasons := obstacles(setup, wanted):
        raise ImpossibleError(reasons)
    patience = OWN_PATIENCE if job else FULL_PATIENCE if full else PATIENCE
    return Play(setup=setup, job=wanted, fault=fault, here=_here(root), patience=patience, shell=shell, keep=keep)


def perform(
    what: Play, tell: Callable[[Event], None], visit: Callable[[Visit], None] = lambda visit: None
) -> Rehearsal:
    """Rehearse, and tell each event as it happens. However it ends, nothing is left behind.

    With `shell` and `keep`, `visit` is called when users can log in (with `keep`: after the job), and the rehearsal
    goes on until it returns. A KeyboardInterrupt in `visit` ends it in good order; elsewhere it stops at once.
    """
    with ThreadPoolExecutor(1) as reader, Supervised(play, what) as inside:
        user = what.job.user
        opened: SimpleQueue[Open | None] = SimpleQueue()

        def heed(message: object) -> None:
            if isinstance(message, Event):
                tell(message)
            if isinstance(message, Open):
                opened.put(message)

        result = reader.submit(inside.result, heed)  # in a thread: it goes on while somebody is at a shell
        result.add_done_callback(lambda _: opened.put(None))
        if door := opened.get():
            with suppress(KeyboardInterrupt):
                visit(Visit(host=door.host, user=user, command=_shell(inside.first, door.pid, user)))
            inside.say("end")
        return result.result()


def _shell(first: int, host: int, user: str) -> tuple[str, ...]:
    """From this machine into the rehearsal, and from there into the host, a login shell of the user's."""
    rehearsal = ("nsenter", "-t", str(first), "-m", "-n", "-p")
    terminal = f"TERM={os.environ.get('TERM', 'dumb')}"
    login = ("script", "--quiet", "--return", "--command", f"runuser -l {user}", "/dev/null")  # a terminal of its own
    return (*rehearsal, *entered(host), terminal, *login)


def _here(root: Path) -> str:
    """This machine: `Debian GNU/Linux 12, 2 cores, 23 GiB`."""
    told = re.search(r'^PRETTY_NAME="?([^"\n(]*)', (root / "etc/os-release").read_text(), re.M)
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return f"{told[1].strip() if told else 'Linux'}, {os.cpu_count()} cores, {memory:.0f} GiB"
