"""Packages on a node that went down while it installed some."""

from collections.abc import Callable

from .sandbox import Sandbox

GOES_DOWN = r"""
record=$(awk -v RS= -v ORS='\n\n' '/^Package: munge\n/' /var/lib/dpkg/status)
[[ -n $record ]]
sed 's/^Status: .*/Status: install ok unpacked/' <<<"$record" >/var/lib/dpkg/updates/0001
"""


def test_they_are_installed_all_the_same(sandbox: Callable[..., Sandbox]) -> None:
    box = sandbox("head")
    assert box.run("bash", "-ec", GOES_DOWN).returncode == 0
    refused = box.run("apt-get", "-qq", "-y", "--no-download", "install", "munge")
    assert "dpkg was interrupted" in refused.stdout
    assert box.run("touch", "/run/hpc/updated").returncode == 0  # no archive is asked
    box.step("common/packages.sh", "packages")
    is_now = box.run("dpkg-query", "-W", "-f", "${db:Status-Status}", "munge")
    assert is_now.stdout == "installed"
