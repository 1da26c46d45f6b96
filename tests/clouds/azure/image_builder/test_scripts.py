"""The scripts that Azure runs, with a false `az` that answers from files."""

import os
import subprocess
from pathlib import Path

import pytest

from hpc_components.azure import image_builder

HERE = Path(image_builder.__path__[0])
AZ = r"""#!/bin/bash
echo "$*" >>"$STATE/calls"
case "$*" in
*"show --ids version"*) cat "$STATE/version" 2>/dev/null ;;
*"show --ids template"*runState*) head -1 "$STATE/runs" && sed -i 1d "$STATE/runs" ;;
*"show --ids template"*) echo "disk is full" ;;
*invoke-action*) [ ! -e "$STATE/refuses" ] || exit 1 ;;
*image-definition*list*) cat "$STATE/images" ;;
*image-version*list*)
    image=$(sed 's/.*--gallery-image-definition \([^ ]*\).*/\1/' <<<"$*")
    cat "$STATE/versions-$image"
    ;;
esac
if [ "$2" = invoke-action ] && [ -e "$STATE/makes" ]; then echo Succeeded >"$STATE/version"; fi
exit 0
"""


@pytest.fixture
def az(tmp_path: Path) -> Path:
    """The folder with what `az` answers."""
    (tmp_path / "az").write_text(AZ, encoding="utf-8")
    (tmp_path / "az").chmod(0o755)
    return tmp_path


def run(az: Path, script: str, **variables: str) -> subprocess.CompletedProcess[str]:
    known = {"PATH": f"{az}:{os.environ['PATH']}", "STATE": str(az), "SECONDS_BETWEEN": "0"}
    return subprocess.run(
        ["bash", str(HERE / script)], env=known | variables, text=True, capture_output=True, check=False, timeout=60
    )


def build(az: Path, *states: str) -> subprocess.CompletedProcess[str]:
    (az / "runs").write_text("".join(f"{state}\n" for state in states), encoding="utf-8")
    return run(az, "build.sh", TEMPLATE="template", VERSION="version")


def calls(az: Path) -> list[str]:
    return (az / "calls").read_text(encoding="utf-8").splitlines()


def test_build_waits_until_the_version_is_there(az: Path):
    (az / "makes").touch()
    done = build(az, "Running", "Running", "Succeeded")
    assert done.returncode == 0, done.stderr
    assert sum("runState" in call for call in calls(az)) == 3


def test_version_that_exists_is_not_made_again(az: Path):
    (az / "version").write_text("Succeeded\n", encoding="utf-8")
    assert build(az).returncode == 0
    assert not [call for call in calls(az) if "invoke-action" in call]


@pytest.mark.parametrize("state", ["Failed", "Canceled", "PartiallySucceeded"])
def test_failed_build_fails_the_script_with_its_reason(az: Path, state: str):
    done = build(az, "Running", state)
    assert done.returncode == 1
    assert "disk is full" in done.stderr


def test_build_without_a_version_fails(az: Path):
    done = build(az, "Succeeded")
    assert (done.returncode, "does not exist" in done.stderr) == (1, True)


def test_script_fails_if_the_run_is_refused(az: Path):
    (az / "refuses").touch()
    assert build(az, "Succeeded").returncode != 0


def deleted(az: Path, keep: str, pinned: str = "-") -> list[str]:
    done = run(az, "retain.sh", GROUP="nodes", GALLERY="cfd_images", KEEP=keep, PINNED=pinned)
    assert done.returncode == 0, done.stderr
    return [" ".join(call.split()[-3::2]) for call in calls(az) if "version delete" in call]


def test_old_versions_are_deleted_and_the_current_one_and_pinned_ones_stay(az: Path):
    (az / "images").write_text("cpu\ngone\n", encoding="utf-8")
    (az / "versions-cpu").write_text("5.0.0\n4.0.0\n3.0.0\n2.0.0\n1.0.0\n", encoding="utf-8")
    (az / "versions-gone").write_text("9.0.0\n", encoding="utf-8")
    gallery = "/subscriptions/x/resourceGroups/nodes/providers/Microsoft.Compute/galleries/cfd_images"
    pinned = f"{gallery}/images/cpu/versions/1.0.0"
    assert deleted(az, "cpu 2 3.0.0\n", pinned) == ["cpu 4.0.0", "cpu 2.0.0", "gone 9.0.0"]
