"""EESSI's client on systems of Red Hat's family, by the real dnf and rpm, from repositories of small packages."""

from collections.abc import Callable

from hpc_components.boot.files import boot_files
from hpc_components.catalog.eessi import cvmfs_release_package

from .gcp_stage import gcp_spec
from .rpm_packages import Rpm, done, repository
from .sandbox import Sandbox

Make = Callable[..., Sandbox]

REPOSITORY = "[cernvm]\nname=CernVM packages\nbaseurl=file:///srv/cernvm\ngpgcheck=0\n"
ROCKY = gcp_spec(os="rocky-9", slurm={"version": "25.11", "from_source": True}, software={"eessi": {}})


def test_the_client_comes_from_the_repository_that_its_publisher_s_package_adds(gcp_sandbox: Make) -> None:
    files = boot_files(ROCKY)
    address = str(cvmfs_release_package("rocky-9"))
    assert address in files["common/eessi/facts.env"]
    release = "/srv/publisher/noarch/cvmfs-release-6-1.noarch.rpm"
    files["common/eessi/facts.env"] = files["common/eessi/facts.env"].replace(address, release)
    box = gcp_sandbox("compute", **files)
    repository(box, "publisher", [Rpm("cvmfs-release", "6", files={"/etc/yum.repos.d/cernvm.repo": REPOSITORY})])
    repository(box, "cernvm", [Rpm("cvmfs", "2.13.2", files={"/usr/bin/cvmfs2": ""})])
    repository(box, "system", [Rpm("epel-release", "9"), Rpm("dnf-plugins-core", "4.3")])
    box.write("etc/yum.repos.d/crb.repo", "[crb]\nname=crb\nbaseurl=file:///srv/system\ngpgcheck=0\n")
    box.write("etc/dnf/dnf.conf", "[main]\n")
    for _ in range(2):
        box.step("common/eessi.sh", "eessi_client")
        assert done(box, "rpm", "-q", "--qf", "%{version}", "cvmfs") == "2.13.2"


def test_what_builds_software_has_the_names_of_the_family(gcp_sandbox: Make) -> None:
    box = gcp_sandbox("compute", **boot_files(ROCKY))
    wanted = "source common/node.sh; source common/packages.sh; here python3-venv build-essential xz-utils libssl-dev"
    said = done(box, "bash", "-Eeuo", "pipefail", "-c", wanted)
    assert said.split() == ["gcc", "gcc-c++", "make", "xz", "openssl-devel"]
