"""What nodes on Azure install, and what they look for in the image: InfiniBand, HPC-X, the Lustre client."""

import hashlib
import subprocess
from collections.abc import Callable

import pytest

from .sandbox import Sandbox
from .stage import call, refused

Make = Callable[..., Sandbox]

IMAGE = "use Azure's HPC image (image: microsoft-dsvm:ubuntu-hpc:2404:<version>), or one made of it"

PORTS = """link mlx5_an0/1 state ACTIVE physical_state LINK_UP netdev eth1
link mlx5_ib0/1 subnet_prefix fe80:0000:0000:0000 lid 1027 sm_lid 1 lmc 0 state {} physical_state LINK_UP
link mlx5_ib1/1 subnet_prefix fe80:0000:0000:0000 lid 1028 sm_lid 1 lmc 0 state ACTIVE physical_state LINK_UP
"""
INTERFACES = """1: lo: <LOOPBACK,UP> mtu 65536 \\    link/loopback 00:00:00:00:00:00 brd 00:00:00:00:00:00
2: eth0: <BROADCAST,UP> mtu 1500 \\    link/ether 00:0d:3a:00:00:01 brd ff:ff:ff:ff:ff:ff
4: ib0: <BROADCAST,UP> mtu 2044 \\    link/infiniband 00:00:09:27:fe:80 brd 00:ff:ff:ff:ff:12
5: ib1: <BROADCAST,UP> mtu 2044 \\    link/infiniband 00:00:09:27:fe:81 brd 00:ff:ff:ff:ff:12
"""


def with_fabric(make: Make, state: str = "ACTIVE", interfaces: str = INTERFACES, address: str = "ib?") -> Sandbox:
    """A node of Azure's HPC image, with two adapters."""
    box = make("compute")
    box.write("usr/share/modules/modulefiles/mpi/hpcx", "#%Module1.0\n")
    box.write("ports", PORTS.format(state))
    box.write("interfaces", interfaces)
    box.fake("rdma", "cat /ports")
    box.fake("ip", f"if [[ $2 == link ]]; then cat /interfaces; else [[ ${{!#}} == {address} ]] && echo x; fi")
    return box


def test_a_fabric_that_is_up_is_accepted(azure_sandbox: Make) -> None:
    assert call(with_fabric(azure_sandbox), "install_fabric", "node").status == 0


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"state": "INIT"}, "InfiniBand port mlx5_ib0/1 is INIT, not ACTIVE: the machine is not in the fabric"),
        ({"interfaces": INTERFACES[:90]}, f"no IPoIB interface is here: load ib_ipoib at boot, or {IMAGE}"),
        (
            {"address": "ib0"},
            "ib1 has no address: Azure's agent gives it one if /etc/waagent.conf says OS.EnableRDMA=y; " + IMAGE,
        ),
    ],
)
def test_a_fabric_that_is_not_up_is_refused(azure_sandbox: Make, change: dict[str, str], reason: str) -> None:
    box = with_fabric(azure_sandbox, **change)
    box.impatient()
    assert refused(call(box, "install_fabric", "node")) == reason


def test_a_fabric_that_comes_up_later_is_awaited(azure_sandbox: Make) -> None:
    """Ports are active when the fabric's manager has seen them."""
    box = with_fabric(azure_sandbox, state="INIT")
    box.fake("sleep", "echo x >>/slept; (($(wc -l </slept) < 20)) || sed -i s/INIT/ACTIVE/ /ports")
    assert call(box, "install_fabric", "node").status == 0
    assert len(box.read("slept").split()) == 20


def test_a_machine_without_adapter_and_an_image_without_hpc_x_are_refused(azure_sandbox: Make) -> None:
    box = with_fabric(azure_sandbox)
    box.write("ports", PORTS.splitlines()[0])
    assert refused(call(box, "install_fabric", "node")) == f"no InfiniBand adapter with a driver is here: {IMAGE}"
    assert refused(call(azure_sandbox("compute"), "install_fabric", "node")) == f"no HPC-X in this image: {IMAGE}"


def test_secure_boot_is_named_where_it_keeps_the_driver_out(azure_sandbox: Make) -> None:
    box = with_fabric(azure_sandbox)
    box.write("ports", PORTS.splitlines()[0])
    box.fake("od", "echo '   1'")
    assert refused(call(box, "install_fabric", "node")) == (
        "no InfiniBand adapter with a driver is here: secure boot is on and loads no unsigned module: unregister the"
        " subscription's feature TrustedLaunchByDefaultPreview"
    )


@pytest.mark.parametrize(
    ("there", "module"),
    [
        (["hpcx", "hpcx-pmix"], "/usr/share/modules/modulefiles/mpi/hpcx-pmix"),
        (["hpcx"], "/usr/share/modules/modulefiles/mpi/hpcx"),
    ],
)
def test_the_mpi_is_that_of_the_image(azure_sandbox: Make, there: list[str], module: str) -> None:
    box = azure_sandbox("compute")
    for name in there:
        box.write(f"usr/share/modules/modulefiles/mpi/{name}", "#%Module1.0\n")
    assert call(box, "fabric_mpi").lines == [module]


