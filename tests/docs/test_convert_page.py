"""docs/convert.md, walked through in an empty folder."""

import os
import subprocess
from pathlib import Path

from tests.cli.running import HPC, ROOT
from tests.docs.walking import missing_lines, steps


def test_every_command_works_and_writes_what_the_page_shows(tmp_path: Path) -> None:
    path = f"{Path(HPC).parent}:{os.environ['PATH']}"
    walked = steps(ROOT / "docs/convert.md")
    assert len(walked) == 3
    for step in walked:
        commands = step.commands
        for code in step.may_end_with - {0}:
            commands = commands.replace(f"# exit code {code}", f"|| test $? -eq {code}")
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", commands],
            cwd=tmp_path, env=os.environ | {"PATH": path, "COLUMNS": "100"}, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )  # fmt: skip
        assert done.returncode == 0, f"{commands}\n{done.stdout}"
        assert missing_lines(step.shown, done.stdout) == [], done.stdout
