"""Steps on systems of Red Hat's family. dnf and rpm are stood in for; the system's files are as on Rocky Linux 9."""

import base64
from collections.abc import Callable

import pytest

from hpc_components.boot.files import boot_files

from .gcp_stage import gcp_spec
from .sandbox import Sandbox

Make = Callable[..., Sandbox]

FILES = boot_files(gcp_spec(os="rocky-9", slurm={"version": "25.11", "from_source": True, "accounting": {}}))

SSHD = """#%PAM-1.0
auth       substack     password-auth
account    required     pam_sepermit.so
account    required     pam_nologin.so
account    include      password-auth
session    include      password-auth
"""
"""As the package openssh-server of Red Hat Enterprise Linux 9 has it."""

PASSWORD_AUTH = """account     required                                     pam_unix.so
account     sufficient                                   pam_localuser.so
session     optional                                     pam_keyinit.so revoke
-session    optional                                     pam_systemd.so
session     required                                     pam_unix.so
"""
"""As authselect's profile minimal makes it."""

INSTALLED = "munge chrony curl"


@pytest.fixture
def rocky(gcp_sandbox: Make) -> Make:
    """Makes sandboxes of nodes with Rocky Linux 9, as far as steps look."""

    def make(role: str, installed: str = INSTALLED, **more: str) -> Sandbox:
        box = gcp_sandbox(role, **(FILES | more))
        box.write("etc/os-release", 'ID="rocky"\nVERSION_ID="9.6"\n')
        box.write("etc/pam.d/sshd", SSHD)
        box.write("etc/pam.d/password-auth", PASSWORD_AUTH)
        box.write("etc/chrony.conf", "pool 2.rocky.pool.ntp.org iburst\n")
        for name, value in {"id": "1", "address": "10.90.0.9", "queue": "debug", "number": "1"}.items():
            box.write(f"run/hpc/fact.{name}", value)
        box.fake("rpm", f'[[ " {installed} " == *" ${{!#}} "* ]]')
        box.fake("dnf", 'echo "$*" >>/dnf')
        return box

    return make


def asked(box: Sandbox) -> list[str]:
    """What dnf was asked to change, without the options that it always gets."""
    return [line.split("timeout=30 ")[-1] for line in box.read("dnf").splitlines() if " repoquery " not in line]


def test_packages_have_the_names_of_the_family(rocky: Make) -> None:
    box = rocky("head")
    box.step("common/packages.sh", "packages")
    epel, plugins, crb, install = asked(box)
    assert (epel, plugins, crb) == (
        "install epel-release",
        "install dnf-plugins-core",
        "config-manager --set-enabled crb",
    )
    names = set(install.split())
    assert {"mariadb-server", "munge-devel", "pmix-devel", "mariadb-connector-c-devel", "python3.11"} <= names
    assert not {"munge", "-", "libmunge-dev", "slurm", "libpmix-dev"} & names


@pytest.mark.parametrize("found", [True, False])
def test_parser_for_metrics_is_installed_where_an_archive_has_it(rocky: Make, found: bool) -> None:
    box = rocky("head")
    answer = "case $* in *repoquery*http-parser-devel*) echo http-parser-devel-2.9.4 ;; esac"
    box.fake("dnf", f'echo "$*" >>/dnf; {answer if found else ":"}')
    box.step("common/packages.sh", "packages")
    assert [line.split()[-1] for line in asked(box)][4:] == ["http-parser-devel"] * found


def test_packages_that_are_there_are_not_asked_for(rocky: Make) -> None:
    box = rocky("compute")
    box.fake("rpm", "true")
    box.step("common/packages.sh", "packages")
    assert not (box.root / "dnf").exists()


def test_packages_of_slurm_come_from_a_repository_of_one_s_own(rocky: Make) -> None:
    own = {"version": "25.11", "package_source": "https://packages.example.com/el9"}
    box = rocky(
        "compute", **{"common/cluster.env": boot_files(gcp_spec(os="rocky-9", slurm=own))["common/cluster.env"]}
    )
    (box.root / "opt/hpc/config/common/slurm_source").unlink()
    box.step("common/packages.sh", "package_source")
    repo = box.read("etc/yum.repos.d/hpc.repo").splitlines()
    assert "baseurl=https://packages.example.com/el9" in repo
    assert "priority=1" in repo
    box.step("common/packages.sh", "packages")
    assert {"slurm", "slurm-slurmd", "slurm-pam_slurm", "slurm-libpmi"} <= set(asked(box)[-1].split())


def test_an_archive_that_does_not_answer_is_told(rocky: Make) -> None:
    box = rocky("login")
    box.fake("dnf", 'echo "$*" >>/dnf; echo "Error: Failed to download metadata for repo appstream"; exit 1')
    reason = box.failing("common/packages.sh", "packages")
    assert reason.startswith(
        "dnf install failed three times: Error: Failed to download metadata for repo appstream; "
    )
    assert len(asked(box)) == 3


def test_newer_python_is_found_with_the_modules_of_the_old_one(rocky: Make) -> None:
    box = rocky("head")
    box.write("usr/bin/python3.11", "#!/bin/sh\necho newer\n")
    (box.root / "usr/bin/python3.11").chmod(0o755)
    box.step("common/packages.sh", "packages")
    assert box.then("common/packages.sh", "packages", "python3").endswith("newer\n")
    assert box.read("usr/lib/python3.11/site-packages/hpc.pth") == "/usr/lib/python3.9/site-packages\n"


