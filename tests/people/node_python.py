"""Runs parts of `hpc-people` with the system's Python and LDAP library, as nodes do."""

import subprocess
from pathlib import Path

from hpc_components.boot.archive import node_archive

PYTHON = "/usr/bin/python3"

ASK = """
import sys
sys.path.insert(0, sys.argv[1])
from hpc_components.people.node.directory import Directory
from hpc_components.people.node.directory_settings import Settings
from hpc_components.people.node.document import write
try:
    found = Directory(Settings.read(sys.stdin.read()), lambda secret: sys.argv[2]).ask()
except OSError as error:
    sys.exit(str(error))
sys.stdout.write(write(found.document))
"""
"""Takes settings from its input; its arguments are the program and the password."""


def missing_ldap() -> str:
    """What is missing to ask a directory; empty if nothing is."""
    has_ldap = subprocess.run([PYTHON, "-c", "import ldap"], check=False, capture_output=True).returncode == 0
    return "" if has_ldap else "needs python3-ldap (make system)"


def packed(folder: Path) -> Path:
    """The program as a file, which its modules can be imported from."""
    file = folder / "hpc-people"
    file.write_bytes(node_archive("people"))
    return file
