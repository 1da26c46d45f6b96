"""The head node's services."""

from collections.abc import Iterator, Sequence

from hpc_components.catalog.level import Level
from hpc_components.elastic.report.text import trouble
from hpc_components.operate.doctor.cause import Found, Step, cause
from hpc_components.operate.doctor.causes.machine import UPDATE
from hpc_components.operate.doctor.facts import Facts

_MACHINE = ("state-volume-missing", "state-volume-read-only", "disk-full", "inodes-full")
"""What ends any service."""

_NO_DAEMON = 3
"""Exit code of `hpc-elastic status` if no daemon runs."""

_WRONG_CONFIGURATION = 2
"""Exit code of hpc-elastic if its configuration is wrong."""

_UNREADABLE = "because Slurm can't read it"
_WAITS_FOR_JOBS = (" has jobs and ", "nodes get the changed configuration once no job has nodes")
"""Words of boot/scripts/head/controller.sh."""

_REFUSED = "Munge decode failed: "
"""Words of slurmctld for a message that munge refused, once for each (seen on 22.05 and 24.11)."""
_CLOCK = ("Expired credential", "Rewound credential")
"""munge's reasons if clocks differ. Source: munge_strerror(3)."""


def _restart(unit: str) -> Sequence[Step]:
    return (
        Step(command=("sudo", "journalctl", "--no-pager", "--lines=50", "--unit", unit)),
        Step(command=("sudo", "systemctl", "restart", unit)),
    )


def last_error(facts: Facts, unit: str) -> str:
    said = facts.last_errors.get(unit, "")
    return f": {said}" if said else ""


def misses(facts: Facts, unit: str) -> bool:
    found = facts.units.get(unit)
    return bool(found and found.is_missed)


@cause("munge-stopped", Level.ERROR, unless=_MACHINE)
def munge_stopped(facts: Facts) -> Iterator[Found]:
    """munge does not run on the head node."""
    if facts.code("munge") not in (0, None) and "STATUS" not in facts.answers["munge"].text:
        said = last_error(facts, "munge") or f": {facts.said('munge')}"
        yield Found(
            what=f"munge makes no credentials on the head node{said}",
            why="All of Slurm's programs sign their messages by munge: none of them can talk to another",
            do=_restart("munge"),
        )


@cause("munge-key-differs", Level.ERROR)
def munge_key_differs(facts: Facts) -> Iterator[Found]:
    """munge on the head node has another key than the cluster's."""
    sums = {line.split()[-1]: line.split()[0] for line in facts.text("munge_keys").splitlines() if line.split()}
    if len(sums) == 2 and len(set(sums.values())) == 2:
        yield Found(
            what="/etc/munge/munge.key is not the cluster's key, which is in /var/lib/hpc/keys/munge",
            why="Nodes have the cluster's key, so that slurmctld refuses their messages as soon as munge starts"
            " again",
            do=(UPDATE, Step(command=("sudo", "systemctl", "restart", "munge"))),
        )


@cause("messages-refused", Level.ERROR, unless=("munge-key-differs", "clock-wrong"))
def messages_refused(facts: Facts) -> Iterator[Found]:
    """slurmctld refuses messages of nodes whose munge key or clock differs."""
    refused = [line.partition(_REFUSED)[2] for line in facts.controller_errors if _REFUSED in line]
    if refused:
        clock = any(line.startswith(_CLOCK) for line in refused)
        yield Found(
            what=f"slurmctld refused {len(refused)} messages of nodes in the last hour: {refused[-1]}",
            why="The clock of a node differs from the head node's by more than munge accepts"
            if clock
            else "A node has another munge key than the head node: it booted with another secret, or the key was"
            " replaced while the node ran. hpc-update stores the head node's key as the secret, from which new nodes"
            " get it; running ones have to become new machines. `hpc doctor` with the node's name compares its key",
            do=(UPDATE,) if not clock else (Step(command=("chronyc", "-n", "tracking")),),
        )


