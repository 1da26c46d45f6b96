"""What nodes on Google Cloud install, and what they look for: network cards, their settings, the Lustre client."""

from collections.abc import Callable

import pytest

from .fake_gcp import FakeGcp
from .fake_metadata import GcpMachine
from .gcp_rights import ACCOUNTS
from .gcp_stage import gcp_metadata
from .sandbox import Sandbox
from .stage import call, refused

Make = Callable[..., Sandbox]

CARD, OTHER = "42:01:0a:f0:00:02", "42:01:0a:f1:00:02"
PORTS = "link irdma0/1 state {} physical_state LINK_UP netdev rdma0\nlink mlx5_1/1 state ACTIVE netdev gpu1rdma0\n"
INTERFACES = f"""1: lo: <LOOPBACK,UP> mtu 65536 \\    link/loopback 00:00:00:00:00:00 brd 00:00:00:00:00:00
2: eth0: <BROADCAST,UP> mtu 8896 \\    link/ether 42:01:0a:00:00:01 brd ff:ff:ff:ff:ff:ff
3: rdma0: <BROADCAST,UP> mtu 8896 \\    link/ether {CARD} brd ff:ff:ff:ff:ff:ff
4: eth1@if7: <BROADCAST,UP> mtu 8896 \\    link/ether {OTHER} brd ff:ff:ff:ff:ff:ff
"""


def with_cards(
    make: Make,
    gcp: FakeGcp,
    state: str = "ACTIVE",
    interfaces: str = INTERFACES,
    address: str = "*",
    ports: str = PORTS,
    cards: tuple[str, ...] = (CARD, OTHER),
) -> Sandbox:
    """A node with a card for Cloud RDMA, and one more for Ethernet."""
    gcp.metadata.machines[""] = GcpMachine(gcp_metadata("compute"), ACCOUNTS["compute"], cards=cards)
    box = make("compute")
    box.write("ports", ports.format(state))
    box.write("interfaces", interfaces)
    box.fake("rdma", "cat /ports")
    box.fake("ip", f"if [[ $2 == link ]]; then cat /interfaces; else [[ ${{!#}} == {address} ]] && echo x; fi")
    box.fake("readlink", "case $2 in */rdma0/*) echo /x/idpf ;; *) echo /x/gve ;; esac")
    box.fake("apt-get", "")
    return box


def test_cards_that_are_up_have_their_settings(gcp_sandbox: Make, gcp: FakeGcp) -> None:
    """`module load openmpi` brings them."""
    box = with_cards(gcp_sandbox, gcp)
    for _ in range(2):
        assert call(box, "install_fabric", "node").status == 0
    assert call(box, "fabric_mpi").lines == ["/opt/hpc/modulefiles/cloud-rdma"]
    show = 'source /usr/share/modules/init/bash; module load openmpi; echo "$FI_PROVIDER $FI_VERBS_INLINE_SIZE"'
    said = box.then("common/modules.sh", "modules", f"set +Eeu; trap - ERR; {show}")
    assert said.splitlines()[-1] == "verbs;ofi_rxm 39"


IMAGE = (
    "use an image of your own with its driver (irdma, mlx5_ib), or fabric: false;"
    " Google has irdma for Rocky Linux alone"
)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"state": "DOWN"}, "RDMA port irdma0/1 of rdma0 is DOWN, not ACTIVE: the machine is not in the fabric"),
        ({"ports": PORTS.replace("rdma0\n", "rdma00\n")}, f"rdma0 has no RDMA device: {IMAGE}"),
        (
            {"interfaces": INTERFACES.replace(CARD, "42:00:00:00:00:00")},
            f"network card {CARD} has no driver here: use an image with a kernel that has one (gve, idpf, mlx5_core)",
        ),
        (
            {"address": "rdma0"},
            "eth1 has no address: Google's guest agent gives it one (systemctl status google-guest-agent)",
        ),
        ({"cards": ()}, "the machine has one network card: its queue's template gives it no further one"),
    ],
)
def test_cards_that_are_not_up_are_refused(
    gcp_sandbox: Make, gcp: FakeGcp, change: dict[str, str], reason: str
) -> None:
    box = with_cards(gcp_sandbox, gcp, **change)
    box.impatient()
    assert refused(call(box, "install_fabric", "node")) == reason


