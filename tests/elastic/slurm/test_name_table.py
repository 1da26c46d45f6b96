"""What the elastic daemon writes for the name server."""

import os
from pathlib import Path

import pytest

from hpc_components.elastic.slurm.name_table import NameTable, table


def tables(folder: Path) -> NameTable:
    (folder / "off").mkdir()
    return NameTable(folder / "nodes", folder / "off" / "nodes")


def test_each_node_with_an_address_has_a_line():
    """Slurm names a node that never registered as its own address."""
    addresses = {"debug-2": "10.90.0.101", "debug-1": "10.90.0.100", "large-1": "large-1", "large-2": ""}
    assert table(addresses) == "10.90.0.100 debug-1\n10.90.0.101 debug-2\n"


def test_the_table_holds_the_nodes_told_last_and_nothing_else(tmp_path: Path):
    names = tables(tmp_path)
    names.publish({"debug-1": "10.90.0.100", "debug-2": "10.90.0.101"}, {"large-1"})
    names.publish({"debug-2": "10.90.0.7"}, {"large-1", "debug-1"})
    written = {str(each.relative_to(tmp_path)): each.read_text() for each in tmp_path.rglob("*") if each.is_file()}
    assert written == {
        "nodes": "10.90.0.7 debug-2\n",
        "off/nodes": "255.255.255.255 debug-1\n255.255.255.255 large-1\n",
    }


def test_the_table_is_replaced_at_once(tmp_path: Path):
    """Who has the old one open reads the old one to its end."""
    names = tables(tmp_path)
    names.publish({"debug-1": "10.90.0.100"}, ())
    with open(tmp_path / "nodes") as old:
        names.publish({"debug-1": "10.90.0.7"}, ())
        assert old.read() == "10.90.0.100 debug-1\n"


def test_the_name_server_may_read_it_under_the_daemon_s_umask(tmp_path: Path):
    before = os.umask(0o077)
    try:
        tables(tmp_path).publish({}, ())
    finally:
        os.umask(before)
    for path in ("nodes", "off/nodes"):
        assert (tmp_path / path).stat().st_mode & 0o777 == 0o644


def test_a_file_left_by_a_crash_is_written_over(tmp_path: Path):
    (tmp_path / ".nodes").write_text("10.90.0.1 a line of a longer file that nobody finished\n")
    tables(tmp_path).publish({"debug-1": "10.90.0.100"}, ())
    assert (tmp_path / "nodes").read_text() == "10.90.0.100 debug-1\n"


def test_a_disk_that_is_full_is_an_os_error(tmp_path: Path):
    with pytest.raises(OSError, match="nowhere"):
        NameTable(tmp_path / "nowhere" / "nodes", tmp_path / "off").publish({}, ())
