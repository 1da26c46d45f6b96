"""A cloud's reader of plans needs neither Pulumi nor an SDK: a plan is shown where neither is installed."""

import subprocess
import sys

import pytest

from hpc_components.cloud import CLOUDS

_READ = """
import sys
from hpc_components.cloud import cloud_named
cloud_named(sys.argv[1]).parts.plan_reader.inputs()
print([name for name in sys.modules if name.partition(".")[0].startswith("pulumi") or name == "grpc"])
"""


@pytest.mark.parametrize("cloud", CLOUDS)
def test_reader_of_a_cloud_imports_no_pulumi(cloud: str) -> None:
    done = subprocess.run([sys.executable, "-c", _READ, cloud], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "[]"
