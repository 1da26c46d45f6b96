"""Reads what a forecast needs of a cluster's export (`hpc-elastic ledger export`): its jobs, and its boot times."""

import tarfile
from io import BufferedReader, TextIOWrapper
from pathlib import Path
from statistics import median
from typing import IO, cast

from hpc_components.bill.export import LEDGER
from hpc_components.bill.lives import boot_times
from hpc_components.bill.records import LedgerError, read_ledger
from hpc_components.forecast.jobs import JobFileError
from hpc_components.forecast.opening import uncompressed

_MAGIC, _MAGIC_AT = b"ustar", 257
"""What a tar archive has at this place. Source: POSIX.1-2017, pax, ustar interchange format."""


def is_export(plain: BufferedReader) -> bool:
    """Return whether a file, uncompressed, is an archive. Nothing is read."""
    return plain.peek(_MAGIC_AT + len(_MAGIC))[_MAGIC_AT:].startswith(_MAGIC)


def member(plain: BufferedReader, name: str) -> IO[bytes]:
    """Return a file of an export. Raise JobFileError if it does not exist."""
    archive = tarfile.open(fileobj=plain, mode="r:")  # noqa: SIM115  the caller closes the file
    for each in archive:
        if each.name.rpartition("/")[2] == name and each.isfile():
            return cast("IO[bytes]", archive.extractfile(each))
    raise JobFileError(f"it has no {name}, so it is not an export of `hpc-elastic ledger export`")


def measured_boots(path: Path) -> dict[str, int] | None:
    """Return the median seconds that the machines of each type took to boot, by the ledger of an export.

    Return None if the file is not an export. Raise JobFileError if it can't be read.
    """
    with uncompressed(path) as plain:
        if not is_export(plain):
            return None
        with TextIOWrapper(member(plain, LEDGER), encoding="utf-8", errors="replace") as lines:
            try:
                found = boot_times(read_ledger(lines, LEDGER))
            except LedgerError as error:
                raise JobFileError(str(error)) from None
    return {machine: max(1, round(median(times) / 1000)) for machine, times in sorted(found.items())}
