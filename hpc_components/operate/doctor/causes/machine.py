"""The head node's machine: file systems, memory, clock."""

from collections.abc import Iterable, Iterator

from hpc_components.catalog.level import Level
from hpc_components.operate.doctor.cause import Found, Step, cause
from hpc_components.operate.doctor.facts import Facts
from hpc_components.operate.doctor.machine_facts import FileSystem
from hpc_components.operate.doctor.questions import STATE
from hpc_components.operate.doctor.thresholds import threshold

OWN = ("/", "/var", "/var/log", "/var/lib", STATE)
"""Local file systems on which the head node's services write."""

UPDATE = Step(command=("sudo", "/opt/hpc/bin/hpc-update"))


@cause("state-volume-missing", Level.ERROR)
def state_volume_missing(facts: Facts) -> Iterator[Found]:
    """The state volume is not mounted on the head node."""
    if "# hpc begin state" in facts.text("fstab") and facts.mounts and STATE not in facts.mounts:
        yield Found(
            what=f"The state volume is not mounted at {STATE}",
            why="It holds Slurm's state, the accounting database, the list of launches and munge's key, so that no"
            " service starts that needs one of them. Its data is not lost",
            do=(Step(command=("sudo", "mount", STATE)), UPDATE),
        )


@cause("state-volume-read-only", Level.ERROR)
def state_volume_read_only(facts: Facts) -> Iterator[Found]:
    """A file system of the head node became read-only."""
    for at in OWN:
        if "ro" in facts.mounts.get(at, ()):
            yield Found(
                what=f"The file system of {at} is read-only",
                why="The kernel does this after errors of the volume. Services can't save their state there",
                do=(Step(command=("sudo", "dmesg", "--level=err,warn")), Step(command=("findmnt", at))),
            )


def _full(those: Iterable[FileSystem]) -> Iterator[FileSystem]:
    return (each for each in those if each.at in OWN and each.percent_free <= threshold("full_percent_free"))


@cause("disk-full", Level.ERROR)
def disk_full(facts: Facts) -> Iterator[Found]:
    """A file system of the head node is full."""
    for each in _full(facts.space):
        yield Found(
            what=f"The file system of {each.at} is full: {each.free // 1024:,} MiB of {each.size // 1024:,} MiB are"
            " free",
            why="slurmctld, slurmdbd, MariaDB and hpc-elastic can't save what they know, and may end. A larger"
            " `head_node.state_volume` grows in place with the next `pulumi up`"
            if each.at == STATE
            else "Services can't write their logs and state there, and may end",
            do=(Step(command=("sudo", "du", "-xh", "--max-depth=2", "--threshold=100M", each.at)),),
        )


@cause("inodes-full", Level.ERROR)
def inodes_full(facts: Facts) -> Iterator[Found]:
    """A file system of the head node can't hold more files."""
    for each in _full(facts.inodes):
        yield Found(
            what=f"The file system of {each.at} has no room for more files: {each.free:,} of {each.size:,} inodes are"
            " free",
            why="No file can be made there, although there is space. Services can't save their state",
            do=(Step(command=("sudo", "du", "-x", "--inodes", "--max-depth=2", "--threshold=10000", each.at)),),
        )


@cause("disk-nearly-full", Level.WARNING)
def disk_nearly_full(facts: Facts) -> Iterator[Found]:
    """A file system of the head node is nearly full."""
    low, nearly = threshold("full_percent_free"), threshold("nearly_full_percent_free")
    for each in facts.space:
        if each.at in OWN and low < each.percent_free <= nearly:
            yield Found(
                what=f"The file system of {each.at} is nearly full: {each.percent_free:.0f} % are free",
                why="When it is full, services of the head node can't save their state",
                do=(Step(command=("sudo", "du", "-xh", "--max-depth=2", "--threshold=100M", each.at)),),
            )


@cause("out-of-memory", Level.WARNING)
def out_of_memory(facts: Facts) -> Iterator[Found]:
    """The kernel ended a program because the head node had no memory left."""
    killed = facts.text("killed").strip().splitlines()
    units = [unit.name for unit in facts.units.values() if unit.result == "oom-kill"]
    if killed or units:
        last = f"; the last one: {killed[-1].partition('Killed ')[2] or killed[-1]}" if killed else ""
        of_units = f", of the services {', '.join(units)}" if units else ""
        yield Found(
            what=f"The head node ran out of memory in the last 24 hours: the kernel ended {len(killed)} programs"
            f"{of_units}{last}",
            why="Any service may be the next. A larger `head_node.machine` keeps the state volume and the jobs",
            do=(Step(command=("ps", "-eo", "rss,user,args", "--sort=-rss")),),
        )


@cause("clock-wrong", Level.WARNING)
def clock_wrong(facts: Facts) -> Iterator[Found]:
    """The head node's clock is wrong, or not synchronized."""
    ahead, limit = facts.ahead, threshold("clock_seconds")
    differs = ahead is not None and abs(ahead) > limit
    if differs and ahead is not None:
        how = f"is {abs(ahead):,.0f} s {'ahead of' if ahead > 0 else 'behind'} that of this machine"
    else:
        how = "is not synchronized"
    if differs or facts.text("synchronized").strip() == "no":
        yield Found(
            what=f"The head node's clock {how}",
            why="Between machines whose clocks differ by more than five minutes, munge refuses all messages, so that"
            " nodes can't register",
            do=(Step(command=("chronyc", "-n", "tracking")), Step(command=("sudo", "chronyc", "makestep"))),
        )


@cause("share-gone", Level.ERROR)
def share_gone(facts: Facts) -> Iterator[Found]:
    """A shared file system is not mounted on the head node, or does not answer."""
    for each in facts.shares:
        if each.state == "gone":
            yield Found(
                what=f"{each.at} is not mounted on the head node ({each.source})",
                why="What is written there goes to the head node's own disk. Nodes that boot now may not be able to"
                " mount it either, and then end",
                do=(Step(command=("sudo", "mount", each.at)),),
            )
        if each.state == "silent":
            yield Found(
                what=f"{each.at} does not answer within 5 s ({each.source})",
                why="Programs that read or write there hang, also logins whose home is there, until the server"
                " answers",
                do=(Step(command=("sudo", "dmesg", "--level=err,warn")),),
            )


@cause("share-full", Level.ERROR)
def share_full(facts: Facts) -> Iterator[Found]:
    """A shared file system is full."""
    for each in facts.shares:
        if each.percent_free <= threshold("full_percent_free"):
            yield Found(
                what=f"{each.at} is full: {each.percent_free:.1f} % are free ({each.source})",
                why="Jobs that write there fail, and people whose home is there may not be able to log in",
                do=(Step(command=("sudo", "du", "-xh", "--max-depth=1", "--threshold=1G", each.at)),),
            )
