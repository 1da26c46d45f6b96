"""Packages and the EFA installer: what is fetched, and from whom."""

import shutil
import subprocess
from collections.abc import Callable, Iterator

import pytest

from .sandbox import Sandbox
from .stage import call

Make = Callable[..., Sandbox]


def test_packages_that_are_there_are_not_fetched(sandbox: Make) -> None:
    for role in ("head", "login", "compute"):
        box = sandbox(role)
        box.fake("apt-get", "echo called >/apt; exit 1")
        box.step("common/packages.sh", "packages")
        assert not (box.root / "apt").exists(), role


def test_what_a_package_of_the_image_stands_for_is_there(sandbox: Make) -> None:
    """Such a package is there to keep the system's own from being installed beside it."""
    box = sandbox("compute")
    marks = "hpcx-provides-openmpi openmpi (= 4.1.9), openmpi-bin, libopenmpi-dev"
    box.fake("dpkg-query", f'[[ $* == *Provides* ]] && echo "installed {marks}"; echo installed munge')
    box.fake("apt-get", 'echo "$*" >>/apt')
    box.step("common/packages.sh", "packages")
    install = box.read("apt").splitlines()[-1].split()
    assert "python3-mpi4py" in install
    assert not {"openmpi-bin", "munge"} & set(install)


def test_missing_packages_are_installed_and_start_nothing(sandbox: Make) -> None:
    box = sandbox("head")
    assert box.run("rm", "-f", "/usr/sbin/policy-rc.d").returncode == 0  # as in a system that is no container's
    box.fake("dpkg-query", "echo installed munge")
    box.fake("apt-get", 'echo "$* $(/usr/sbin/policy-rc.d; echo $?)" >>/apt')
    box.step("common/packages.sh", "packages")
    update, install = box.read("apt").splitlines()
    assert " update " in update
    assert " slurmctld " in install
    assert " munge " not in install
    assert " slurmd " not in install
    assert install.endswith(" 101")
    assert "DPkg::Lock::Timeout=600" in install
    assert box.run("test", "-e", "/usr/sbin/policy-rc.d").returncode == 1


def test_what_runs_stays_enabled_when_a_package_comes_later(sandbox: Make) -> None:
    """Else a head node that gets its first NFS server would not come back from a reboot."""
    box = sandbox("head")
    box.fake("dpkg-query", "echo installed munge")
    box.fake("apt-get", "")
    log = 'echo "$@" >>/systemctl; [[ $1 != is-active || $3 == @(munge|slurmctld) ]]'
    box.fake("systemctl", log)
    box.step("common/packages.sh", "packages")
    disabled = [line.split()[-1] for line in box.read("systemctl").splitlines() if line.startswith("disable")]
    monitoring = ["prometheus", "prometheus-alertmanager", "prometheus-node-exporter"]
    assert disabled == ["slurmd", "slurmdbd", "mariadb", *monitoring]


def test_a_unit_that_runs_is_enabled_all_the_same(sandbox: Make) -> None:
    box = sandbox("head")
    box.step("common/system.sh", "limits")
    box.fake(
        "systemctl", 'case $1 in is-enabled) false ;; show) printf "active\nyes\n" ;; *) echo "$@" >>/did ;; esac'
    )
    box.step("common/system.sh", "limits")
    assert box.read("did") == "enable -q --no-reload systemd-sysctl\n"


def test_an_archive_that_does_not_answer_is_told(sandbox: Make) -> None:
    box = sandbox("head")
    box.fake("dpkg-query", "")
    box.fake("apt-get", 'echo "$*" >>/apt; echo "E: no route"; exit 100')
    reason = box.failing("common/packages.sh", "packages")
    assert reason.startswith("apt-get update failed three times; ")
    assert len(box.read("apt").splitlines()) == 3


BROKEN = "E: Failed to fetch https://developer.example.org/cuda/InRelease  The key has expired"


