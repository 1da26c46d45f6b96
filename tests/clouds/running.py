"""The real `hpc` as a process that knows the toy cloud."""

import os
import subprocess
from pathlib import Path

from tests.cli import running
from tests.cli.running import ROOT

__all__ = ["KNOWS_THE_TOY", "hpc"]

_HERE = Path(__file__).parent

KNOWS_THE_TOY = {"PYTHONPATH": os.pathsep.join(map(str, (_HERE.parent, _HERE / "site")))}
"""Environment of a process that registers the toy cloud when it starts."""


def hpc(*arguments: str, cwd: Path = ROOT, stdin: str = "") -> subprocess.CompletedProcess[str]:
    """`hpc` with these arguments."""
    return running.hpc(*arguments, cwd=cwd, env=KNOWS_THE_TOY, stdin=stdin)
