"""What a machine answers about itself: units, file systems, clocks and steps of its boot."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from hpc_components.strict_json import InvalidJsonError, parse_json


@dataclass(frozen=True, kw_only=True)
class Unit:
    """A unit of systemd that is installed."""

    name: str
    """Without `.service`."""
    active: str
    """ActiveState: `active`, `inactive`, `failed`, `activating` ..."""
    result: str
    """Why it ended, e.g. `exit-code` or `oom-kill`."""
    enabled: bool

    @property
    def runs(self) -> bool:
        return self.active in ("active", "reloading")

    @property
    def is_missed(self) -> bool:
        """Whether it should run and does not."""
        return not self.runs and (self.enabled or self.active in ("failed", "activating"))


@dataclass(frozen=True, kw_only=True)
class FileSystem:
    """Space or inodes of a local file system."""

    at: str
    """Mount point."""
    size: int
    """KiB, or inodes."""
    free: int
    """Available to users who are not root, in the same unit."""

    @property
    def percent_free(self) -> float:
        return 100 * self.free / self.size if self.size else 100.0


@dataclass(frozen=True, kw_only=True)
class Share:
    """A shared file system that `/etc/fstab` names."""

    at: str
    source: str
    state: str
    """`fine`, `gone` if it is not mounted, or `silent` if its server does not answer within 5 s."""
    percent_free: float
    """100 if unknown."""


def read_units(text: str) -> Mapping[str, Unit]:
    """Read blocks of `systemctl show`. Leave out units that are not installed, and those whose conditions are not
    met.
    """
    units = {}
    for block in re.split(r"\n\s*\n", text):
        found = dict(line.split("=", 1) for line in block.splitlines() if "=" in line)
        if found.get("LoadState") != "loaded" or not found.get("Id"):
            continue
        active = found.get("ActiveState", "")
        if active == "inactive" and found.get("ConditionResult") == "no" and found.get("ConditionTimestamp"):
            continue
        name = found["Id"].removesuffix(".service")
        units[name] = Unit(
            name=name,
            active=active,
            result=found.get("Result", ""),
            enabled=found.get("UnitFileState") == "enabled",
        )
    return units


def read_file_systems(text: str) -> list[FileSystem]:
    """Read `df --portability`. File systems without a size, such as /proc, are left out."""
    return list(_file_systems(text))


def _file_systems(text: str) -> Iterator[FileSystem]:
    for line in text.splitlines():
        found = re.fullmatch(r"\S+\s+(\d+)\s+\d+\s+(\d+)\s+\S+\s+(/.*)", line)
        if found and int(found[1]):
            yield FileSystem(at=found[3], size=int(found[1]), free=int(found[2]))


def read_shares(text: str) -> list[Share]:
    """Read lines of state, free and all blocks or `-`, mount point and source."""
    rows = (line.split(" ", 3) for line in text.splitlines())
    return [
        Share(state=row[0], percent_free=_percent(row[1]), at=row[2], source=row[3]) for row in rows if len(row) == 4
    ]


def _percent(room: str) -> float:
    found = re.fullmatch(r"(\d{1,20})/(\d{1,20})", room)
    return 100 * int(found[1]) / int(found[2]) if found and int(found[2]) else 100.0


def read_mounts(text: str) -> Mapping[str, tuple[str, ...]]:
    """Return the options of each mount point, from /proc/self/mounts."""
    rows = (line.split() for line in text.splitlines())
    return {row[1]: tuple(row[3].split(",")) for row in rows if len(row) == 6}


def read_boot_result(text: str) -> str:
    """Return the result of the last run of the boot's steps: `ready`, or why it failed. Empty if unknown."""
    try:
        document = parse_json(text)
    except InvalidJsonError:
        return ""
    result = document.get("result") if isinstance(document, dict) else None
    return result if isinstance(result, str) else ""


def read_last_errors(text: str) -> Mapping[str, str]:
    """Return the last error in the journal of each unit."""
    rows = (line.split(" ", 1) for line in text.splitlines())
    return {row[0]: row[1].strip() for row in rows if len(row) == 2 and row[1].strip()}


_UNMUNGED = re.compile(r"(?m)^(STATUS|ENCODE_TIME|DECODE_TIME):\s+(.*)$")
_UNMUNGE_ERROR = re.compile(r"(?m)^unmunge: Error: (.*)$")
_EPOCH = re.compile(r"\((\d{1,12})\)$")


def read_credential(text: str) -> tuple[str, float | None]:
    """Return what `unmunge` said of a credential, and by how many seconds the clock that decoded it is ahead.

    The words are empty if unmunge did not run, and `Success` if the credential is valid. The seconds are None if
    unmunge printed no times, which it does for valid, expired and rewound credentials only. Source: munge,
    src/munge/unmunge.c; seen with munge 0.5.15.
    """
    found = dict(_UNMUNGED.findall(text))
    times = [_EPOCH.search(found.get(key, "").strip()) for key in ("DECODE_TIME", "ENCODE_TIME")]
    ahead = float(times[0][1]) - float(times[1][1]) if times[0] and times[1] else None
    error = _UNMUNGE_ERROR.search(text)
    words = found.get("STATUS") or (error[1] if error else "")
    return re.sub(r" \(\d+\)$", "", words.strip()), ahead
