from collections.abc import Iterator

from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.findings import Change, Level, Path, Problem
from hpc_components.spec.rule import rule
from hpc_components.spec.slurm.files import FileSetting, file_settings, is_below, is_writable_on_the_head
from hpc_components.spec.slurm.settings import global_settings

PACKAGED_DIRECTORIES = (
    "/bin",
    "/sbin",
    "/usr/bin",
    "/usr/sbin",
    "/usr/lib",
    "/usr/libexec",
    "/lib",
    "/tmp",
    "/var/tmp",
    "/dev",
)


@rule("HPC-SLM-041", Level.WARNING)
def files_of_settings_are_there(cluster: ClusterSpec) -> Iterator[Problem]:
    """Files specified in settings must exist on the nodes.

    slurmctld exits if it can't create a log (`JobCompLoc`, `SlurmSchedLogFile`): "fatal: open ...: No such file or
    directory". A log that can't be created is therefore an error, but only a warning on an existing file system,
    where the directory may exist. Put these logs in /var/log/slurm on the head node.

    Programs may be on file systems that the cluster mounts, in your own images, or in the operating system's
    directories. Source: slurm.conf(5); run on Slurm 22.05 and 24.11.
    """
    settings = global_settings(cluster)
    for record in file_settings():
        setting = settings.get(record.name.lower())
        if record.beside is not None:
            key, value = record.beside
            other = settings.get(key.lower())
            if other is None or other.text != value:
                continue
            setting = setting or other
        if setting is None:
            continue
        named = setting.text if setting.key.lower() == record.name.lower() else record.default
        if named is None or not named.startswith("/"):
            continue
        level = _missing(cluster, record, named)
        if level is not None:
            yield _problem(record, named, setting.path, level)


def _missing(cluster: ClusterSpec, record: FileSetting, path: str) -> Level | None:
    """Return the level of the finding for a missing file, or None if the file exists or may exist."""
    store = next((one for one in cluster.storage.values() if is_below(path, one.mount)), None)
    if record.use == "written":
        if is_writable_on_the_head(path):
            return None
        return Level.WARNING if store is not None and store.mounted is not None else Level.ERROR
    scratch = [queue.local_scratch for queue in cluster.queues if queue.local_scratch]
    if any(is_below(path, there) for there in (*PACKAGED_DIRECTORIES, *scratch)):
        return None
    if record.then == "fatal":
        return Level.ERROR if store is None else Level.WARNING
    images = record.on == "nodes" and all(cluster.base_of(queue.image) is not None for queue in cluster.queues)
    return None if store is not None or images else Level.WARNING


def _problem(record: FileSetting, named: str, path: Path, level: Level) -> Problem:
    then = "slurmctld does not start" if record.then == "fatal" else record.then
    where = "the head node" if record.on == "head" else "the nodes"
    remedy = ""
    if record.use == "written":
        reason = f"Slurm's user can't create {named} on a new head node: {then}"
        if level is Level.WARNING:
            reason = f"{then} unless the directory for {named} exists and Slurm's user can write to it"
    elif record.then == "fatal" and level is Level.WARNING:
        reason = f"{then} until {named} exists"
        remedy = f"add {record.name} only after the first pulumi up, when the file exists, and silence this warning"
    else:
        reason = f"{named} does not exist on {where}: {then}"
        remedy = _other_place(record)
    at = path if str(path[-1]).lower() == record.name.lower() else ("slurm", "settings", record.name)
    fix = (Change(at, record.instead),) if record.instead else ()
    return Problem(path=path, value=named, reason=reason, remedy=remedy, fix=fix, level=level)


def _other_place(record: FileSetting) -> str:
    images = ", or in your own images (the image key of each queue)," if record.on == "nodes" else ""
    return (
        f"put the file on a file system that the cluster mounts{images} and specify the new path, or remove this "
        "setting"
    )