def with_archive(make: Make, content: bytes = b"") -> Sandbox:
    """A login node without HPC-X, and what it fetches."""
    box = make("login")
    folder = box.root / "served/hpcx-v2-x86_64/modulefiles"
    folder.mkdir(parents=True)
    (folder / "hpcx").write_text("#%Module1.0\n")
    subprocess.run(["tar", "-cjf", "../hpcx.tbz", "hpcx-v2-x86_64"], cwd=box.root / "served", check=True)
    archive = (box.root / "hpcx.tbz").read_bytes()
    sum = hashlib.sha256(archive).hexdigest()
    settings = f"HPC_HPCX=https://example.org/hpcx-v2-x86_64.tbz\nHPC_HPCX_SHA256={sum}\n"
    box.write("opt/hpc/config/common/cloud.env", settings)
    (box.root / "hpcx.tbz").write_bytes(archive + content)
    box.fake("curl", "cp /hpcx.tbz $7")
    return box


@pytest.mark.parametrize("where", ["users", "image"])
def test_people_and_images_get_the_same_mpi(azure_sandbox: Make, where: str) -> None:
    box = with_archive(azure_sandbox)
    for _ in range(2):
        assert call(box, "install_fabric", where).status == 0
        box.fake("curl", "exit 9")
    assert call(box, "fabric_mpi").lines == ["/opt/hpcx-v2-x86_64/modulefiles/hpcx"]


def test_an_archive_that_was_changed_is_refused(azure_sandbox: Make) -> None:
    box = with_archive(azure_sandbox, b"more")
    reason = refused(call(box, "install_fabric", "users"))
    assert reason.endswith("hpcx-v2-x86_64.tbz: not the checksum that it had in Azure's HPC image")
    assert not (box.root / "opt/hpcx-v2-x86_64").exists()
    assert not [*(box.root / "var/tmp").glob("hpcx.*")], "tried every minute, it would fill the disk"


def test_a_system_without_hpc_x_is_refused(azure_sandbox: Make) -> None:
    reason = refused(call(azure_sandbox("login"), "install_fabric", "users"))
    assert reason == "there is no HPC-X for debian-13: use os: ubuntu-24.04 or ubuntu-22.04"


MADISON = """
amlfs-lustre-client-2.16.1-14-gbc76088 | 6.8.0-1030-azure | https://example.org noble/main
amlfs-lustre-client-2.17.0-24-gf517bc4 | 6.8.0-1044-azure | https://example.org noble/main
amlfs-lustre-client-2.17.0-24-gf517bc4 | 6.8.0-1030-azure | https://example.org noble/main
amlfs-lustre-client-2.17.0-9-gf517bc4 | 6.8.0-1030-azure | https://example.org noble/main
"""


def lustre(make: Make, kernel: str) -> Sandbox:
    box = make("compute")
    box.write("etc/os-release", "ID=ubuntu\nVERSION_ID=24.04\nVERSION_CODENAME=noble\n")
    box.write("madison", MADISON)
    box.fake("uname", f"echo {kernel}")
    box.fake("modinfo", "exit 1")
    box.fake("curl", "echo a key")
    box.fake("apt-mark", 'echo "$@" >>/did')
    box.fake("apt-cache", "if [[ $1 == pkgnames ]]; then echo $2; else cat /madison; fi")
    box.fake("apt-get", 'echo "${@: -1}" >>/did')
    box.fake("dpkg-query", "printf '%s\\n' linux-azure linux-image-azure-lts-24.04")
    return box


def test_the_lustre_client_fits_the_running_kernel(azure_sandbox: Make) -> None:
    """The newest that there is for it."""
    box = lustre(azure_sandbox, "6.8.0-1030-azure")
    assert call(box, "install_lustre_client").status == 0
    assert box.read("did").splitlines() == [
        "APT::Update::Error-Mode=any",
        "amlfs-lustre-client-2.17.0-24-gf517bc4=6.8.0-1030-azure",
        "-q hold linux-azure linux-image-azure-lts-24.04",
    ]
    assert box.read("etc/apt/sources.list.d/hpc-amlfs.list") == (
        "deb [signed-by=/usr/share/keyrings/hpc-amlfs.asc]"
        " https://packages.microsoft.com/repos/amlfs-noble noble main\n"
    )


def test_an_image_s_own_list_and_client_are_used(azure_sandbox: Make) -> None:
    """Azure's HPC image has both. apt refuses to read two lists with other keys for one address."""
    box = lustre(azure_sandbox, "6.8.0-1030-azure")
    own = "deb [signed-by=/x.gpg] https://packages.microsoft.com/repos/amlfs-noble/ noble main\n"
    box.write("etc/apt/sources.list.d/amlfs.list", own)
    assert call(box, "install_lustre_client").status == 0
    assert not (box.root / "etc/apt/sources.list.d/hpc-amlfs.list").exists()
    box.write("did", "")
    box.fake("modinfo", "")
    box.fake("mount.lustre", "")
    assert call(box, "install_lustre_client").status == 0
    assert box.read("did").splitlines() == ["-q hold linux-azure linux-image-azure-lts-24.04"]


def test_a_kernel_or_system_without_a_lustre_client_is_named(azure_sandbox: Make) -> None:
    box = lustre(azure_sandbox, "6.20.0-1001-azure")
    assert call(box, "install_lustre_client").why == (
        "no Lustre client for kernel 6.20.0-1001-azure: Azure has no amlfs-lustre-client for it;"
        " use Azure's HPC image, or one with a kernel that it has one for"
    )
    box.write("etc/os-release", "ID=debian\nVERSION_ID=13\nVERSION_CODENAME=trixie\n")
    assert refused(call(box, "install_lustre_client")) == (
        "Azure has no Lustre client for debian-13: use os: ubuntu-24.04 or ubuntu-22.04"
    )
