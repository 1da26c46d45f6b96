"""Reading a plan needs neither the SDK nor Pulumi."""

import subprocess
import sys
from pathlib import Path

GOLDEN = Path(__file__).parents[3] / "preview" / "golden" / "plan.json"

_SHOW = """
import sys
from hpc_components.preview.plan import Plan
from hpc_components.preview.cost import cost_of
from hpc_components.preview.quota import quotas_of
from hpc_components.preview.render.html import render_html
plan = Plan.from_json(open(sys.argv[1], encoding="utf-8").read())
assert cost_of(plan.resources, plan.cloud, plan.region) == plan.cost
assert quotas_of(plan.resources, plan.cloud, plan.region) == plan.quota
assert "<svg" in render_html(plan)
print([name for name in sys.modules if name.partition(".")[0] in ("pulumi", "pulumi_aws", "grpc")])
"""


def test_a_plan_is_read_priced_and_drawn_without_an_sdk() -> None:
    done = subprocess.run([sys.executable, "-c", _SHOW, str(GOLDEN)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "[]"