@cause("names-stopped", Level.ERROR, unless=_MACHINE)
def names_stopped(facts: Facts) -> Iterator[Found]:
    """The name service of the cluster's nodes does not run on the head node."""
    for unit in ("hpc-name-server", "hpc-names"):
        if misses(facts, unit):
            yield Found(
                what=f"{unit} does not run{last_error(facts, unit)}",
                why="Names of nodes do not resolve. slurmctld asks ten times for each of them, and may not answer"
                " meanwhile",
                do=_restart(unit),
            )


@cause("names-unknown", Level.WARNING, unless=("names-stopped",))
def names_unknown(facts: Facts) -> Iterator[Found]:
    """Nodes that are up are unknown to the name service."""
    unknown = facts.text("names").split()
    if unknown and "hpc-names" in facts.units:
        yield Found(
            what=f"The names of nodes that are up do not resolve on the head node: {', '.join(unknown)}",
            why="Jobs on several nodes can't connect, and ssh to these nodes fails",
            do=(
                Step(command=("getent", "hosts", unknown[0])),
                Step(command=("sudo", "systemctl", "restart", "hpc-name-server", "hpc-names")),
            ),
            nodes=unknown,
        )


@cause("database-stopped", Level.WARNING, unless=_MACHINE)
def database_stopped(facts: Facts) -> Iterator[Found]:
    """The accounting database, MariaDB, does not run."""
    if facts.has_accounting and misses(facts, "mariadb"):
        yield Found(
            what=f"MariaDB does not run{last_error(facts, 'mariadb')}",
            why="slurmdbd needs it. Jobs run and start with the accounts that slurmctld knew last; their records wait"
            " in slurmctld's memory and state",
            do=_restart("mariadb"),
        )


@cause("slurmdbd-silent", Level.WARNING, unless=(*_MACHINE, "database-stopped", "munge-stopped"))
def slurmdbd_silent(facts: Facts) -> Iterator[Found]:
    """slurmdbd does not answer."""
    if facts.has_accounting and facts.code("accounts") not in (0, None):
        yield Found(
            what=f"slurmdbd does not answer{last_error(facts, 'slurmdbd') or ': ' + facts.said('accounts')}",
            why="Jobs run and start with the accounts that slurmctld knew last. New users and limits are not known,"
            " and `sacct` fails",
            do=_restart("slurmdbd"),
        )


@cause("configuration-unreadable", Level.ERROR)
def configuration_unreadable(facts: Facts) -> Iterator[Found]:
    """The new slurm.conf is not applied, because Slurm can't read it."""
    if _UNREADABLE in facts.boot_result:
        yield Found(
            what=f"The new configuration is not applied: {facts.boot_result.partition(': ')[2] or facts.boot_result}",
            why="The cluster goes on with the old slurm.conf. Correct the setting in the description, then run"
            " `pulumi up`; the head node tries again every minute",
            do=(Step(command=("pulumi", "up"), on="laptop"),),
        )


@cause("configuration-waits", Level.INFO)
def configuration_waits(facts: Facts) -> Iterator[Found]:
    """The new configuration waits for jobs to end."""
    if any(words in facts.boot_result for words in _WAITS_FOR_JOBS):
        yield Found(
            what=f"The new configuration waits: {facts.boot_result}",
            why="Slurm would lose these jobs otherwise. It is tried again every minute",
        )


@cause("boot-step-failed", Level.WARNING, unless=(*_MACHINE, "munge-stopped", "names-stopped", "share-gone"))
def boot_step_failed(facts: Facts) -> Iterator[Found]:
    """A step of the head node's boot failed."""
    told_apart = any(words in facts.boot_result for words in (_UNREADABLE, *_WAITS_FOR_JOBS))
    if facts.boot_result not in ("", "ready") and not told_apart:
        yield Found(
            what=f"A step of the head node's boot failed: {facts.boot_result}",
            why="The steps after it did not run, so that changes of the description do not arrive. They are tried"
            " again every minute",
            do=(Step(command=("sudo", "tail", "--lines=50", "/var/log/hpc-boot.log")), UPDATE),
        )


@cause("slurmctld-silent", Level.ERROR, unless=(*_MACHINE, "munge-stopped", "names-stopped"))
def slurmctld_silent(facts: Facts) -> Iterator[Found]:
    """slurmctld does not answer."""
    if facts.code("ping") in (0, None):
        return
    unit = facts.units.get("slurmctld")
    runs = unit is not None and unit.runs
    yield Found(
        what="slurmctld runs, but does not answer"
        if runs
        else f"slurmctld does not run{last_error(facts, 'slurmctld')}",
        why="Jobs that run go on. None starts, none can be submitted, and no node is launched or ended",
        do=_restart("slurmctld"),
    )


