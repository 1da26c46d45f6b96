"""What docs/slurm.md says of keys and examples is so."""

import re
from pathlib import Path

import pytest
import yaml

from hpc_components.spec.slurm.ownership import OWNED, OWNED_OF_PARTITIONS
from tests.slurm.described import cluster

PAGE = (Path(__file__).parents[2] / "docs/slurm.md").read_text(encoding="utf-8")


def test_every_key_that_is_ours_is_listed() -> None:
    table = PAGE.partition("| keys | why |")[2].partition("\n\n")[0]
    assert set(re.findall(r"`([A-Z]\w+)`", table)) - {"TaskProlog", "EpilogSlurmctld"} == {
        *OWNED,
        *OWNED_OF_PARTITIONS,
    }


@pytest.mark.parametrize("block", re.findall(r"^```yaml\n(.*?)^```", PAGE, re.M | re.S))
def test_an_example_has_no_error(block: str) -> None:
    keys = yaml.safe_load(block)
    assert cluster(*keys.pop("queues"), zone="use2-az3", **keys)
