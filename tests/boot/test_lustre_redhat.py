"""The Lustre client on systems of Red Hat's family, by the real dnf and rpm, from repositories of small packages."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from hpc_components.boot.files import boot_files
from hpc_components.spec.cluster import ClusterSpec

from .azure_stage import azure_spec
from .cluster import spec
from .gcp_stage import gcp_spec
from .rpm_packages import Rpm, done, repository
from .sandbox import Sandbox
from .stage import call

Make = Callable[..., Sandbox]
SLURM = {"version": "25.11", "from_source": True}
KERNEL = "5.14.0-570.12.1.el9_6"
MODULE = f"/lib/modules/{KERNEL}.x86_64/extra/lustre.ko"
SYSTEM = [
    Rpm("epel-release", "9"),
    Rpm("dnf-plugins-core", "4.3"),
    Rpm("kernel-core", "5.14.0_611.5.1"),
    Rpm("kernel-devel", "5.14.0_611.5.1"),
]
CLIENT = [
    Rpm("kmod-lustre-client", "2.15.6", ["kernel-core"], {MODULE: ""}),
    Rpm("lustre-client", "2.15.6", ["kmod-lustre-client"], {"/usr/sbin/mount.lustre": ""}),
]


def for_azure(lustre: str, kernel: str) -> Rpm:
    """The package by which Microsoft keeps client and kernel together."""
    files = {MODULE: "", "/usr/sbin/mount.lustre": ""}
    return Rpm(f"amlfs-lustre-client-{lustre}", kernel, ["kernel-core"], files)


AZURE = [
    for_azure("2.15.6_39_g3e00a10", "5.14.0.570.12.1.el9.6"),
    for_azure("2.15.8_39_g2d32b59", "5.14.0.570.12.1.el9.6"),
    for_azure("2.15.9_1_gabcdef0", "5.14.0.611.5.1.el9.7"),
]


@pytest.fixture(scope="module")
def srv(tmp_path_factory: pytest.TempPathFactory, layers: tuple[Path, ...]) -> Path:
    """Repositories, as nodes reach them at /srv."""
    at = tmp_path_factory.mktemp("rpm")
    box = Sandbox(at, layers, {})
    repository(box, "system", SYSTEM)
    repository(box, "installed", [Rpm("kernel-core", "5.14.0_570.12.1")])
    repository(box, "el/9.6/x86_64", CLIENT, signed=True)
    repository(box, "unsigned/9.6/x86_64", CLIENT)
    repository(box, "azure", AZURE, signed=True)
    repository(box, "google", CLIENT)
    newer = [Rpm("kmod-lustre-client", "2.15.6", ["kernel-core > 5.14.0_600"]), CLIENT[1]]
    repository(box, "newer", newer)
    return box.root / "srv"


@pytest.fixture
def node(srv: Path) -> Callable[[Make, ClusterSpec, str], Sandbox]:
    """Makes sandboxes of nodes of the family, to which the repository of clients is in a directory of /srv."""

    def make(sandbox: Make, cluster: ClusterSpec, packages: str) -> Sandbox:
        files = boot_files(cluster)
        env = files["common/cloud.env"].splitlines()
        own = {"HPC_LUSTRE_PACKAGES": f"file:///srv/{packages}", "HPC_LUSTRE_KEY": "file:///srv/key.asc"}
        kept = [line for line in env if line.partition("=")[0] not in own]
        env = [*kept, *(f"{name}={value}" for name, value in own.items())]
        box = sandbox("compute", **(files | {"common/cloud.env": "\n".join(env) + "\n"}))
        shutil.copytree(srv, box.root / "srv")
        box.write("etc/yum.repos.d/crb.repo", "[crb]\nname=crb\nbaseurl=file:///srv/system\ngpgcheck=0\n")
        box.write("etc/dnf/dnf.conf", "[main]\nbest=True\n")
        box.fake("uname", f"if [[ $1 == -r ]]; then echo {KERNEL}.x86_64; else echo x86_64; fi")
        box.fake("modinfo", f"[[ -e {MODULE} ]]")
        done(box, "bash", "-ec", "rpm --install --nodeps /srv/installed/noarch/*.rpm")
        return box

    return make


Node = Callable[[Make, ClusterSpec, str], Sandbox]


def installed(box: Sandbox) -> list[str]:
    return sorted(done(box, "rpm", "-qa", "--qf", "%{name} %{version}\n").splitlines())


def test_the_client_of_fsx_is_of_the_running_kernel_s_release(sandbox: Make, node: Node) -> None:
    box = node(sandbox, spec(os="rocky-9", slurm=SLURM), "el")
    for _ in range(2):
        assert call(box, "install_lustre_client").status == 0
        assert {"kmod-lustre-client 2.15.6", "lustre-client 2.15.6"} <= set(installed(box))
    repo = box.read("etc/yum.repos.d/hpc-lustre.repo").splitlines()
    assert "baseurl=file:///srv/el/9.6/$basearch" in repo
    assert "gpgcheck=1" in repo


def test_a_client_without_the_publisher_s_signature_is_refused(sandbox: Make, node: Node) -> None:
    box = node(sandbox, spec(os="rocky-9", slurm=SLURM), "unsigned")
    said = call(box, "install_lustre_client")
    assert said.status != 0
    assert "not signed" in said.why or "GPG check FAILED" in said.why
    assert "kmod-lustre-client 2.15.6" not in installed(box)


def test_a_kernel_that_is_not_the_system_s_has_no_client_of_fsx(sandbox: Make, node: Node) -> None:
    box = node(sandbox, spec(os="rocky-9", slurm=SLURM), "el")
    box.fake("uname", "echo 6.12.9-1.el9.elrepo.x86_64")
    assert call(box, "install_lustre_client").why.startswith(
        "no Lustre client for kernel 6.12.9-1.el9.elrepo.x86_64: it is not one of the system's own"
    )


def test_the_client_on_azure_is_the_newest_for_the_running_kernel(azure_sandbox: Make, node: Node) -> None:
    box = node(azure_sandbox, azure_spec(os="almalinux-9", slurm=SLURM), "azure")
    assert call(box, "install_lustre_client").status == 0
    clients = [each for each in installed(box) if each.startswith("amlfs")]
    assert clients == ["amlfs-lustre-client-2.15.8_39_g2d32b59 5.14.0.570.12.1.el9.6"]


def test_a_kernel_without_a_client_on_azure_is_named(azure_sandbox: Make, node: Node) -> None:
    box = node(azure_sandbox, azure_spec(os="almalinux-9", slurm=SLURM), "azure")
    box.fake("uname", "if [[ $1 == -r ]]; then echo 5.14.0-999.1.1.el9_9.x86_64; else echo x86_64; fi")
    assert call(box, "install_lustre_client").why.startswith(
        "no Lustre client for kernel 5.14.0-999.1.1.el9_9.x86_64: Azure has no amlfs-lustre-client for it;"
    )


def test_the_client_on_google_cloud_has_modules_for_the_running_kernel(gcp_sandbox: Make, node: Node) -> None:
    box = node(gcp_sandbox, gcp_spec(os="rocky-9", slurm=SLURM), "google")
    assert call(box, "install_lustre_client").status == 0
    assert {"kmod-lustre-client 2.15.6", "lustre-client 2.15.6"} <= set(installed(box))
    other = node(gcp_sandbox, gcp_spec(os="rocky-9", slurm=SLURM), "google")
    other.fake("uname", "if [[ $1 == -r ]]; then echo 5.14.0-611.5.1.el9_7.x86_64; else echo x86_64; fi")
    other.fake("modinfo", "exit 1")
    assert call(other, "install_lustre_client").why == (
        "no Lustre client for kernel 5.14.0-611.5.1.el9_7.x86_64: the modules of Google's packages are for others;"
        " use an image with a kernel of these"
    )


def test_the_client_brings_no_other_kernel(gcp_sandbox: Make, node: Node) -> None:
    box = node(gcp_sandbox, gcp_spec(os="rocky-9", slurm=SLURM), "newer")
    assert call(box, "install_lustre_client").status != 0
    assert [each for each in installed(box) if each.startswith("kernel-core")] == ["kernel-core 5.14.0_570.12.1"]


def test_updates_keep_the_kernel_but_bring_its_headers(gcp_sandbox: Make, node: Node) -> None:
    box = node(gcp_sandbox, gcp_spec(os="rocky-9", slurm=SLURM), "google")
    box.write("etc/dnf/dnf.conf", "[main]\nexclude=moby\n")
    for _ in range(2):
        assert call(box, "install_lustre_client").status == 0
        assert box.read("etc/dnf/dnf.conf") == "[main]\nexclude=kernel kernel-core kernel-modules* moby\n"
    done(box, "dnf", "-y", "-q", "upgrade")
    done(box, "dnf", "-y", "-q", "install", "kernel-devel")
    kernels = [each for each in installed(box) if each.startswith("kernel")]
    assert kernels == ["kernel-core 5.14.0_570.12.1", "kernel-devel 5.14.0_611.5.1"]