def test_cards_that_come_up_later_are_awaited(gcp_sandbox: Make, gcp: FakeGcp) -> None:
    """The agent gives them addresses while the node boots."""
    box = with_cards(gcp_sandbox, gcp, state="DOWN")
    box.fake("sleep", "echo x >>/slept; (($(wc -l </slept) < 5)) || sed -i s/DOWN/ACTIVE/ /ports")
    assert call(box, "install_fabric", "node").status == 0
    assert len(box.read("slept").split()) == 5


@pytest.mark.parametrize(
    ("folder", "script"),
    [("usr/local/gib", "scripts/set_nccl_env.sh"), ("var/lib/fastrak", "lib64/nccl-env-profile.sh")],
)
def test_google_s_plugin_for_nccl_is_used_where_it_is(
    gcp_sandbox: Make, gcp: FakeGcp, folder: str, script: str
) -> None:
    box = with_cards(gcp_sandbox, gcp)
    box.write(f"{folder}/{script}", "export NCCL_NET=here\n")
    assert call(box, "install_fabric", "node").status == 0
    show = 'source /usr/share/modules/init/bash; module load "$1"; echo "$NCCL_NET $NCCL_LIB_DIR $LD_LIBRARY_PATH"'
    said = box.run("bash", "-c", show, "-", "/opt/hpc/modulefiles/cloud-rdma").stdout.splitlines()[-1]
    assert said == f"here /{folder}/lib64 /{folder}/lib64"


def lustre(make: Make, kernel: str = "6.14.0-1018-gcp", known: str = "6.14.0-1018-gcp") -> Sandbox:
    box = make("compute")
    box.write("etc/os-release", "ID=ubuntu\nVERSION_ID=24.04\nVERSION_CODENAME=noble\n")
    box.fake("uname", f"echo {kernel}")
    box.fake("modinfo", "exit 1")
    box.fake("curl", "echo a key")
    box.fake("apt-mark", 'echo "$@" >>/did')
    box.fake("apt-cache", f"case $2 in *{known} | lustre-client-utils) echo '  Candidate: 2.14' ;; esac")
    box.fake("apt-get", 'echo "${@: -1}" >>/did')
    packages = "printf '%s\\n' linux-gcp linux-image-gcp-lts-24.04"
    box.fake("dpkg-query", f"[[ $3 == *Status* ]] || {packages}")
    return box


def test_the_lustre_client_fits_the_running_kernel(gcp_sandbox: Make) -> None:
    box = lustre(gcp_sandbox)
    assert call(box, "install_lustre_client").status == 0
    assert box.read("did").splitlines() == [
        "APT::Update::Error-Mode=any",
        "lustre-client-modules-6.14.0-1018-gcp",
        "lustre-client-utils",
        "-q hold linux-gcp linux-image-gcp-lts-24.04",
    ]
    assert box.read("etc/apt/sources.list.d/hpc-lustre.list") == (
        "deb [signed-by=/usr/share/keyrings/hpc-lustre.asc]"
        " https://us-apt.pkg.dev/projects/lustre-client-binaries lustre-client-ubuntu-noble main\n"
    )


def test_an_image_s_own_list_and_client_are_used(gcp_sandbox: Make) -> None:
    """apt refuses to read two lists with other keys for one address."""
    box = lustre(gcp_sandbox)
    archive = "https://us-apt.pkg.dev/projects/lustre-client-binaries lustre-client-ubuntu-noble main"
    box.write("etc/apt/sources.list.d/artifact-registry.list", f"deb [ signed-by=/x.gpg ] {archive}\n")
    assert call(box, "install_lustre_client").status == 0
    assert not (box.root / "etc/apt/sources.list.d/hpc-lustre.list").exists()
    box.write("did", "")
    box.fake("modinfo", "")
    box.fake("mount.lustre", "")
    assert call(box, "install_lustre_client").status == 0
    assert box.read("did").splitlines() == ["-q hold linux-gcp linux-image-gcp-lts-24.04"]


