"""The Lustre client: what is installed, what is refused, and who may write."""

from collections.abc import Callable

import pytest

from .sandbox import Sandbox

Make = Callable[..., Sandbox]

LUSTRE = (
    '[{"mount": "/fsx", "type": "lustre", "from": "fs-1.fsx.us-east-2.amazonaws.com@tcp:/abc", "options": "flock"}]'
)


def lustre(make: Make, known: str) -> Sandbox:
    box = make("compute", **{"common/mounts.json": LUSTRE})
    box.fake("uname", "echo 6.8.0-1063-aws")
    box.fake("modinfo", "exit 1")
    box.fake("modprobe", 'echo modprobe "$@" >>/did')
    box.fake("curl", "echo a key")
    box.fake("apt-mark", 'echo "$2" >>/did')
    box.fake("apt-cache", f'[[ $2 == {known} ]] && echo "  Candidate: 2.15.6"; exit 0')
    box.fake("apt-get", 'echo "${@: -1}" >>/did')
    box.fake("dpkg-query", "[[ $* != *linux-aws* ]] || echo linux-aws")
    return box


def test_the_lustre_client_fits_the_running_kernel(sandbox: Make) -> None:
    box = lustre(sandbox, "lustre-client-modules-6.8.0-1063-aws")
    box.step("common/mounts.sh", "lustre_client")
    assert box.read("did").splitlines() == [
        "APT::Update::Error-Mode=any",
        "lustre-client-modules-6.8.0-1063-aws",
        "lustre-client-utils",
        "hold",
        "modprobe lustre",
    ]
    source = box.read("etc/apt/sources.list.d/fsx-lustre.list")
    assert source == (
        "deb [signed-by=/usr/share/keyrings/fsx-lustre.asc]"
        " https://fsx-lustre-client-repo.s3.amazonaws.com/ubuntu trixie main\n"
    )
    assert box.read("usr/share/keyrings/fsx-lustre.asc") == "a key\n"


def test_an_image_that_knows_the_lustre_client_s_archive_keeps_its_own_list(sandbox: Make) -> None:
    """apt refuses to read two lists with other keys for one address."""
    box = lustre(sandbox, "lustre-client-modules-6.8.0-1063-aws")
    address = "https://fsx-lustre-client-repo.s3.amazonaws.com/ubuntu"
    box.write(
        "etc/apt/sources.list.d/fsxlustreclientrepo.list", f"deb [signed-by=/usr/share/x.gpg] {address} noble main"
    )
    box.step("common/mounts.sh", "lustre_client")
    assert not (box.root / "etc/apt/sources.list.d/fsx-lustre.list").exists()
    assert "lustre-client-modules-6.8.0-1063-aws" in box.read("did").splitlines()


def test_a_kernel_without_a_lustre_client_is_named(sandbox: Make) -> None:
    reason = lustre(sandbox, "none").failing("common/mounts.sh", "lustre_client")
    assert reason == (
        "no Lustre client for kernel 6.8.0-1063-aws: AWS has no lustre-client-modules-6.8.0-1063-aws;"
        " use an image with a kernel that it has one for"
    )


def test_an_image_with_the_module_has_its_tools_too(sandbox: Make) -> None:
    box = lustre(sandbox, "none")
    box.fake("modinfo", "")
    box.step("common/mounts.sh", "lustre_client")
    assert box.read("did").splitlines()[1:] == ["lustre-client-utils", "hold", "modprobe lustre"]


def test_an_image_with_the_lustre_client_keeps_its_kernel(sandbox: Make) -> None:
    box = lustre(sandbox, "none")
    box.fake("modinfo", "")
    box.fake("mount.lustre", "")
    box.step("common/mounts.sh", "lustre_client")
    assert box.read("did").splitlines() == ["hold", "modprobe lustre"]


@pytest.mark.parametrize(
    ("own", "before", "after"),
    [
        ("/fsx", "root 755", "1777"),
        ("/other /fsx", "root 755", "1777"),
        ("/fsx", "root 750", "750"),
        ("/fsx", "mail 755", "755"),
        ("", "root 755", "755"),
    ],
)
def test_users_can_write_to_a_lustre_file_system_of_the_cluster(
    sandbox: Make, own: str, before: str, after: str
) -> None:
    """What it has imported from a bucket is there already when the head node comes."""
    box = sandbox("head")
    box = sandbox("head", **{"common/cluster.env": box.config["common/cluster.env"] + f"HPC_OWN_LUSTRE='{own}'\n"})
    owner, mode = before.split()
    assert box.run("install", "-d", "-m", "700", "/other").returncode == 0
    assert box.run("install", "-d", "-o", owner, "-m", mode, "/fsx", "/fsx/imported").returncode == 0
    said = box.then("common/mounts.sh", "open_lustre", "stat -c %a /fsx")
    assert said.splitlines()[-1] == after
    assert box.then("common/mounts.sh", "open_lustre", "stat -c %a /fsx") == f"{after}\n"


def test_without_lustre_no_client_is_installed(sandbox: Make) -> None:
    assert sandbox("compute").step("common/mounts.sh", "lustre_client") == ""


def test_users_have_a_quota_where_it_is_described(sandbox: Make) -> None:
    described = sandbox("head", **{"head/home_quota": "104857600\n"})
    described.write("var/lib/hpc/mounted", "")
    described.fake("lfs", 'echo "$@" >>/did')
    described.step("head/quota.sh", "home_quota")
    assert described.read("did") == "setquota -U -b 0 -B 104857600 -i 0 -I 0 /home\n"
    (described.root / "opt/hpc/config/head/home_quota").unlink()
    for _ in range(2):
        described.step("head/quota.sh", "home_quota")
    assert described.read("did").splitlines()[1:] == ["setquota -U -b 0 -B 0 -i 0 -I 0 /home"]


def test_a_quota_that_cannot_be_set_is_told(sandbox: Make) -> None:
    box = sandbox("head", **{"head/home_quota": "104857600\n"})
    box.write("var/lib/hpc/mounted", "")
    box.fake("lfs", "echo 'setquota failed: Operation not supported' >&2; exit 95")
    assert box.failing("head/quota.sh", "home_quota") == "setquota failed: Operation not supported"
