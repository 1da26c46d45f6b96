"""Steps on Azure: what its images and agents do, its disks, its addresses."""

from collections.abc import Callable

import pytest

from .sandbox import Sandbox
from .stage import call

Make = Callable[..., Sandbox]

WAAGENT = "Provisioning.DeleteRootPassword=y\nProvisioning.MonitorHostName={}\nOS.EnableRDMA=y\n"


@pytest.mark.parametrize(("says", "restarts"), [("y", ["restart walinuxagent"]), ("n", [])])
def test_the_agent_does_not_follow_the_host_name(azure_sandbox: Make, says: str, restarts: list[str]) -> None:
    """It takes the network down when it sees a new one."""
    box = azure_sandbox("compute")
    box.write("etc/waagent.conf", WAAGENT.format(says))
    box.fake("systemctl", 'case $1 in is-active) ;; *) echo "$@" >>/did ;; esac')
    for _ in range(2):
        assert call(box, "adapt_image").status == 0
    assert box.read("etc/waagent.conf") == WAAGENT.format("n")
    assert (box.read("did").splitlines() if (box.root / "did").exists() else []) == restarts


def test_the_system_s_slurm_may_be_installed(azure_sandbox: Make) -> None:
    """Azure's HPC image refuses it for the sake of Microsoft's packages."""
    box = azure_sandbox("compute")
    own = ("etc/apt/preferences.d/slurm-repository-pin-990", "etc/apt/sources.list.d/slurm.list")
    for path in own:
        box.write(path, "Package: slurm*\nPin: origin *ubuntu.com*\nPin-Priority: -1\n")
    assert call(box, "adapt_image").status == 0
    assert not any((box.root / path).exists() for path in own)


@pytest.mark.parametrize(
    ("nvme", "mounted", "unit", "said"),
    [
        ("", "/dev/sdb1", "", ["/mnt mnt.mount"]),
        ("", "/dev/sda1", "", []),
        ("", "", "", []),
        ("/dev/nvme0n1 Microsoft NVMe Direct Disk v2", "/dev/sdb1", "", []),
        (
            "/dev/nvme0n1 Microsoft NVMe Direct Disk",
            "/dev/sdb1",
            "nvme-raid.service",
            ["/mnt/resource_nvme nvme-raid.service"],
        ),
    ],
)
def test_the_temporary_disk_of_the_image_is_used_without_nvme(
    azure_sandbox: Make, nvme: str, mounted: str, unit: str, said: list[str]
) -> None:
    """A temporary disk that the system has mounted is used where there is none of NVMe."""
    box = azure_sandbox("compute")
    box.fake("lsblk", f"echo '{nvme}'")
    box.fake("findmnt", f"[[ '{mounted}' ]] && echo '{mounted}'")
    box.fake("readlink", "[[ $2 == /dev/disk/azure/resource-part1 ]] && echo /dev/sdb1")
    box.fake("systemctl", f"[[ $1 == cat && '{unit}' == $2 ]]")
    assert call(box, "image_scratch").lines == said


def test_a_temporary_disk_is_the_local_scratch(azure_sandbox: Make) -> None:
    queues = "queue cpus gpus smt fabric local_scratch metadata\ndebug 2 0 no no /scratch system\n"
    box = azure_sandbox("compute", **{"compute/queues": queues, "common/cloud.sh": ""})
    verbs = azure_sandbox("compute").config["common/cloud.sh"]
    box.write(
        "opt/hpc/config/common/cloud.sh", verbs + "image_scratch() { echo /mnt mnt.mount; }\nfact() { echo debug; }\n"
    )
    box.fake("mount", 'echo mount "$@" >>/did')
    box.step("compute/machine.sh", "local_scratch")
    assert "/mnt /scratch none bind,nofail,x-systemd.requires=mnt.mount 0 0" in box.read("etc/fstab").splitlines()
    assert box.read("running") == "mnt.mount\n"


@pytest.mark.parametrize("link", ["data/by-lun/0", "scsi1/lun0"])
def test_the_state_disk_is_lun_0(azure_sandbox: Make, link: str) -> None:
    """By the links of azure-vm-utils or of Azure's agent, whatever the disk's controller is."""
    box = azure_sandbox("head")
    box.fake("readlink", f"[[ $2 == /dev/disk/azure/{link} ]] && echo /dev/it")
    assert call(box, "state_disk").lines == ["/dev/it"]


def test_the_clock_is_the_host_s(azure_sandbox: Make) -> None:
    box = azure_sandbox("head")
    assert call(box, "time_source").lines == ["server time.windows.com iburst"], "no such device here"
    said = box.run(
        "bash", "-c", "mount -t tmpfs none /dev; touch /dev/ptp_hyperv; source common/cloud.sh; time_source"
    )
    assert said.stdout == "refclock PHC /dev/ptp_hyperv poll 3 dpoll -2 offset 0 stratum 2\n"


def test_names_can_be_looked_up_where_the_agent_s_settings_are(azure_sandbox: Make) -> None:
    """168.63.129.16 is also the network's name server, and systemd-resolved and dnsmasq are not root."""
    box = azure_sandbox("head")
    box.step("common/metadata.sh", "metadata_fence")
    assert [line.strip() for line in box.read("etc/hpc/metadata.nft").splitlines() if "reject" in line] == [
        "ip daddr 169.254.169.254 meta skuid != { 0,64030 } reject",
        "ip daddr 168.63.129.16 tcp dport { 80,32526 } meta skuid != { 0,64030 } reject",
    ]
