"""Rehearsals made by hand, for tests of how they are shown."""

from itertools import pairwise

from hpc_components.rehearse.events import Code, Event, Kind
from hpc_components.rehearse.result import Change, Check, JobLife, NodeLife, Rehearsal, Scale, Span


def life(end: float, *states: tuple[float, str]) -> tuple[Span, ...]:
    """Spans that follow one another: each state from its time on, the last until `end`."""
    times = [*states, (end, "")]
    return tuple(Span(state=state, begin=begin, end=after) for (begin, state), (after, _) in pairwise(times))


def node(name: str, end: float, *states: tuple[float, str], machine: str = "c7i.48xlarge") -> NodeLife:
    """A node and its life."""
    return NodeLife(name=name, machine=machine, spans=life(end, *states))


_OUTPUT = "".join(f"Hello from rank {rank} of 32 on host spot-{1 + rank // 8}\n" for rank in range(32))

_CHANGES = (
    Change(
        file="slurm.conf",
        before="SuspendTime=600",
        after="SuspendTime=5",
        why="a rehearsal does not wait so long",
    ),
    Change(
        file="slurm.conf",
        before="",
        after="AuthInfo=cred_expire=10",
        why="a job put back into the queue waits for it, 120 s by default",
    ),
    Change(
        file="slurm.conf",
        before="TaskPlugin=task/cgroup,task/affinity",
        after="TaskPlugin=task/cgroup",
        why="nodes advertise more CPUs and memory than this machine has",
    ),
    Change(
        file="elastic.json",
        before='"cloud": "aws"',
        after='"cloud": "local"',
        why="machines come from the local cloud",
    ),
)

_SACCT = """\
JobID           JobName  Partition    Account                                AllocTRES      State ExitCode
------------ ---------- ---------- ---------- ---------------------------------------- ---------- --------
1             mpi-hello       spot  physics              billing=384,cpu=384,node=4     NODE_FAIL      0:0
1             mpi-hello       spot  physics              billing=384,cpu=384,node=4     COMPLETED      0:0
"""


def spot() -> Rehearsal:
    """A job on four spot nodes; one is taken away, the job goes back into the queue and runs again."""
    end = 92.4
    up = ((3.1, "wanted"), (3.4, "booting"), (6.2, "configuring"), (14.0, "busy"))
    again = ((31.5, "idle"), (34.0, "configuring"), (51.0, "busy"), (80.3, "idle"), (85.6, "leaving"), (88.9, "gone"))
    taken = ((26.3, "draining"), (28.4, "down"), (31.5, "leaving"), (34.6, "gone"))
    return Rehearsal(
        cluster="cfd",
        slurm="22.05.8",
        here="Debian 12, 2 cores, 23 GiB",
        fault="spot",
        command="sbatch --ntasks-per-node=8 submit_job.sh",
        scale=Scale(nodes=4, ranks=32, full_ranks=384, cpus_per_node=96),
        changes=_CHANGES,
        events=(
            Event(t=0.0, kind=Kind.STEP, code=Code.CLUSTER_STARTS, words="the head node starts"),
            Event(t=2.2, kind=Kind.STEP, code=Code.JOB_SUBMITTED, words="the job is submitted from the login node"),
            Event(t=2.3, kind=Kind.JOB, code=Code.JOB_STATE, words="job 1 waits", job=1, state="PENDING"),
            Event(
                t=3.1, kind=Kind.NODE, code=Code.NODE_STATE, words="spot-1 is wanted", node="spot-1", state="wanted"
            ),
            Event(
                t=3.4,
                kind=Kind.CLOUD,
                code=Code.NO_CAPACITY,
                words="no capacity: c7i.48xlarge in use2-az2, spot",
                pool="c7i.48xlarge in use2-az2, spot",
            ),
            Event(
                t=3.5,
                kind=Kind.CLOUD,
                code=Code.LAUNCHED,
                words="machine i-0001 is launched for spot-1",
                node="spot-1",
            ),
            Event(t=14.0, kind=Kind.JOB, code=Code.JOB_STATE, words="job 1 runs", job=1, state="RUNNING"),
            Event(
                t=24.2,
                kind=Kind.FAULT,
                code=Code.SPOT_NOTICE,
                words="machine i-0002 of spot-2 gets a spot notice",
                node="spot-2",
            ),
            Event(
                t=26.3,
                kind=Kind.NODE,
                code=Code.NODE_STATE,
                words="spot-2 is draining",
                node="spot-2",
                state="draining",
            ),
            Event(t=80.3, kind=Kind.JOB, code=Code.JOB_STATE, words="job 1 is completed", job=1, state="COMPLETED"),
            Event(
                t=81.0,
                kind=Kind.CHECK,
                code=Code.ALL_RANKS,
                words="the job printed the hello of all 32 ranks",
                state="passed",
            ),
            Event(t=92.4, kind=Kind.NOTE, words="all nodes are gone"),
        ),
        nodes=(
            node("spot-1", end, *up, *again),
            node("spot-2", end, *up, *taken),
            node("spot-3", end, *up, *again),
            node("spot-4", end, *up, *again, machine="c6i.32xlarge"),
            node("spot-5", end, (33.0, "wanted"), (33.3, "booting"), (36.4, "configuring"), *again[2:]),
        ),
        jobs=(
            JobLife(
                id=1,
                name="mpi-hello",
                queue="spot",
                nodes=("spot-1", "spot-3", "spot-4", "spot-5"),
                restarts=1,
                exit_code="0:0",
                spans=life(
                    end,
                    (2.3, "PENDING"),
                    (3.1, "CONFIGURING"),
                    (14.0, "RUNNING"),
                    (28.4, "NODE_FAIL"),
                    (29.5, "PENDING"),
                    (34.0, "CONFIGURING"),
                    (51.0, "RUNNING"),
                    (80.1, "COMPLETED"),
                ),
            ),
        ),
        checks=(
            Check(
                code=Code.ALL_RANKS, what="the job printed the hello of all 32 ranks", passed=True, detail="32 lines"
            ),
            Check(
                code=Code.DRAINED_IN_TIME,
                what="the node was drained before its machine died",
                passed=True,
                detail="2.1 s before",
            ),
            Check(code=Code.NO_ERRORS, what="no daemon wrote an error", passed=True),
            Check(
                code=Code.ALL_NODES_GONE,
                what="all nodes are gone after the idle time",
                passed=True,
                detail="8.6 s after the job",
            ),
        ),
        output=_OUTPUT,
        accounting=_SACCT,
        duration=end,
    )


