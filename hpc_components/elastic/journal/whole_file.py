import os
from pathlib import Path


def replace_whole(path: Path, text: str) -> None:
    """Write a new file and rename it over the old one, so that a half-written file is never read."""
    beside = path.with_name(path.name + ".new")
    with beside.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    beside.replace(path)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
