"""`hpc` as a process that knows the toy cloud."""

import os
import subprocess
from pathlib import Path

from clouds.descriptions import PLAY_FILE
from tests.cli import running
from tests.cli.preloaded import Preloaded
from tests.cli.running import ROOT

_HERE = Path(__file__).parent

KNOWS_THE_TOY = {"PYTHONPATH": os.pathsep.join(map(str, (_HERE.parent, _HERE / "site")))}
"""Environment of a process that registers the toy cloud when it starts."""

_PRELOADED = Preloaded({**os.environ, **KNOWS_THE_TOY}, str(PLAY_FILE))


def hpc(*arguments: str, cwd: Path = ROOT, stdin: str = "") -> subprocess.CompletedProcess[str]:
    """`hpc` with these arguments."""
    return running.hpc(*arguments, cwd=cwd, stdin=stdin, by=_PRELOADED)
