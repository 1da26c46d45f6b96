"""What the files of an asset or archive say."""

import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

__all__ = ["texts_of"]


def texts_of(place: Path) -> Iterator[tuple[str, str]]:
    """Every text with its name: of a file (whose name is empty), of those in a folder, in a zip or in a tar file.

    What is no UTF-8 is left out, and so is what Python leaves in a folder (`__pycache__`).
    """
    if place.is_dir():
        parts = sorted(each for each in place.rglob("*") if each.is_file() and "__pycache__" not in each.parts)
        contents = ((each.relative_to(place).as_posix(), each.read_bytes()) for each in parts)
    elif zipfile.is_zipfile(place):
        contents = _in_zip(place)
    elif tarfile.is_tarfile(place):
        contents = _in_tar(place)
    else:
        contents = iter([("", place.read_bytes())])
    for name, content in contents:
        try:
            yield name, content.decode()
        except UnicodeDecodeError:
            continue


def _in_zip(place: Path) -> Iterator[tuple[str, bytes]]:
    with zipfile.ZipFile(place) as archive:
        for name in archive.namelist():
            yield name, archive.read(name)


def _in_tar(place: Path) -> Iterator[tuple[str, bytes]]:
    with tarfile.open(place) as archive:
        for member in archive:
            if file := archive.extractfile(member):
                yield member.name, file.read()