def test_image_lists_whose_archive_is_gone_are_set_aside(sandbox: Make) -> None:
    """An image for GPUs has many lists; one that fails must not end a node that needs nothing of it."""
    box = sandbox("compute")
    lists = box.root / "etc/apt/sources.list.d"
    lists.mkdir(parents=True, exist_ok=True)
    (lists / "cuda.list").write_text("deb https://developer.example.org/cuda /\n")
    (lists / "docker.list").write_text("deb https://docker.example.org/linux noble stable\n")
    box.fake("dpkg-query", "")
    gone = f'[[ $* == *update* && -e /etc/apt/sources.list.d/cuda.list ]] && {{ echo "{BROKEN}"; exit 100; }}; true'
    box.fake("apt-get", f'echo "$*" >>/apt; {gone}')
    box.step("common/packages.sh", "packages")
    assert (lists / "cuda.list.set-aside").exists()
    assert (lists / "docker.list").exists()
    assert " install " in box.read("apt").splitlines()[-1]


@pytest.mark.parametrize("name", ["hpc.list", "ubuntu.sources"])
def test_lists_that_the_cluster_needs_are_never_set_aside(sandbox: Make, name: str) -> None:
    box = sandbox("compute")
    lists = box.root / "etc/apt/sources.list.d"
    lists.mkdir(parents=True, exist_ok=True)
    (lists / name).write_text("URIs: https://developer.example.org/cuda\n")
    box.fake("dpkg-query", "")
    box.fake("apt-get", f'echo "{BROKEN}"; exit 100')
    assert box.failing("common/packages.sh", "packages").startswith("apt-get update failed three times; ")
    assert (lists / name).exists()


def test_the_system_s_own_look_for_updates_is_waited_for(sandbox: Make) -> None:
    """apt-get waits for the lock of packages by itself, for that of their lists it does not."""
    box = sandbox("head")
    box.fake("dpkg-query", "")
    held = "E: Could not get lock /var/lib/apt/lists/lock. It is held by process 812 (apt-get)"
    box.fake("apt-get", f'echo "$*" >>/apt; if (($(wc -l </apt) <= 40)); then echo "{held}"; exit 100; fi')
    box.step("common/packages.sh", "packages")
    box.fake("apt-get", f'echo "$*" >>/apt-2; echo "{held}"; exit 100')
    assert box.run("rm", "-f", "/run/hpc/updated").returncode == 0
    assert box.failing("common/packages.sh", "packages").startswith("apt-get update failed three times; ")
    assert len(box.read("apt-2").splitlines()) == 63


def test_own_package_archive_goes_before_the_systems(sandbox: Make) -> None:
    source = "HPC_PACKAGE_SOURCE=https://packages.example.org:8443/slurm\n"
    box = sandbox("head")
    box = sandbox("head", **{"common/cluster.env": box.config["common/cluster.env"] + source})
    box.fake("apt-get", "echo called >>/apt")
    box.step("common/packages.sh", "package_source")
    assert box.read("etc/apt/sources.list.d/hpc.list") == (
        "deb [trusted=yes] https://packages.example.org:8443/slurm ./\n"
    )
    assert 'Pin: origin "packages.example.org"\nPin-Priority: 1001\n' in box.read("etc/apt/preferences.d/hpc")
    box.step("common/packages.sh", "package_source")
    assert box.read("apt") == "called\n", "once a boot"


@pytest.mark.parametrize("index", ["Packages", "Packages.gz", None])
def test_a_package_archive_in_a_bucket_is_fetched(sandbox: Make, index: str | None) -> None:
    address = "s3://packages/slurm"
    box = sandbox("head")
    source = box.config["common/cluster.env"] + f"HPC_PACKAGE_SOURCE={address}\n"
    has = f"a.deb,{index}" if index else "a.deb,b.deb"
    fetches = f'fetch_folder() {{ mkdir -p "$2" && touch "$2"/{{{has}}} && echo "$@" >/fetched; }}\n'
    box = sandbox(
        "head", **{"common/cluster.env": source, "common/cloud.sh": box.config["common/cloud.sh"] + fetches}
    )
    box.fake("apt-get", "echo called >>/apt")
    if index is None:
        reason = box.failing("common/packages.sh", "package_source")
        assert reason.startswith(f"{address}: no Packages file; create one")
    else:
        box.step("common/packages.sh", "package_source")
        listed = box.read("etc/apt/sources.list.d/hpc.list")
        assert listed == "deb [trusted=yes] file:/var/cache/hpc-packages ./\n"
    assert box.read("fetched") == f"{address} /var/cache/hpc-packages\n"


