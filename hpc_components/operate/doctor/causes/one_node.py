"""One node, asked by name: `hpc doctor STACK NODE`."""

import re
from collections.abc import Iterator

from hpc_components.catalog.level import Level
from hpc_components.elastic.slurm.reasons import REASON_PREFIX
from hpc_components.operate.doctor.cause import Found, Step, cause
from hpc_components.operate.doctor.causes.services import WHAT_FOR, last_error, misses
from hpc_components.operate.doctor.facts import Facts
from hpc_components.operate.doctor.machine_facts import read_credential
from hpc_components.operate.doctor.thresholds import threshold
from hpc_components.operate.reach import LOGIN

_FIELD = r"(?: |^){}=(.*?)(?= [A-Z]\w+=|$)"


def node_field(facts: Facts, name: str) -> str:
    """Return a field of `scontrol -o show node`."""
    found = re.search(_FIELD.format(name), facts.said("record"))
    return found[1] if found else ""


def _name(facts: Facts) -> str:
    """Return the node's name for a sentence. Login nodes are asked without a record of Slurm's, which lacks them."""
    return node_field(facts, "NodeName") or ("the node" if "record" in facts.answers else "the login node")


def _on(facts: Facts) -> str:
    """Return the node's name for a command of `hpc`."""
    return node_field(facts, "NodeName") or LOGIN


@cause("node-unknown", Level.ERROR, about_node=True)
def node_unknown(facts: Facts) -> Iterator[Found]:
    """Slurm has no such node."""
    if facts.code("record") == 1 and "not found" in facts.said("record"):
        yield Found(
            what="Slurm has no node of this name",
            why="Compute nodes are named after their queue and a number, e.g. q-7",
            do=(Step(command=("sinfo", "--Node")),),
        )


@cause("node-off", Level.INFO, about_node=True)
def node_off(facts: Facts) -> Iterator[Found]:
    """The node has no machine."""
    state, reason = node_field(facts, "State"), node_field(facts, "Reason")
    if "POWERED_DOWN" in state:
        because = f"; {reason}" if reason.startswith(REASON_PREFIX) else ""
        yield Found(
            what=f"{_name(facts)} is off: it has no machine, and costs nothing{because}",
            why="hpc-elastic launches one when a job gets the node",
        )


@cause("node-boots", Level.INFO, about_node=True)
def node_boots(facts: Facts) -> Iterator[Found]:
    """The node's machine boots."""
    if "POWERING_UP" in node_field(facts, "State"):
        yield Found(
            what=f"{_name(facts)} boots",
            why="It registers when all steps of its boot are done",
            do=(Step(command=("sudo", "tail", "--lines=30", "/var/log/hpc-boot.log"), on=_on(facts)),),
        )


def _credential(facts: Facts) -> tuple[str, float | None]:
    """Return what munge on the node said of the head node's credential, and how far its clock is ahead in seconds."""
    found = facts.answers.get("credential")
    return read_credential(found.text) if found else ("", None)


@cause("node-not-reached", Level.ERROR, unless=("node-unknown", "node-off", "node-boots"), about_node=True)
def node_not_reached(facts: Facts) -> Iterator[Found]:
    """The head node can't log in to the node."""
    if facts.code("credential") not in (0, None) and not _credential(facts)[0]:
        yield Found(
            what=f"The head node can't log in to {_name(facts)}: {facts.said('credential')}",
            why="Its machine has ended or hangs, or sshd there refuses the head node. hpc-elastic ends the machine of"
            " a node that Slurm sets down after two minutes",
            do=(
                Step(command=("scontrol", "show", "node", _name(facts))),
                Step(command=("sudo", "/opt/hpc/bin/hpc-elastic", "status")),
            ),
        )


@cause("node-clock-wrong", Level.ERROR, about_node=True)
def node_clock_wrong(facts: Facts) -> Iterator[Found]:
    """The node's clock differs from the head node's."""
    _, ahead = _credential(facts)
    if ahead is not None and abs(ahead) > threshold("clock_seconds"):
        yield Found(
            what=f"The clock of {_name(facts)} is {abs(ahead):,.0f} s {'ahead of' if ahead > 0 else 'behind'} that of"
            " the head node",
            why="munge refuses messages between machines whose clocks differ by more than five minutes",
            do=(Step(command=("sudo", "chronyc", "makestep"), on=_on(facts)),),
        )


@cause("node-key-differs", Level.ERROR, unless=("node-clock-wrong",), about_node=True)
def node_key_differs(facts: Facts) -> Iterator[Found]:
    """munge on the node refuses what the head node signs."""
    words, _ = _credential(facts)
    if words.endswith(" credential"):
        yield Found(
            what=f"munge on {_name(facts)} refuses what the head node signs: {words}",
            why="The node has another munge key, so that it can't register. hpc-update stores the head node's key as"
            " the secret, from which new machines get it; this node needs a new machine",
            do=(
                Step(command=("sudo", "/opt/hpc/bin/hpc-update")),
                Step(command=("sudo", "scontrol", "update", f"nodename={_name(facts)}", "state=power_down_force")),
            ),
        )


