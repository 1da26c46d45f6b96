"""The systemd units, judged by systemd itself."""

import os
import re
import shutil
import subprocess

import pytest

from elastic.lab import DEBIAN_13
from hpc_components.boot.archive import archive, units

needs_systemd = pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd-analyze is not installed")


@pytest.fixture(params=["this machine", "Debian 13"])
def root(request, tmp_path):
    """A root directory in which units and the archive lie where they belong; prepares a command to run there."""
    if os.geteuid() != 0 or shutil.which("unshare") is None:
        pytest.skip("needs root and unshare")
    if request.param == "Debian 13" and not (DEBIAN_13 / "usr/bin/systemd-analyze").exists():
        pytest.skip(f"no root file system with systemd {DEBIAN_13}; tools/root_fs.sh makes it")
    lower = "/" if request.param == "this machine" else DEBIAN_13
    script = tmp_path / "enter.sh"
    script.write_text(f"""
        cd {tmp_path}
        mount -t tmpfs tmpfs layer
        mkdir layer/upper layer/work layer/root
        mount -t overlay overlay -o lowerdir={lower},upperdir=layer/upper,workdir=layer/work layer/root
        mount -t proc proc layer/root/proc
        mkdir -p layer/root/opt/hpc/bin
        cp files/hpc-elastic layer/root/opt/hpc/bin/
        cp files/*.service layer/root/etc/systemd/system/
        exec chroot layer/root "$@"
    """)
    (tmp_path / "layer").mkdir()
    (tmp_path / "files").mkdir()
    for name, text in units().items():
        (tmp_path / "files" / name).write_text(text)
    (tmp_path / "files/hpc-elastic").write_bytes(archive("aws"))
    (tmp_path / "files/hpc-elastic").chmod(0o755)

    def run(*command):
        entered = ["unshare", "-m", "sh", "-eu", script, *command]
        return subprocess.run(
            entered, capture_output=True, text=True, env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin"}, timeout=120
        )

    return run


@needs_systemd
@pytest.mark.parametrize("unit", ["hpc-elastic.service", "hpc-watch.service"])
def test_systemd_has_nothing_to_say(root, unit):
    verified = root("systemd-analyze", "verify", "--man=no", f"/etc/systemd/system/{unit}")
    assert (verified.returncode, verified.stderr) == (0, "")


@needs_systemd
@pytest.mark.parametrize("unit", ["hpc-elastic.service", "hpc-watch.service"])
def test_a_units_exposure_level_is_low(root, unit):
    judged = root("systemd-analyze", "security", "--offline=true", "--no-pager", f"/etc/systemd/system/{unit}")
    found = re.search(r"Overall exposure level for \S+: (\d+\.\d)", judged.stdout)
    assert found, judged.stderr
    assert float(found[1]) < 2.0, judged.stdout


@pytest.mark.parametrize("unit", units())
def test_a_unit_never_gives_up(unit):
    text = units()[unit]
    assert "Restart=always" in text
    assert "StartLimitIntervalSec=0" in text