def unfinished() -> Rehearsal:
    """A job that never got its nodes, and one that failed; names that try to be more than names."""
    return Rehearsal(
        cluster="cfd",
        slurm="24.11.5",
        here="Debian 13, 2 cores, 23 GiB",
        fault="boot",
        command="sbatch --nodes=2 \x1b[31mjob.sh",
        scale=None,
        changes=(),
        events=(
            Event(t=0.0, kind=Kind.STEP, code=Code.CLUSTER_STARTS, words="the head node starts"),
            Event(t=5.0, kind=Kind.FAULT, words="machine i-0001 never boots <b>&amp;</b>", node="compute-queue-1"),
        ),
        nodes=(
            node("compute-queue-1", 40.0, (4.0, "wanted"), (4.5, "booting"), (30.0, "down"), (36.0, "leaving")),
            node("compute-queue-2", 40.0, (4.0, "wanted"), (4.5, "booting"), (7.0, "configuring")),
        ),
        jobs=(
            JobLife(
                id=1,
                name="<script>alert(1)</script>",
                queue="compute-queue",
                nodes=(),
                restarts=0,
                exit_code="",
                spans=life(40.0, (2.5, "PENDING"), (4.0, "CONFIGURING"), (36.0, "PENDING")),
            ),
            JobLife(
                id=2,
                name="single",
                queue="compute-queue",
                nodes=("compute-queue-2",),
                restarts=0,
                exit_code="1:0",
                spans=life(40.0, (2.6, "PENDING"), (8.0, "RUNNING"), (8.2, "FAILED")),
            ),
        ),
        checks=(
            Check(what="the job ended well", passed=False, detail="job 1 is still pending after 40 s"),
            Check(code=Code.NO_ERRORS, what="no daemon wrote an error", passed=True),
        ),
        output="Traceback (most recent call last):\n  [bold]no markup[/bold] \x07\n",
        accounting="",
        duration=40.0,
    )


def empty() -> Rehearsal:
    """A rehearsal that ended before anything happened."""
    return Rehearsal(
        cluster="dev", slurm="22.05.8", here="Debian 12, 2 cores, 23 GiB", fault="", command="", scale=None,
        changes=(), events=(), nodes=(), jobs=(), checks=(), output="", accounting="", duration=0.0,
    )  # fmt: skip


def university(nodes: int = 400) -> Rehearsal:
    """Many nodes for many jobs, one of which dies."""
    end = 60.0
    lives = [
        node(f"nlp-{number}", end, (1.0, "wanted"), (1.2, "booting"), (4 + number % 3, "busy"), (50.0, "idle"))
        for number in range(1, nodes)
    ]
    lives.append(node(f"nlp-{nodes}", end, (1.0, "wanted"), (1.2, "booting"), (4.0, "busy"), (20.0, "down")))
    jobs = tuple(
        JobLife(
            id=number,
            name="train",
            queue="nlp",
            nodes=(f"nlp-{number}",),
            restarts=0,
            exit_code="0:0",
            spans=life(end, (0.5, "PENDING"), (4.0, "RUNNING"), (50.0, "COMPLETED")),
        )
        for number in range(1, nodes + 1)
    )
    checks = (Check(code=Code.NO_ERRORS, what="no daemon wrote an error", passed=True),)
    return Rehearsal(
        cluster="university", slurm="22.05.8", here="Debian 12, 2 cores, 23 GiB", fault="dead-node",
        command="sbatch submit_job.sh", scale=Scale(nodes=1, ranks=8, full_ranks=8, cpus_per_node=192),
        changes=(), events=(), nodes=tuple(lives), jobs=jobs, checks=checks, output="hello\n", accounting="",
        duration=end,
    )  # fmt: skip
