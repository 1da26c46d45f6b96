"""Opens files that may be compressed, and words their defects."""

import tarfile
import zlib
from collections.abc import Generator
from contextlib import contextmanager
from gzip import GzipFile
from io import BufferedReader
from pathlib import Path
from typing import Any, cast

from hpc_components.forecast.jobs import JobFileError
from hpc_components.user_files import open_regular

_GZIP = b"\x1f\x8b"


@contextmanager
def uncompressed(path: Path) -> Generator["BufferedReader[Any]"]:
    """Open a file that may be compressed with gzip. What goes wrong while it is read becomes a JobFileError."""
    try:
        with BufferedReader(open_regular(path)) as file:
            compressed = file.peek(2).startswith(_GZIP)
            yield BufferedReader(cast("Any", GzipFile(fileobj=file))) if compressed else file
    except (OSError, EOFError, zlib.error, tarfile.TarError) as error:
        raise JobFileError(f"can't read {path}: {getattr(error, 'strerror', None) or error}") from None
    except JobFileError as error:
        raise JobFileError(f"{path}: {error}") from None