def test_programs_run_by_the_newer_python() -> None:
    archive = base64.b64decode(FILES["common/hpc-elastic.b64"])
    assert archive.startswith(b"#!/usr/bin/python3.11 -I\n")
    assert FILES["head/programs/hpc-resume"].startswith("#!/usr/bin/python3.11 ")
    assert "exec /usr/bin/python3.11 -I /opt/hpc/fair_use" in FILES["common/fair_use.sh"]
    assert not [path for path, text in FILES.items() if "/usr/bin/python3 " in text]


def test_system_is_the_described_one(rocky: Make) -> None:
    rocky("head").step("common/system.sh", "supported")
    box = rocky("head")
    box.write("etc/os-release", 'ID="almalinux"\nVERSION_ID="9.6"\n')
    assert box.failing("common/system.sh", "supported").startswith(
        "the image is almalinux-9, but the cluster's os is "
    )
    box.write("etc/os-release", 'ID="rocky"\nVERSION_ID="8.10"\n')
    assert box.failing("common/system.sh", "supported").startswith("rocky-8.10 is not supported: ")


def test_jobs_are_asked_for_before_the_module_that_ends_the_list(rocky: Make) -> None:
    box = rocky("compute")
    for _ in range(2):
        box.step("compute/slurmd.sh", "logins_with_jobs_only")
    account = [line.split() for line in box.read("etc/pam.d/sshd").splitlines() if line.startswith("account")]
    assert [line[2] for line in account] == [
        "pam_sepermit.so", "pam_nologin.so", "pam_access.so", "pam_slurm_adopt.so", "password-auth"
    ]  # fmt: skip
    assert "+:root (wheel) (hpc-admins):ALL" in box.read("etc/security/hpc-access.conf")
    (session,) = [line for line in box.read("etc/pam.d/password-auth").splitlines() if "pam_systemd" in line]
    assert session.startswith("# hpc: ")


def test_the_clock_is_read_from_a_directory_of_our_own(rocky: Make) -> None:
    box = rocky("head")
    for _ in range(2):
        box.step("common/system.sh", "clock")
        assert box.read("etc/chrony.conf").count("confdir /etc/chrony.d\n") == 1
        assert box.read("etc/chrony.d/hpc.conf") == "server metadata.google.internal prefer iburst\n"
    assert box.read("running") == "chronyd\n"


def test_selinux_and_firewalld_stand_aside(rocky: Make) -> None:
    box = rocky("head")
    box.write("etc/selinux/config", "SELINUX=enforcing\nSELINUXTYPE=targeted\n")
    box.fake("getenforce", "echo Enforcing")
    box.fake("setenforce", 'echo "$@" >/enforcing')
    box.fake("systemctl", '[[ $1 != list-unit-files ]] || echo "firewalld.service enabled"; echo "$@" >>/units')
    box.fake("google_set_hostname", "")
    box.write("opt/hpc/config/common/agent.sh", "adapt_agent() { :; }\n")
    box.step("common/system.sh", "fresh_start")
    assert box.read("enforcing") == "0\n"
    assert box.read("etc/selinux/config") == "SELINUX=permissive\nSELINUXTYPE=targeted\n"
    assert "disable -q --now --no-reload firewalld.service" in box.read("units")


def test_mpi_of_the_system_is_loaded_by_its_own_module(rocky: Make) -> None:
    box = rocky("compute")
    module = "/usr/share/modulefiles/mpi/openmpi-x86_64"
    box.write(module[1:], "#%Module1.0\n")
    box.write("usr/share/Modules/init/bash", 'module() { mpirun() { echo "mpirun (Open MPI) 4.1.1"; }; }\n')
    box.step("common/modules.sh", "modules")
    assert f"module load {module}\n" in box.read("opt/hpc/modulefiles/openmpi/4.1.1")
    assert "/usr/share/Modules/modulefiles\n" in box.read("etc/environment-modules/modulespath")
    assert ". /usr/share/Modules/init/bash; fi\n" in box.read("etc/hpc/bash_env")


def test_host_keys_can_be_read_by_ssh_keysign(rocky: Make) -> None:
    box = rocky("login")
    box.write("etc/munge/munge.key", "k" * 1024)
    box.run("groupadd", "-r", "ssh_keys")
    box.run("hostname", "login-1")
    box.step("common/ssh.sh", "ssh_between_nodes")
    assert box.run("stat", "-c", "%G %a", "/etc/ssh/ssh_host_ed25519_key").stdout == "ssh_keys 640\n"


KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f"
PEOPLE = {"users": {"ada": {"uid": 2001, "keys": [KEY]}}}


def test_people_are_in_tables_that_a_package_of_the_system_reads(rocky: Make) -> None:
    described = {"version": "25.11", "from_source": True}
    box = rocky("head", **boot_files(gcp_spec(os="rocky-9", slurm=described, people=PEOPLE)))
    box.write("etc/nsswitch.conf", "passwd: files sss\ngroup: files [SUCCESS=merge] sss\ninitgroups: files\n")
    box.write("usr/bin/python3.11", '#!/bin/sh\nexec /usr/bin/python3 "$@"\n')
    (box.root / "usr/bin/python3.11").chmod(0o755)
    for _ in range(2):
        box.step("common/people.sh", "people")
        assert box.read("etc/nsswitch.conf") == (
            "passwd: files altfiles sss\n"
            "group: files altfiles [SUCCESS=merge] sss\n"
            "initgroups: files [SUCCESS=continue] altfiles\n"
        )
        assert box.read("usr/lib/passwd") == "ada:*:2001:2001::/home/ada:/bin/bash\n"
        assert box.read("etc/hpc/keys/ada") == f"{KEY}\n"
        assert not (box.root / "var/lib/extrausers/passwd").exists()
    box.step("common/packages.sh", "packages")
    assert "nss-altfiles" in asked(box)[-1].split()
