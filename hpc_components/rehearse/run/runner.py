import os
import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue

from hpc_components.errors import HpcError
from hpc_components.rehearse.cluster.adapt import Times
from hpc_components.rehearse.cluster.setup import prepare
from hpc_components.rehearse.events import Event, Fault
from hpc_components.rehearse.hosts.host import enter_command
from hpc_components.rehearse.hosts.sandbox import Sandbox
from hpc_components.rehearse.result import Rehearsal
from hpc_components.rehearse.run.job import choose_queue, own_job, reference_job
from hpc_components.rehearse.run.rehearsal import LoginReady, RehearsalPlan, rehearse
from hpc_components.rehearse.run.requirements import missing, obstacles
from hpc_components.spec.cluster import ClusterSpec
from hpc_components.user_files import read_regular

JOB_TIMEOUT_SECONDS = 180.0
"""Maximum seconds to wait for a job that is scaled to this machine, including restarts."""

FULL_JOB_TIMEOUT_SECONDS = 900.0

OWN_JOB_TIMEOUT_SECONDS = 24 * 3600.0

FAILED_BOOT_TIMEOUT_SECONDS = 12
"""Boot timeout in seconds for rehearsing a machine that never boots."""


class ImpossibleError(HpcError):
    """Raised if this machine can't run the rehearsal. The message lists each obstacle with its remedy."""

    def __init__(self, reasons: tuple[str, ...]) -> None:
        self.reasons = reasons
        super().__init__("can't run this rehearsal here:\n" + "\n".join(f"  - {reason}" for reason in reasons))


@dataclass(frozen=True, kw_only=True)
class LoginShell:
    host: str
    user: str
    command: tuple[str, ...]
    """Command that opens a shell on the host. Must be run as root on this machine."""


def plan_rehearsal(
    cluster: ClusterSpec,
    *,
    job: Path | None = None,
    nodes: int | None = None,
    full: bool = False,
    fault: Fault | None = None,
    shell: bool = False,
    keep: bool = False,
    root: Path = Path("/"),
) -> RehearsalPlan:
    """Plan a rehearsal. Raise ImpossibleError or UnreadableError if it can't be run.

    `job` is the user's own script. The default is a reference job, scaled to this machine unless `full` is set.
    `root` is a root file system in which Slurm is installed; the rehearsal uses that Slurm release.
    """
    if lacks := missing(root=root, accounting=cluster.slurm.accounting is not None):
        raise ImpossibleError(tuple(map(str, lacks)))
    times = Times(boot=FAILED_BOOT_TIMEOUT_SECONDS) if fault is Fault.BOOT else Times()
    setup = prepare(cluster, root=root, times=times)
    if job:
        wanted = own_job(setup, job.name, read_regular(job).decode(), nodes=nodes)
    else:
        checkpoints = fault in (Fault.SPOT, Fault.DEAD_NODE)
        queue, cores = choose_queue(cluster, fault), os.cpu_count() or 1
        wanted = reference_job(setup, queue, nodes=nodes, cores=cores, full=full, checkpoints=checkpoints)
    if reasons := obstacles(setup, wanted):
        raise ImpossibleError(reasons)
    return RehearsalPlan(
        setup=setup,
        job=wanted,
        fault=fault,
        here=_describe_machine(root),
        job_timeout=OWN_JOB_TIMEOUT_SECONDS if job else FULL_JOB_TIMEOUT_SECONDS if full else JOB_TIMEOUT_SECONDS,
        shell=shell,
        keep=keep,
    )


def run_rehearsal(
    plan: RehearsalPlan,
    report: Callable[[Event], None],
    on_login: Callable[[LoginShell], None] = lambda shell: None,
) -> Rehearsal:
    """Run a rehearsal, and call `report` with each event as it happens. However the rehearsal ends, nothing is left
    behind.

    With `shell` or `keep`, `on_login` is called as soon as users can log in (with `keep`, after the job), and the
    cluster keeps running until `on_login` returns. A KeyboardInterrupt during `on_login` is treated as a return; at
    any other time, it stops everything immediately.
    """
    with ThreadPoolExecutor(1) as reader, Sandbox(rehearse, plan) as sandbox:
        user = plan.job.user
        login: SimpleQueue[LoginReady | None] = SimpleQueue()

        def take(message: object) -> None:
            if isinstance(message, Event):
                report(message)
            if isinstance(message, LoginReady):
                login.put(message)

        result = reader.submit(sandbox.result, take)  # in a thread, because events also arrive while a shell is open
        result.add_done_callback(lambda _: login.put(None))
        if ready := login.get():
            shell = LoginShell(host=ready.host, user=user, command=_shell_command(sandbox.init, ready.pid, user))
            with suppress(KeyboardInterrupt):
                on_login(shell)
            sandbox.send("end")
        return result.result()


def _shell_command(init: int, host: int, user: str) -> tuple[str, ...]:
    sandbox = ("nsenter", "-t", str(init), "-m", "-n", "-p")
    terminal = f"TERM={os.environ.get('TERM', 'dumb')}"
    # `script` allocates a separate terminal
    shell = ("script", "--quiet", "--return", "--command", f"runuser -l {user}", "/dev/null")
    return (*sandbox, *enter_command(host), terminal, *shell)


def _describe_machine(root: Path) -> str:
    found = re.search(r'^PRETTY_NAME="?([^"\n(]*)', (root / "etc/os-release").read_text(), re.M)
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return f"{found[1].strip() if found else 'Linux'}, {os.cpu_count()} cores, {memory:.0f} GiB"
