"""What docs/bill.md shows of commands is what they print."""

import re
from pathlib import Path

import pytest

from tests.cli.running import hpc

PAGE = (Path(__file__).parents[2] / "docs/bill.md").read_text(encoding="utf-8")
SHOWN = re.findall(r"^```sh\nhpc (bill [^\n]*)\n```\n\n```text\n(.*?)^```", PAGE, re.M | re.S)


def test_the_page_has_examples() -> None:
    assert len(SHOWN) == 3


@pytest.mark.parametrize(("command", "output"), SHOWN)
def test_an_example_prints_what_the_page_shows(command: str, output: str) -> None:
    done = hpc(*command.split())
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == output
