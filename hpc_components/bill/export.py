"""The export of a cluster's records: a ledger, the jobs, and facts about the cluster."""

import gzip
import io
import json
import tarfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass

from hpc_components.bill.about import About, read_about
from hpc_components.bill.jobs import Run, read_jobs
from hpc_components.bill.records import Ledger, LedgerError, read_ledger

LEDGER, JOBS, ABOUT = "ledger.jsonl", "jobs.psv", "about.json"
FILES = (LEDGER, JOBS, ABOUT)

_MAX_BYTES = 2**30
"""Maximum size of an unpacked file: ten times that of a month with a million jobs."""


@dataclass(frozen=True)
class Export:
    ledger: Ledger
    runs: list[Run]
    about: About


def read_export(name: str, content: Callable[[str], bytes]) -> Export:
    """Read the files of an export. `content` returns the content of the file with that name.

    Raise LedgerError if one of them is not what it should be.
    """

    def text(file: str) -> str:
        try:
            return content(file).decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise LedgerError(f"{name}/{file}: this is not UTF-8 (byte {error.start})") from None

    told = text(ABOUT)
    try:
        described = json.loads(told)
    except (ValueError, RecursionError) as error:
        raise LedgerError(f"{name}/{ABOUT}: this is not valid JSON ({error})") from None
    about = read_about(described, f"{name}/{ABOUT}")
    return Export(
        ledger=read_ledger(io.StringIO(text(LEDGER)), f"{name}/{LEDGER}"),
        runs=read_jobs(text(JOBS).split("\n"), f"{name}/{JOBS}"),
        about=about,
    )


def unpacked(name: str, archive: bytes) -> dict[str, bytes]:
    """Return the files of a packed export (.tar.gz). Raise LedgerError if it is not one."""
    found: dict[str, bytes] = {}
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(archive)) as content, tarfile.open(fileobj=content, mode="r:") as tar:
            for member in tar:
                base = member.name.rpartition("/")[2]
                if base in FILES and member.isfile():
                    if member.size > _MAX_BYTES:
                        raise LedgerError(f"{name}/{base}: it is larger than {_MAX_BYTES >> 30} GiB")
                    file = tar.extractfile(member)
                    found[base] = file.read() if file else b""
            while content.read(2**20):  # to the end, where the checksum is
                pass
    except (tarfile.TarError, OSError, EOFError, zlib.error) as error:
        raise LedgerError(f"{name} is not an export of `hpc-elastic ledger export`: {error}") from None
    if missing := set(FILES) - found.keys():
        raise LedgerError(
            f"{name} is not an export of `hpc-elastic ledger export`: it has no {', '.join(sorted(missing))}"
        )
    return found
