"""Checks of disks and file systems."""

import errno
import json
import os
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from hpc_components.health.node.commands import ask_file_systems, run
from hpc_components.health.node.machine import Machine
from hpc_components.health.node.verdict import WELL, Verdict, doubtful, failed, unknown

BROKEN = (errno.ESTALE, errno.EIO, errno.ENOTCONN, errno.ESHUTDOWN)
"""Errors that mean that the mount itself is broken: a stale handle, or a client that was cut off (evicted)."""


@dataclass(frozen=True, kw_only=True)
class Mount:
    type: str
    read_only: bool


def read_mounts(machine: Machine) -> dict[str, Mount] | None:
    """Return what is mounted, keyed by directory, or None if the kernel does not show it. The last mount counts."""
    text = machine.text("/proc/self/mountinfo")
    if text is None:
        return None
    found: dict[str, Mount] = {}
    for line in text.splitlines():
        before, _, after = line.partition(" - ")
        fields, last = before.split(" "), after.split(" ")
        if len(fields) > 5 and len(last) > 2:
            # an error of the file system shows in the options of its superblock
            only = "ro" in fields[5].split(",") or "ro" in last[2].split(",")
            found[_decoded(fields[4])] = Mount(type=last[0], read_only=only)
    return found


def shared_directories(machine: Machine) -> tuple[str, ...]:
    """Return the directories of the shared file systems, which the boot has written to fstab."""
    text = machine.text("/etc/fstab") or ""
    part = re.search(r"^# hpc begin shared$(.*?)^# hpc end shared$", text, re.M | re.S)
    lines = (line.split() for line in part[1].splitlines()) if part else ()
    return tuple(_decoded(line[1]) for line in lines if len(line) > 1)


def free_mib(directory: str) -> int | None:
    """Return the free MiB of a local file system, or None if it does not tell."""
    with suppress(OSError):
        found = os.statvfs(directory)
        return found.f_bavail * found.f_frsize >> 20
    return None


def judge_disk(mounts: Mapping[str, Mount] | None, free: int | None, least: int) -> Verdict:
    if mounts is not None and "/" in mounts and mounts["/"].read_only:
        return failed("the root disk is read-only")
    if free is not None and free < least:
        return failed(f"the root disk has {free} MiB free, fewer than {least}")
    return WELL


def judge_scratch(mounts: Mapping[str, Mount] | None, directory: str) -> Verdict:
    if mounts is None:
        return unknown("/proc/self/mountinfo can't be read")
    if directory not in mounts:
        return failed(f"{directory} is not mounted")
    return failed(f"{directory} is read-only") if mounts[directory].read_only else WELL


def judge_shared(
    directories: Sequence[str], mounts: Mapping[str, Mount] | None, answers: Mapping[str, int | None]
) -> Verdict:
    """Judge the shared file systems.

    One that does not answer is doubtful only: its server may be down or busy, which is not the node's error. Other
    errors, e.g. of permissions, say nothing about the node.
    """
    if mounts is None:
        return unknown("/proc/self/mountinfo can't be read")
    for directory in directories:
        if directory not in mounts:
            return failed(f"{directory} is not mounted")
    for directory, answer in answers.items():
        if answer in BROKEN:
            return failed(f"{directory}: {os.strerror(answer)}")
    silent = [directory for directory, answer in answers.items() if answer is None]
    return doubtful(f"{' and '.join(silent)}: no answer") if silent else WELL


def ask_shared(
    machine: Machine, directories: Sequence[str], mounts: Mapping[str, Mount] | None, seconds: float
) -> dict[str, int | None]:
    """Ask the file systems that are mounted: others would answer for the directory below."""
    asked = {str(machine.root / each.lstrip("/")): each for each in directories if mounts and each in mounts}
    return {asked[path]: answer for path, answer in ask_file_systems(asked, seconds).items()}


def read_nvme(machine: Machine, seconds: float) -> dict[str, int]:
    """Return the bits of `critical_warning` of each NVMe disk that tells them.

    Raise NoAnswerError if nvme does not answer within `seconds`.
    """
    found: dict[str, int] = {}
    for name in machine.names("/sys/class/nvme") or ():
        answer = run(["nvme", "smart-log", f"/dev/{name}", "-o", "json"], seconds)
        with suppress(ValueError, TypeError, KeyError):
            if answer and answer.code == 0:
                found[name] = _bits(json.loads(answer.text)["critical_warning"])
    return found


def _bits(value: object) -> int:
    """nvme-cli 2 writes an object with the bits by name, and the number as `value`."""
    return int(value["value"] if isinstance(value, dict) else value)  # ty: ignore


def judge_nvme(warnings: Mapping[str, int], critical: int) -> Verdict:
    """Judge the disks. `critical` has the bits that count: others are about temperature and spare blocks."""
    for name, bits in warnings.items():
        if bits & critical:
            return failed(f"{name}: critical warning {bits:#x}")
    return WELL


def _decoded(path: str) -> str:
    """Return the path without the octal escapes of fstab(5) and proc(5)."""
    return re.sub(r"\\([0-7]{3})", lambda found: chr(int(found[1], 8)), path)