@cause("elastic-without-credentials", Level.ERROR)
def elastic_without_credentials(facts: Facts) -> Iterator[Found]:
    """hpc-elastic has no credentials of the cloud."""
    seen = (facts.last_errors.get("hpc-elastic", ""), _problem(facts), *_wrong_checks(facts))
    runs = facts.daemon is not None and not _problem(facts)
    said = next((each for each in seen if "credentials" in each.lower()), "")
    if said and not runs:
        yield Found(
            what=f"hpc-elastic has no credentials of the cloud: {said}",
            why="No node is launched or ended. The head node's machine has lost its role, or its metadata service"
            " does not answer. The daemon goes on by itself once there are credentials",
            do=(
                Step(command=("sudo", "-u", "slurm", "/opt/hpc/bin/hpc-elastic", "check")),
                Step(command=("pulumi", "up", "--refresh"), on="laptop"),
            ),
        )


@cause("elastic-stopped", Level.ERROR, unless=(*_MACHINE, "elastic-without-credentials"))
def elastic_stopped(facts: Facts) -> Iterator[Found]:
    """hpc-elastic does not run."""
    if facts.code("elastic") in (_NO_DAEMON, _WRONG_CONFIGURATION):
        yield Found(
            what=f"hpc-elastic does not run{last_error(facts, 'hpc-elastic')}",
            why="No node is launched or ended: jobs wait, and idle machines cost money. Jobs that run go on",
            do=_restart("hpc-elastic"),
        )


def _problem(facts: Facts) -> str:
    return trouble(dict(facts.daemon)) if facts.daemon else ""


def _wrong_checks(facts: Facts) -> list[str]:
    found = facts.answers.get("check")
    lines = found.text.splitlines() if found else []
    return [line.removeprefix("wrong").strip() for line in lines if line.startswith("wrong")]


@cause("elastic-stuck", Level.ERROR, unless=(*_MACHINE, "elastic-without-credentials", "munge-stopped",
                                             "slurmctld-silent"))  # fmt: skip
def elastic_stuck(facts: Facts) -> Iterator[Found]:
    """hpc-elastic gets no answer of Slurm or the cloud, or hangs."""
    if problem := _problem(facts):
        yield Found(
            what=f"hpc-elastic can't decide: {problem}",
            why="No node is launched or ended until that is over",
            do=(Step(command=("sudo", "-u", "slurm", "/opt/hpc/bin/hpc-elastic", "check")),),
        )


@cause("elastic-disagrees", Level.WARNING, unless=("elastic-without-credentials", "elastic-stuck",
                                                   "slurmctld-silent", "configuration-unreadable",
                                                   "configuration-waits"))  # fmt: skip
def elastic_disagrees(facts: Facts) -> Iterator[Found]:
    """hpc-elastic's configuration does not agree with Slurm or the cloud."""
    for wrong in _wrong_checks(facts):
        yield Found(
            what=f"hpc-elastic check: {wrong}",
            why="Nodes that only one of them knows are never launched, or never ended",
            do=(UPDATE,),
        )


@cause("service-stopped", Level.WARNING, unless=_MACHINE)
def service_stopped(facts: Facts) -> Iterator[Found]:
    """Another service of the head node does not run."""
    for unit, why in WHAT_FOR.items():
        if misses(facts, unit):
            yield Found(what=f"{unit} does not run{last_error(facts, unit)}", why=why, do=_restart(unit))


WHAT_FOR = {
    "hpc-people": "Changes of people do not arrive: new ones can't log in, and those who left still can",
    "hpc-metadata": "Users may reach the metadata service, and with it the credentials of the node",
    "hpc-data": "Users and jobs get no credentials for buckets",
    "hpc-update.timer": "Changes of the description do not arrive",
    "chrony": "The clock drifts; munge refuses messages when it is wrong by five minutes",
    "chronyd": "The clock drifts; munge refuses messages when it is wrong by five minutes",
}