def test_packages_of_schedmd_have_other_names(sandbox: Make) -> None:
    box = sandbox("head")
    box.fake("apt-cache", "echo '  Candidate: 25.11.2-1'")
    names = box.then("common/packages.sh", "true", "wanted").split()
    assert {"slurm-smd", "slurm-smd-client", "slurm-smd-slurmctld", "slurm-smd-slurmdbd"} <= set(names)
    assert not [name for name in names if name.startswith("slurm-wlm")]


def test_another_release_of_slurm_is_told(sandbox: Make) -> None:
    box = sandbox("head")
    box.fake("dpkg-query", "echo installed slurm-client 23.11.4")
    reason = box.failing("common/packages.sh", "slurm_release")
    assert reason == (
        "Slurm 23.11.4 is installed, and the cluster's slurm.version is 24.11:"
        " upgrade its packages, or replace this node (pulumi up --replace <urn>)"
    )


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """Two signing keys: fingerprint by name; beside each the public key."""
    if shutil.which("gpg") is None:
        pytest.skip("needs gpg")
    at = tmp_path_factory.mktemp("keys")
    at.chmod(0o700)
    found = {}
    for name in ("amazon", "other"):
        gpg = ["gpg", "--batch", "--homedir", str(at)]
        subprocess.run([*gpg, "--passphrase", "", "--quick-gen-key", name], check=True, capture_output=True)
        listed = subprocess.run(
            [*gpg, "--with-colons", "-k", name], check=True, capture_output=True, text=True
        ).stdout
        found[name] = next(line.split(":")[9] for line in listed.splitlines() if line.startswith("fpr:"))
    found["home"] = str(at)
    yield found
    subprocess.run(["gpgconf", "--homedir", str(at), "--kill", "gpg-agent"], check=True)


INSTALLER = """#!/bin/bash
echo "$@" >/installed
mkdir -p /opt/amazon/efa/bin
printf '#!/bin/bash\\necho provider: efa\\n' >/opt/amazon/efa/bin/fi_info
chmod 755 /opt/amazon/efa/bin/fi_info
[[ ! -e /interrupted ]]
"""


def efa(make: Make, keys: dict[str, str], signer: str) -> Sandbox:
    """A compute node that fetches an installer which `signer` has signed; `amazon` is whom we trust."""
    box = make("compute")
    files = {
        "common/cluster.env": box.config["common/cluster.env"] + "HPC_FABRIC=yes\n",
        "common/cloud.env": box.config["common/cloud.env"] + f"HPC_EFA_KEY={keys['amazon']}\n",
        "compute/queues": "queue cpus smt fabric local_scratch\ndebug 2 no yes -\n",
    }
    box = make("compute", **files)
    folder = box.root / "served"
    (folder / "aws-efa-installer").mkdir(parents=True)
    script = folder / "aws-efa-installer" / "efa_installer.sh"
    script.write_text(INSTALLER)
    script.chmod(0o755)
    subprocess.run(["tar", "-czf", "installer", "aws-efa-installer"], cwd=folder, check=True)
    gpg = ["gpg", "--batch", "--homedir", keys["home"]]
    with (folder / "key").open("wb") as file:
        subprocess.run([*gpg, "--export", signer], check=True, stdout=file)
    subprocess.run(
        [*gpg, "-u", signer, "-o", folder / "signature", "-b", folder / "installer"], check=True, capture_output=True
    )
    box.fake(
        "curl",
        """[[ $* == *efa-installer* ]] || exec /usr/bin/curl "$@"
        while [[ $# -gt 0 ]]; do
          if [[ $1 == -o ]]; then
            case $3 in *.key) from=key ;; *.sig) from=signature ;; *) from=installer ;; esac
            cp "/served/$from" "$2"; shift 2
          fi
          shift
        done""",
    )
    return box


