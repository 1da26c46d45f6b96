import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from hpc_components.aws.convert.entry import Entry
from hpc_components.aws.convert.ledger import Ledger, made
from hpc_components.aws.convert.lustre import lustre_of
from hpc_components.aws.convert.place import Place
from hpc_components.spec.findings import Path, dotted

_MIN_NFS_GIB = 64
"""Minimum size of an FSx for OpenZFS file system, in GiB; see `aws/home/facts.json`."""

_DEFAULT_EBS_GIB = 35
"""Default size of a shared EBS volume, in GiB. Source: ParallelCluster 3.16, EBS_VOLUME_SIZE_DEFAULT."""

_MAX_NAME_LENGTH = 30
"""Maximum length of a file system's name. Source: rule HPC-NAM-004."""

_IDS = ("VolumeId", "FileCacheId")
"""Keys for the id of an FSx for OpenZFS or ONTAP volume, or of a file cache."""


@dataclass(frozen=True)
class _Work:
    """A shared storage entry in the file, and its place in the description."""

    entry: Entry
    place: Path
    where: Place
    ledger: Ledger

    @property
    def path(self) -> str:
        return dotted(self.place)


def storage_of(root: Entry, ledger: Ledger, where: Place) -> dict[str, dict[str, Any]]:
    """Return all file systems, keyed by name. If none is mounted at /home, add one for home directories."""
    storage: dict[str, dict[str, Any]] = {}
    for number, entry in enumerate(root.items("SharedStorage")):
        name = _name(entry, number, storage, ledger)
        system = _file_system(_Work(entry, ("storage", name), where, ledger))
        if system is not None:
            storage[name] = system
    if all(str(each.plain("MountDir")).strip("/") != "home" for each in root.items("SharedStorage")):
        home = "home" if "home" not in storage else "homes"
        storage[home] = {"type": "efs", "mount": "/home"}
        around = root.get("HeadNode") or root
        ledger.corrected(
            Entry(("HeadNode", "(home)"), around.at, None), f"storage.{home}: {{type: efs, mount: /home}}",
            "ParallelCluster exports /home from the head node's disk; here, /home is a separate file system",
            "copy the files",
        )  # fmt: skip
    return storage


def _name(entry: Entry, number: int, taken: dict[str, Any], ledger: Ledger) -> str:
    found = entry.get("Name")
    word = str(found.value) if found is not None else f"storage{number + 1}"
    name = re.sub(r"[^a-z0-9-]+", "-", word.lower()).strip("-")[:_MAX_NAME_LENGTH] or f"storage{number + 1}"
    name = f"{name[: _MAX_NAME_LENGTH - 3]}-{number + 1}" if name in taken or not name[0].isalpha() else name
    name = name if name[0].isalpha() else f"fs-{name}"
    if found is not None and name != word:
        ledger.corrected(
            found,
            f"storage.{name}",
            "a name must be unique, and may contain only lower-case letters, digits and hyphens",
        )
    elif found is not None:
        ledger.taken(found, f"storage.{name}")
    return name


def _file_system(work: _Work) -> dict[str, Any] | None:
    mount = work.entry.get("MountDir")
    found = "/" + str(mount.value).lstrip("/") if mount is not None else ""
    if mount is not None:
        work.ledger.taken(mount, made(f"{work.path}.mount", found))
    kind = work.entry.get("StorageType")
    makers: dict[str, Callable[[_Work, Entry, Entry], dict[str, Any] | None]] = {
        "ebs": _ebs, "efs": _efs, "fsxlustre": _lustre,
        "fsxopenzfs": _volume, "fsxontap": _volume, "filecache": _volume,
    }  # fmt: skip
    maker = makers.get(str(kind.value).lower()) if kind is not None else None
    if kind is None or maker is None:
        told = kind if kind is not None else Entry((*work.entry.path, "StorageType"), work.entry.at, None)
        known = "Ebs, Efs, FsxLustre, FsxOpenZfs, FsxOntap, FileCache"
        remedy = f"use one of ParallelCluster's types ({known}), and convert the file again"
        work.ledger.decide(told, "the storage type is missing or unknown", remedy, ("storage",))
        return None
    settings = next((each for key, each in work.entry.value.items() if key.endswith("Settings")), None)
    rest = maker(work, kind, settings if settings is not None else Entry(work.entry.path, work.entry.at, {}))
    return None if rest is None else {"type": rest.pop("type"), "mount": found} | rest


