import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path


def texts_of(place: Path) -> Iterator[tuple[str, str]]:
    """Yield (name, text) for each file in a folder, zip file or tar file. For any other file, yield its text with an
    empty name.

    Files that are not UTF-8 text are skipped, as are `__pycache__` directories inside a folder.
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
