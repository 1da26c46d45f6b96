"""The recommended conditions of `hpc diff --fail-on`, on the same changes of three clouds."""

from pathlib import Path

import pytest
from planned_changes import plan_of

from tests.cli.running import hpc

HOME = "home: {type: nfs, mount: /home, size: 1TiB}"
LUSTRE = {
    "aws-cfd": "home: {type: lustre, mount: /home, size: 1.2TiB, deployment: scratch_2}",
    "azure-hbv4": "home: {type: lustre, mount: /home, size: 8TiB, throughput: 250}",
    "gcp-h3": "home: {type: lustre, mount: /home, size: 9000GiB}",
}


@pytest.mark.parametrize("stack", LUSTRE)
@pytest.mark.parametrize(
    ("edit", "held"),
    [
        ((HOME, "LUSTRE"), "data-loss"),
        ((f"      {HOME}\n", ""), "data-loss"),
        (("      home: {", "      homes: {"), "data-loss"),
        (("mount: /home", "mount: /users"), "data-loss"),
        (("203.0.113.0/24", "0.0.0.0/0"), "access"),
        (("max: 16", "max: 24"), ""),
        (("name: spot", "name: cheap"), ""),
    ],
    ids=["other type", "removed", "other key", "other mount", "ssh opened", "larger maximum", "queue renamed"],
)
def test_the_recommended_conditions_stop_harmful_changes(
    stack: str, edit: tuple[str, str], held: str, tmp_path: Path
) -> None:
    old, new = edit[0], edit[1].replace("LUSTRE", LUSTRE[stack])
    (tmp_path / "before.json").write_text(plan_of(stack).to_json())
    (tmp_path / "after.json").write_text(plan_of(stack, (old, new)).to_json())
    done = hpc("diff", "before.json", "after.json", "--fail-on", "data-loss,access", cwd=tmp_path)
    said = f"{stack}: the --fail-on condition `{held}` holds\n" if held else ""
    assert (done.returncode, done.stderr) == (1 if held else 0, said)