@cause("node-munge-stopped", Level.ERROR, unless=("node-key-differs", "node-clock-wrong"), about_node=True)
def node_munge_stopped(facts: Facts) -> Iterator[Found]:
    """munge does not run on the node."""
    words, _ = _credential(facts)
    if "credential" not in facts.answers and facts.code("munge") not in (0, None):  # a login node, reached directly
        words = facts.said("munge")
    if words and words != "Success":
        yield Found(
            what=f"munge on {_name(facts)} does not answer: {words}",
            why="slurmd and users' commands there can't talk to slurmctld",
            do=(Step(command=("sudo", "systemctl", "restart", "munge"), on=_on(facts)),),
        )


@cause("node-boot-failed", Level.ERROR, about_node=True)
def node_boot_failed(facts: Facts) -> Iterator[Found]:
    """A step of the node's boot failed."""
    if facts.boot_result not in ("", "ready"):
        yield Found(
            what=f"A step of the boot of {_name(facts)} failed: {facts.boot_result}",
            why="A compute node whose boot fails never starts slurmd, and ends itself a minute later; hpc-elastic"
            " launches another. A login node admits users once its first boot is done; it tries again every minute",
            do=(Step(command=("sudo", "tail", "--lines=50", "/var/log/hpc-boot.log"), on=_on(facts)),),
        )


@cause("node-share-gone", Level.ERROR, about_node=True)
def node_share_gone(facts: Facts) -> Iterator[Found]:
    """A shared file system is not mounted on the node, or does not answer."""
    for each in facts.shares:
        if each.state != "fine":
            how = "is not mounted" if each.state == "gone" else "does not answer within 5 s"
            yield Found(
                what=f"{each.at} {how} on {_name(facts)} ({each.source})",
                why="Jobs that read or write there fail or hang",
                do=(Step(command=("sudo", "mount", each.at), on=_on(facts)),),
            )


@cause("node-disk-full", Level.ERROR, about_node=True)
def node_disk_full(facts: Facts) -> Iterator[Found]:
    """A file system of the node is full."""
    for each in (*facts.space, *facts.inodes):
        if each.at in ("/", "/tmp", "/var", "/scratch") and each.percent_free <= threshold("full_percent_free"):
            yield Found(
                what=f"The file system of {each.at} on {_name(facts)} is full",
                why="slurmd can't write its state there, and drains the node",
                do=(
                    Step(command=("sudo", "du", "-xh", "--max-depth=2", "--threshold=100M", each.at), on=_on(facts)),
                ),
            )


@cause(
    "slurmd-stopped",
    Level.ERROR,
    unless=("node-boot-failed", "node-disk-full", "node-boots", "node-munge-stopped"),
    about_node=True,
)
def slurmd_stopped(facts: Facts) -> Iterator[Found]:
    """slurmd does not run on the node."""
    unit = facts.units.get("slurmd")
    if unit and not unit.runs and node_field(facts, "NodeName"):
        said = facts.last_errors.get("slurmd")
        yield Found(
            what=f"slurmd does not run on {_name(facts)}{f': {said}' if said else ''}",
            why="Slurm sets the node down, and its jobs start again elsewhere",
            do=(Step(command=("sudo", "systemctl", "restart", "slurmd"), on=_on(facts)),),
        )


@cause("node-service-stopped", Level.WARNING, about_node=True,
       unless=("node-boots", "node-boot-failed", "node-disk-full", "node-share-gone"))  # fmt: skip
def node_service_stopped(facts: Facts) -> Iterator[Found]:
    """Another service of a compute node or login node does not run."""
    for unit, why in WHAT_FOR.items():
        if misses(facts, unit):
            yield Found(
                what=f"{unit} does not run on {_name(facts)}{last_error(facts, unit)}",
                why=why,
                do=(Step(command=("sudo", "systemctl", "restart", unit), on=_on(facts)),),
            )


@cause("node-drained", Level.WARNING, about_node=True,
       unless=("node-key-differs", "node-clock-wrong", "node-munge-stopped", "slurmd-stopped", "node-disk-full",
               "node-not-reached"))  # fmt: skip
def node_drained(facts: Facts) -> Iterator[Found]:
    """The node is drained or down."""
    state, reason = node_field(facts, "State"), node_field(facts, "Reason")
    if ("DRAIN" in state or "DOWN" in re.split(r"[+*]", state)) and not reason.startswith(REASON_PREFIX):
        yield Found(
            what=f"{_name(facts)} takes no jobs ({state}): {reason or 'no reason was given'}",
            why="hpc-elastic leaves it alone if an administrator drained it, until it is resumed",
            do=(Step(command=("sudo", "scontrol", "update", f"nodename={_name(facts)}", "state=resume")),),
        )
