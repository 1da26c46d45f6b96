from typing import Any

from hpc_components.aws.convert.entry import Entry
from hpc_components.aws.convert.ledger import Ledger, flag, made
from hpc_components.spec.slurm.files import file_settings, is_writable_on_the_head
from hpc_components.spec.slurm.ownership import OWNED, OWNED_OF_PARTITIONS

_PORT = 3306

_OWNED = {key.lower(): instead for key, instead in OWNED.items()}
_OWNED_OF_PARTITIONS = {key.lower(): instead for key, instead in OWNED_OF_PARTITIONS.items()}


def slurm_of(root: Entry, ledger: Ledger) -> dict[str, Any]:
    slurm: dict[str, Any] = {}
    if scheduler := root.get("Scheduling.Scheduler"):
        ledger.taken(scheduler, "slurm")
    settings = root.get("Scheduling.SlurmSettings") or Entry((), root.at, {})
    place = ("slurm",)
    if (idle := ledger.number(settings.get("ScaledownIdletime"), place)) is not None:
        slurm |= _idle_time(settings.value["ScaledownIdletime"], idle, ledger)
    boot = root.get("DevSettings.Timeouts.ComputeNodeBootstrapTimeout")
    if boot is not None and (seconds := ledger.number(boot, place)) is not None:
        slurm["boot_time"] = f"{seconds}s" if seconds % 60 else f"{seconds // 60}m"
        ledger.taken(boot, made("slurm.boot_time", slurm["boot_time"]))
    if (database := settings.get("Database")) is not None:
        slurm["accounting"] = {"database": _database(database, ledger)}
    if given := _global_settings(settings.get("CustomSlurmSettings"), ledger):
        slurm["settings"] = given
    return slurm


def queue_settings(queue: Entry, ledger: Ledger, path: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if exclusive := queue.get("JobExclusiveAllocation"):
        on = flag(exclusive.value)
        ledger.taken(exclusive, made(f"{path}.slurm.OverSubscribe", "EXCLUSIVE" if on else "NO"))
        found |= {"OverSubscribe": "EXCLUSIVE"} if on else {}
    custom = queue.get("CustomSlurmSettings")
    return found | _settings(custom, ledger, _OWNED_OF_PARTITIONS, f"{path}.slurm")


def _idle_time(entry: Entry, minutes: int, ledger: Ledger) -> dict[str, Any]:
    if minutes < 0:
        reason = "a negative idle time, which keeps idle nodes running, is not supported"
        ledger.decide(entry, reason, "for queues with permanent nodes, set min to the value of max", ("queues",))
        return {}
    ledger.taken(entry, made("slurm.idle_time", f"{minutes}m"))
    return {"idle_time": f"{minutes}m"}


def _database(entry: Entry, ledger: Ledger) -> dict[str, Any]:
    """Return the database settings. ParallelCluster writes the database host as `mysql://host:port` or just
    `host`.
    """
    database: dict[str, Any] = {}
    where = "slurm.accounting.database"
    if uri := entry.get("Uri"):
        host, _, port = str(uri.value).rpartition("://")[2].rstrip("/").partition(":")
        database["host"] = host
        database |= {"port": int(port)} if port.isdecimal() and int(port) != _PORT else {}
        ledger.taken(uri, made(f"{where}.host", host))
    for key, ours in (("UserName", "user"), ("DatabaseName", "name"), ("PasswordSecretArn", "password_secret")):
        if found := entry.get(key):
            database[ours] = str(found.value)
            ledger.taken(found, made(f"{where}.{ours}", found.value))
    if entry.get("DatabaseName") is None:
        reason = (
            "the file doesn't specify the database's name; ParallelCluster's default is the cluster's name, "
            "but the default here is slurm_acct_db"
        )
        remedy = f"to keep existing accounting data, set {where}.name to the existing database's name"
        ledger.decide(Entry((*entry.path, "DatabaseName"), entry.at, None), reason, remedy, ("slurm", "accounting"))
    return database


def _global_settings(entry: Entry | None, ledger: Ledger) -> dict[str, Any]:
    """Return the settings from a list of mappings. Each mapping represents a line of slurm.conf."""
    found: dict[str, Any] = {}
    for each in entry.value if entry is not None and isinstance(entry.value, list) else [entry]:
        found |= _settings(each, ledger, _OWNED, "slurm.settings")
    return found


def _log_on_the_head(key: str, value: str) -> str | None:
    """Return a replacement for `value`, the path of a file that slurmctld writes, or None if no replacement is
    needed.
    """
    for record in file_settings():
        if record.use == "written" and record.name.lower() == key.lower() and value.startswith("/"):
            return None if is_writable_on_the_head(value) else record.instead
    return None


def _settings(entry: Entry | None, ledger: Ledger, owned: dict[str, str], where: str) -> dict[str, Any]:
    if entry is None or not isinstance(entry.value, dict):
        return {}
    found: dict[str, Any] = {}
    lines = {key.lower(): key for key in entry.value}
    record = next((lines[key] for key in ("nodename", "partitionname", "nodeset", "downnodes") if key in lines), None)
    for key, each in entry.value.items():
        if each.value is None:
            continue
        if record is not None:
            ledger.dropped(
                each,
                f"this is part of a {record} line, which is generated from the queues",
                owned.get(record.lower(), "add a queue"),
            )
        elif instead := owned.get(key.lower()):
            ledger.dropped(each, "this Slurm setting is managed automatically", instead)
        elif isinstance(each.value, dict | list):
            ledger.decide(
                each,
                "a Slurm setting can't be a list or a mapping",
                "write the value as a single string under slurm.settings",
                ("slurm",),
            )
        elif owned is _OWNED and (instead := _log_on_the_head(key, str(each.value))):
            reason = "the head node has no such directory, and slurmctld fails if it can't write the file"
            ledger.corrected(each, made(f"{where}.{key}", instead), reason)
            found[key] = instead
        else:
            found[key] = str(each.value) if isinstance(each.value, float) else each.value
            ledger.taken(each, made(f"{where}.{key}", each.value))
    return found