def test_an_efa_installer_signed_by_amazon_is_run(sandbox: Make, keys: dict[str, str]) -> None:
    box = efa(sandbox, keys, "amazon")
    box.step("common/fabric.sh", "fabric")
    assert box.read("installed") == "-y\n"
    assert not [*(box.root / "var/tmp").glob("efa.*")]
    (box.root / "installed").unlink()
    box.step("common/fabric.sh", "fabric")
    assert not (box.root / "installed").exists(), "an image that has it is left as it is"


def test_an_image_gets_efa_where_no_adapter_is(sandbox: Make, keys: dict[str, str]) -> None:
    box = efa(sandbox, keys, "amazon")
    no_adapter = INSTALLER.replace("echo provider: efa", "exit 61")
    (box.root / "served/aws-efa-installer/efa_installer.sh").write_text(no_adapter)
    subprocess.run(["tar", "-czf", "installer", "aws-efa-installer"], cwd=box.root / "served", check=True)
    gpg = ["gpg", "--batch", "--yes", "--homedir", keys["home"], "-u", "amazon"]
    subprocess.run([*gpg, "-o", "signature", "-b", "installer"], cwd=box.root / "served", check=True)
    assert call(box, "install_fabric", "image").status == 0
    assert box.read("installed") == "-y --no-verify\n"
    assert "no EFA provider" in box.failing("common/fabric.sh", "fabric"), "a node checks its own"


def test_an_efa_installer_signed_by_another_key_is_refused(sandbox: Make, keys: dict[str, str]) -> None:
    box = efa(sandbox, keys, "other")
    reason = box.failing("common/fabric.sh", "fabric")
    assert reason.endswith(f": not signed with the key {keys['amazon']}")
    assert not (box.root / "installed").exists()
    assert not [*(box.root / "var/tmp").glob("efa.*")], "tried every minute, it would fill the disk"


def test_a_changed_efa_installer_is_refused(sandbox: Make, keys: dict[str, str]) -> None:
    box = efa(sandbox, keys, "amazon")
    with (box.root / "served" / "installer").open("ab") as file:
        file.write(b"more")
    assert "not signed with the key" in box.failing("common/fabric.sh", "fabric")


def test_an_interrupted_efa_installer_runs_again(sandbox: Make, keys: dict[str, str]) -> None:
    """fi_info is there by then: a head node would take the rest for installed when it tries again."""
    box = efa(sandbox, keys, "amazon")
    box.write("interrupted", "")
    box.failing("common/fabric.sh", "fabric")
    (box.root / "installed").unlink()
    (box.root / "interrupted").unlink()
    box.step("common/fabric.sh", "fabric")
    assert box.read("installed") == "-y\n", "run again"
    (box.root / "installed").unlink()
    box.step("common/fabric.sh", "fabric")
    assert not (box.root / "installed").exists(), "it ended well"


def test_a_node_without_the_adapter_fails(sandbox: Make, keys: dict[str, str]) -> None:
    box = efa(sandbox, keys, "amazon")
    box.step("common/fabric.sh", "fabric")
    box.write("opt/amazon/efa/bin/fi_info", '#!/bin/bash\necho "fi_getinfo: -61 (No data available)"; exit 61\n')
    reason = box.failing("common/fabric.sh", "fabric")
    assert reason == "no EFA provider: fi_getinfo: -61 (No data available)"


def test_a_node_that_does_not_know_its_queue_installs_no_fabric(sandbox: Make, keys: dict[str, str]) -> None:
    box = efa(sandbox, keys, "amazon")
    box.environment["IMDS"] = "http://127.0.0.1:9"
    assert "Failed to connect" in box.failing("common/fabric.sh", "fabric")
    assert not (box.root / "installed").exists()
