"""Nodes that take no jobs. Those that hpc-elastic has set down have their causes in `launches`."""

from collections.abc import Iterable, Iterator, Mapping

from hpc_components.catalog.level import Level
from hpc_components.elastic.slurm.hostlists import fold
from hpc_components.elastic.slurm.node_states import FAULTS, RESUME_TIMEOUT, SILENCE
from hpc_components.elastic.slurm.reasons import REASON_PREFIX
from hpc_components.operate.doctor.cause import Found, Step, cause
from hpc_components.operate.doctor.facts import Facts
from hpc_components.operate.doctor.words import jobs_that
from hpc_components.operate.slurm_view import NodeView

WAIT_FOR_NODES = ("Resources", "ReqNodeNotAvail", "Nodes required for job are DOWN", "Priority")
"""How the reasons begin that Slurm shows for jobs that wait for nodes. Source: squeue(1), JOB REASON CODES."""

_DESCRIBED_LARGER = ("Low RealMemory", "Low socket*core*thread count", "Low CPUs", "Low TmpDisk", "gres/")
"""Slurm's reasons for a node that has less than slurm.conf says. Source: see `FAULTS`."""


def _out(facts: Facts) -> list[NodeView]:
    return [node for node in facts.nodes if node.state in ("down", "drained")]


def _is_slurms(reason: str) -> bool:
    return reason.startswith((*SILENCE, *FAULTS)) or any(f" : {each}" in reason for each in SILENCE)


def _by_reason(nodes: Iterable[NodeView]) -> Mapping[str, list[NodeView]]:
    found: dict[str, list[NodeView]] = {}
    for node in nodes:
        found.setdefault(node.reason, []).append(node)
    return found


def _names(nodes: Iterable[NodeView]) -> list[str]:
    return [node.name for node in nodes]


def _held(facts: Facts) -> list[NodeView]:
    """Return nodes that an administrator has drained or set down."""
    return [
        node
        for node in _out(facts)
        if node.reason and not node.reason.startswith(REASON_PREFIX) and not _is_slurms(node.reason)
    ]


def _waiting_for(facts: Facts, nodes: Iterable[NodeView]) -> list[str]:
    """Return jobs that may wait for these nodes: jobs of their queues that wait for nodes."""
    queues = {queue for node in nodes for queue in facts.queues_of.get(node.name, ())}
    return [
        job.id for job in facts.waiting
        if job.reason.startswith(WAIT_FOR_NODES) and queues.intersection(job.queue.split(","))
    ]  # fmt: skip


def _of_administrators(facts: Facts, *, wanted: bool) -> Iterator[Found]:
    for reason, nodes in _by_reason(_held(facts)).items():
        jobs = _waiting_for(facts, nodes)
        if bool(jobs) != wanted:
            continue
        names = fold(_names(nodes))
        since = f" since {nodes[0].since}" if nodes[0].since else ""
        waits = f"; {jobs_that(jobs, 'waits', 'wait')} for nodes of the same queue" if jobs else ""
        yield Found(
            what=f"An administrator has drained {names} or set it down{since}: {reason!r}{waits}",
            why="hpc-elastic leaves such nodes and their machines alone until they are resumed: they take no"
            " jobs, and their machines cost money",
            do=(Step(command=("sudo", "scontrol", "update", f"nodename={names}", "state=resume")),),
            nodes=_names(nodes),
            jobs=jobs,
        )


@cause("node-held-while-jobs-wait", Level.WARNING)
def node_held_while_jobs_wait(facts: Facts) -> Iterator[Found]:
    """An administrator has drained nodes, and jobs wait for nodes of their queue."""
    yield from _of_administrators(facts, wanted=True)


@cause("node-held", Level.INFO)
def node_held(facts: Facts) -> Iterator[Found]:
    """An administrator has drained nodes; no job waits for them."""
    yield from _of_administrators(facts, wanted=False)


@cause("node-smaller-than-described", Level.ERROR)
def node_smaller_than_described(facts: Facts) -> Iterator[Found]:
    """Nodes have less memory, fewer CPUs or GPUs than slurm.conf says."""
    for reason, nodes in _by_reason(
        node for node in _out(facts) if node.reason.startswith(_DESCRIBED_LARGER)
    ).items():
        name = nodes[0].name
        yield Found(
            what=f"{fold(_names(nodes))} has less than slurm.conf says: {reason}",
            why="Slurm drains such nodes. The image has no driver for the GPUs or changes the processors, a GPU has"
            " failed, or the machine differs from the facts about its type. Each new machine of the queue may end"
            " like this one",
            do=(Step(command=("sudo", "slurmd", "-C"), on=name), Step(command=("nvidia-smi", "-L"), on=name)),
            nodes=_names(nodes),
        )


@cause("node-did-not-register", Level.WARNING, unless=("slurmctld-silent", "messages-refused", "munge-key-differs",
                                                       "names-stopped", "clock-wrong"))  # fmt: skip
def node_did_not_register(facts: Facts) -> Iterator[Found]:
    """Nodes did not register in time after their machines started."""
    late = [node for node in _out(facts) if RESUME_TIMEOUT in node.reason]
    if late:
        name = late[0].name
        yield Found(
            what=f"{fold(_names(late))} did not register in time",
            why="hpc-elastic replaces such machines before Slurm gives up: it was stopped meanwhile, or could not"
            " reach the cloud. The last line of the node's boot log says where it stood",
            do=(Step(command=("sudo", "tail", "--lines=30", "/var/log/hpc-boot.log"), on=name),),
            nodes=_names(late),
        )


@cause("node-does-not-answer", Level.WARNING, unless=("messages-refused", "munge-key-differs", "names-stopped",
                                                      "clock-wrong", "elastic-stopped",
                                                      "elastic-stuck"))  # fmt: skip
def node_does_not_answer(facts: Facts) -> Iterator[Found]:
    """Nodes that were up do not answer."""
    silent = [
        node
        for node in _out(facts)
        if RESUME_TIMEOUT not in node.reason
        and (any(each in node.reason for each in SILENCE) or (node.slurm_state.endswith("*") and not node.reason))
    ]
    if silent:
        names = fold(_names(silent))
        yield Found(
            what=f"{names} does not answer",
            why="Its machine has ended or hangs, or slurmd does not run there. hpc-elastic ends the machine of such a"
            " node after two minutes; the next job gets a new one",
            do=(Step(command=("hpc", "doctor", "{stack}", silent[0].name), on="laptop"),),
            nodes=_names(silent),
        )


@cause("node-faulty", Level.INFO)
def node_faulty(facts: Facts) -> Iterator[Found]:
    """Slurm itself has drained nodes after a failed prolog, epilog or job."""
    others = tuple(each for each in FAULTS if each not in _DESCRIBED_LARGER)
    for reason, nodes in _by_reason(node for node in _out(facts) if node.reason.startswith(others)).items():
        yield Found(
            what=f"Slurm has drained {fold(_names(nodes))}: {reason}",
            why="When the node's jobs have ended, hpc-elastic ends its machine; the next start is a new machine. If"
            " it comes back, look at the node's slurmd log before the machine ends",
            do=(Step(command=("sudo", "tail", "--lines=50", "/var/log/slurm/slurmd.log"), on=nodes[0].name),),
            nodes=_names(nodes),
        )