def test_a_kernel_or_system_without_a_lustre_client_is_named(gcp_sandbox: Make) -> None:
    box = lustre(gcp_sandbox, kernel="6.20.0-1001-gcp")
    assert call(box, "install_lustre_client").why == (
        "no Lustre client for kernel 6.20.0-1001-gcp: Google has no lustre-client-modules-6.20.0-1001-gcp;"
        " use an image with a kernel that it has one for"
    )
    box.write("etc/os-release", "ID=debian\nVERSION_ID=13\nVERSION_CODENAME=trixie\n")
    assert refused(call(box, "install_lustre_client")) == (
        "Google Cloud has no Lustre client for debian-13: use os: ubuntu-24.04 or ubuntu-22.04"
    )


def test_gpus_get_google_s_plugin_for_nccl(gcp_sandbox: Make, gcp: FakeGcp) -> None:
    """Google's images for GPUs have the driver alone; a second boot finds all of it."""
    box = with_cards(gcp_sandbox, gcp)
    box.fake("nvidia-smi", "")
    box.fake("curl", 'case $* in */instance/*) /usr/bin/curl "$@" ;; *) echo a key ;; esac')
    box.fake("dpkg", 'echo "dpkg $1" >>/did')
    box.fake("dpkg-query", "echo")
    box.fake("apt-cache", "")
    box.fake("apt-mark", 'echo "apt-mark $*" >>/did')
    box.fake("systemctl", 'echo "systemctl $*" >>/did')
    box.fake(
        "apt-get",
        'for each; do case $each in nccl-gib=*) mkdir -p /usr/local/gib ;; esac; done; echo "${@: -1}" >>/did',
    )
    done = call(box, "install_fabric", "node")
    assert done.status == 0, done
    did = box.read("did").splitlines()
    order = ["apt-transport-artifact-registry", "nccl-gib=1.1.0", "apt-mark -q hold nccl-gib", "dpkg -i"]
    assert [line for line in did if line in order] == order
    assert "libnccl2=2.27.5-1+cuda12.9" in did
    assert "systemctl enable -q --now nvidia-dcgm" in did
    assert box.read("etc/apt/sources.list.d/hpc-gib.list") == (
        "deb [signed-by=/usr/share/keyrings/hpc-gib.asc]"
        " ar+https://us-apt.pkg.dev/projects/gce-ai-infra gpudirect-gib-apt main\n"
    )
    assert "Pin: release l=NVIDIA CUDA" in box.read("etc/apt/preferences.d/hpc-nvidia")


def test_an_image_gets_the_plugin_only_with_a_driver_and_starts_nothing(gcp_sandbox: Make, gcp: FakeGcp) -> None:
    box = with_cards(gcp_sandbox, gcp, cards=())  # as the machine on which an image is made
    box.environment["HPC_ROLE"] = "image"
    box.fake("curl", "echo a key")
    box.fake("dpkg", "")
    box.fake("apt-get", "for each; do case $each in nccl-gib=*) mkdir -p /usr/local/gib ;; esac; done")
    box.fake("apt-cache", "")
    box.fake("apt-mark", "")
    box.fake("systemctl", 'echo "systemctl $*" >>/did')
    assert call(box, "install_fabric", "image").status == 0
    assert not (box.root / "usr/local/gib").exists()
    box.fake("nvidia-smi", "")
    assert call(box, "install_fabric", "image").status == 0
    assert (box.root / "usr/local/gib").is_dir()
    assert "systemctl enable -q nvidia-dcgm" in box.read("did").splitlines()


def test_cards_that_the_plugin_is_not_for_get_none_of_its_settings(gcp_sandbox: Make, gcp: FakeGcp) -> None:
    """One image may serve machines with different cards."""
    box = with_cards(gcp_sandbox, gcp, ports=PORTS.splitlines()[0] + "\n")
    (box.root / "usr/local/gib").mkdir(parents=True)
    assert call(box, "install_fabric", "node").status == 0
    assert "/usr/local/gib" not in box.read("opt/hpc/modulefiles/cloud-rdma")
