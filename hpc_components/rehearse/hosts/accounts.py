"""Writes the tables of users and groups of a host."""

from pathlib import Path

from hpc_components.people.node.document import Document
from hpc_components.people.node.tables import tables


def account_files(root: Path, people: Document) -> dict[str, str]:
    """Return passwd, group and shadow of a host, keyed by path: those of the root file system `root`, in which
    `people` replace users and groups with their names or ids."""
    made = tables(people)
    texts = {"/etc/passwd": made.passwd, "/etc/group": made.group, "/etc/shadow": made.shadow}
    return {path: _kept(root / path.removeprefix("/"), text) + text for path, text in texts.items()}


def _kept(file: Path, replacing: str) -> str:
    """Return the lines of a table whose name and id are not in the other table."""
    new = [line.split(":") for line in replacing.splitlines()]
    names, ids = {each[0] for each in new}, {each[2] for each in new} - {""}  # shadow has dates there, ours has none
    lines = (line.split(":") for line in file.read_text(encoding="utf-8", errors="replace").splitlines())
    return "".join(":".join(line) + "\n" for line in lines if line[0] not in names and ids.isdisjoint(line[2:3]))