def _ebs(work: _Work, kind: Entry, settings: Entry) -> dict[str, Any]:
    """Return an FSx for OpenZFS file system that replaces a volume exported by the head node."""
    ledger = work.ledger
    size = ledger.number(settings.get("Size"), work.place)
    raid, disks = settings.get("Raid.Type"), ledger.number(settings.get("Raid.NumberOfVolumes"), work.place) or 2
    each = size if size is not None else _DEFAULT_EBS_GIB
    whole = each * disks if raid is not None and str(raid.value) == "0" else each
    gib = max(whole, _MIN_NFS_GIB)
    told = made(f"{work.path}.size", f"{gib}GiB")
    reason = (
        "volumes can't be shared: if the head node exported a volume, all nodes would lose access whenever "
        "the head node was replaced"
    )
    ledger.corrected(
        kind,
        made(f"{work.path}.type", "nfs"),
        reason,
        "expect higher costs: FSx for OpenZFS is more expensive than EBS",
    )
    if (entry := settings.get("Size")) is not None and size is not None:
        if gib > whole:
            ledger.corrected(entry, told, f"FSx for OpenZFS requires at least {_MIN_NFS_GIB} GiB")
        else:
            ledger.taken(entry, told)
    for entry in (settings.get("Raid.Type"), settings.get("Raid.NumberOfVolumes")):
        if entry is not None:
            ledger.corrected(entry, told, "a single file system replaces all volumes")
    for key in ("VolumeId", "SnapshotId"):
        if entry := settings.get(key):
            ledger.decide(
                entry,
                "the new file system does not contain the data of this volume or snapshot",
                "copy the data",
                work.place,
            )
    return {"type": "nfs", "size": f"{gib}GiB"} | _key(work, settings)


def _efs(work: _Work, kind: Entry, settings: Entry) -> dict[str, Any]:
    ledger = work.ledger
    if entry := settings.get("FileSystemId"):
        server = f"{entry.value}.efs.{work.where.left or work.where.region}.amazonaws.com"
        ledger.corrected(
            kind, made(f"{work.path}.type", "nfs"), "an existing EFS file system is mounted like any NFS server"
        )
        ledger.decide(
            entry, "the nodes must be able to reach the existing network that contains this file system",
            "use that network (network.existing), or connect it to the cluster's network", work.place,
            made(f"{work.path}.existing.server", server),
        )  # fmt: skip
        return {"type": "nfs", "existing": {"server": server, "export": "/"}}
    ledger.taken(kind, made(f"{work.path}.type", "efs"))
    mode: dict[str, Any] = {}
    if entry := settings.get("ThroughputMode"):
        word = str(entry.value)
        new = word if word in ("bursting", "elastic") else "elastic"
        mode = {"throughput_mode": new} if new != "elastic" else {}
        told = made(f"{work.path}.throughput_mode", new)
        if new != word:
            ledger.corrected(
                entry,
                told,
                "provisioned throughput is not supported; elastic throughput is used instead, and is billed per byte",
            )
        else:
            ledger.taken(entry, told)
    return {"type": "efs"} | mode | _key(work, settings)


def _lustre(work: _Work, kind: Entry, settings: Entry) -> dict[str, Any] | None:
    work.ledger.taken(kind, made(f"{work.path}.type", "lustre"))
    if entry := settings.get("FileSystemId"):
        region = work.where.left or work.where.region
        reason = "the file system already exists, but the file doesn't contain its mount name"
        existing = f"id: {entry.value}, dns_name: {entry.value}.fsx.{region}.amazonaws.com, mount_name: ..."
        shown_by = f"aws fsx describe-file-systems --region {region} --file-system-ids {entry.value}"
        work.ledger.decide(entry, reason, _by_hand(work, "lustre", existing, shown_by), ("storage",))
        return None
    return {"type": "lustre"} | lustre_of(settings, work.ledger, work.place, work.where) | _key(work, settings)


def _volume(work: _Work, kind: Entry, settings: Entry) -> None:
    """Add a note on existing storage, which must be converted manually. Its id does not reveal the server and export
    to mount.
    """
    reason = "this storage already exists, but the file doesn't specify its server and export"
    shown_by = "aws fsx describe-volumes, describe-storage-virtual-machines or describe-file-caches"
    work.ledger.decide(kind, reason, _by_hand(work, "nfs", "server: ..., export: ...", shown_by), ("storage",))
    for key in _IDS:
        if entry := settings.get(key):
            work.ledger.dropped(entry, "see its StorageType")


def _by_hand(work: _Work, type_: str, existing: str, shown_by: str) -> str:
    mount = work.entry.plain("MountDir")
    told = f"write {work.path}: {{type: {type_}, mount: {mount}, existing: {{{existing}}}}}, and set network.existing"
    return f"{told}; see {shown_by}"


def _key(work: _Work, settings: Entry) -> dict[str, Any]:
    entry = settings.get("KmsKeyId")
    if entry is None:
        return {}
    word = str(entry.value)
    if word.startswith("arn:"):
        work.ledger.taken(entry, made(f"{work.path}.kms_key", word))
        return {"kms_key": word}
    reason = "KMS keys must be specified by ARN; until you specify one, AWS's own key is used"
    work.ledger.decide(entry, reason, f"write {work.path}.kms_key: arn:aws:kms:...", work.place)
    return {}
