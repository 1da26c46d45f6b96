"""Reviewed results kept as files. `HPC_WRITE_GOLDENS=1 pytest` writes them anew: read what changed."""

import os
from pathlib import Path

_FOLDER = Path(__file__).with_name("golden")


def assert_golden(name: str, text: str, folder: Path = _FOLDER) -> None:
    """`text` is what the file `name` of `folder`, `tests/rehearse/show/golden`, holds."""
    path = folder / name
    if os.environ.get("HPC_WRITE_GOLDENS"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8"), f"{path.name} differs; HPC_WRITE_GOLDENS=1 writes it anew"
