"""Slurm built from source: what is fetched and checked, and when nothing is built. The source is a small stand-in."""

import hashlib
import io
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest

from .sandbox import Sandbox

Make = Callable[..., Sandbox]

ADDRESSES = ("https://first.example.com/slurm.tar.bz2", "https://second.example.com/slurm.tar.bz2")

CONFIGURE = """#!/bin/bash
echo "$@" >/configured-with
for each; do case $each in --libdir=*) echo "LIB=${each#*=}" >settings.mk ;; esac; done
"""

MAKEFILE = """
include settings.mk
PLUGINS = auth_munge auth_jwt accounting_storage_mysql cgroup_v2 job_submit_lua mpi_pmix serializer_json task_cgroup
all:
	@true
install:
	mkdir -p $(DESTDIR)/usr/sbin $(DESTDIR)$(LIB)/slurm
	for each in $(PLUGINS); do touch $(DESTDIR)$(LIB)/slurm/$$each.so; done
	printf '#!/bin/sh\\necho slurm 25.11.8\\n' >$(DESTDIR)/usr/sbin/slurmd
	chmod 755 $(DESTDIR)/usr/sbin/slurmd
	echo built >>/builds
"""

PART = "install:\n\t@true\n"


def tarball(makefile: str = MAKEFILE, configure: str = CONFIGURE) -> bytes:
    """A source that says that it is Slurm 25.11.8."""
    packed = io.BytesIO()
    files = {"configure": configure, "Makefile": makefile}
    files |= {f"contribs/{part}/Makefile": PART for part in ("pam_slurm_adopt", "pmi2")}
    with tarfile.open(fileobj=packed, mode="w:bz2") as tar:
        for name, text in files.items():
            member = tarfile.TarInfo(f"slurm-25.11.8/{name}")
            member.size, member.mode = len(text), 0o755
            tar.addfile(member, io.BytesIO(text.encode()))
    return packed.getvalue()


def machine(make: Make, source: bytes, served: str, role: str = "compute") -> Sandbox:
    """A machine without Slurm, for a cluster that builds it from `source`; `served` is curl (bash)."""
    line = " ".join(("25.11.8", hashlib.sha256(source).hexdigest(), *ADDRESSES))
    box = make(role, **{"common/slurm_source": line + "\n"})
    (box.root / "source").write_bytes(source)
    (box.root / "altered").write_bytes(source + b"\n")
    box.fake("curl", f'echo "${{!#}}" >>/asked; out=$(sed -E "s/.* -o (\\S+) .*/\\1/" <<<"$*"); {served}')
    box.fake("ldconfig", "")
    # Debian's packages are in the layer below
    assert box.run("bash", "-c", "rm -f /usr/sbin/slurmd; rm -rf /usr/lib/*/slurm*").returncode == 0
    return box


def built(box: Sandbox) -> int:
    log = box.root / "builds"
    return len(log.read_text().splitlines()) if log.exists() else 0


def libraries(box: Sandbox) -> list[Path]:
    return sorted((box.root / "usr/lib").glob("*/slurm/*.so"))


def test_slurm_that_is_built_is_not_built_again(sandbox: Make) -> None:
    box = machine(sandbox, tarball(), 'cp /source "$out"')
    for _ in range(2):
        box.step("common/slurm_source.sh", "slurm_source")
    assert built(box) == 1
    assert "mpi_pmix.so" in {path.name for path in libraries(box)}
    options = box.read("configured-with")
    assert "--prefix=/usr --libdir=/usr/lib/" in options
    assert "--sysconfdir=/etc/slurm" in options
    assert not (box.root / "var/cache/hpc-slurm").exists()


def test_interrupted_installation_is_done_again(sandbox: Make) -> None:
    box = machine(sandbox, tarball(), 'cp /source "$out"')
    box.step("common/slurm_source.sh", "slurm_source")
    (box.root / "var/cache/hpc-slurm").mkdir(parents=True)
    box.step("common/slurm_source.sh", "slurm_source")
    assert built(box) == 2


def test_second_address_is_asked_when_the_first_has_another_file(sandbox: Make) -> None:
    box = machine(sandbox, tarball(), '[[ $* == *first* ]] && cp /altered "$out" || cp /source "$out"')
    box.step("common/slurm_source.sh", "slurm_source")
    assert box.read("asked").split() == list(ADDRESSES)
    assert built(box) == 1


def test_source_with_another_sum_is_not_built(sandbox: Make) -> None:
    box = machine(sandbox, tarball(), 'cp /altered "$out"')
    reason = box.failing("common/slurm_source.sh", "slurm_source")
    assert reason.startswith(f"{ADDRESSES[1]} has the SHA-256 ")
    assert "not used" in reason
    assert built(box) == 0


def test_machine_without_internet_says_what_it_needs(sandbox: Make) -> None:
    box = machine(sandbox, tarball(), "echo 'curl: (6) Could not resolve host' >&2; exit 6")
    reason = box.failing("common/slurm_source.sh", "slurm_source")
    assert reason.startswith("curl: (6) Could not resolve host; ")
    assert "images that contain Slurm" in reason


def test_failed_build_names_the_error_and_the_log(sandbox: Make) -> None:
    broken = "all:\n\t@echo 'slurm.c:7:1: error: no such thing'; echo more; false\n"
    box = machine(sandbox, tarball(makefile=broken), 'cp /source "$out"')
    reason = box.failing("common/slurm_source.sh", "slurm_source")
    assert "make: *** [Makefile:2: all] Error 1" in reason
    assert reason.endswith("(/var/log/hpc-slurm-build.log)")
    assert "error: no such thing" in box.read("var/log/hpc-slurm-build.log")


@pytest.mark.parametrize("plugin", ["mpi_pmix", "cgroup_v2"])
def test_build_that_lacks_a_plugin_is_not_installed(sandbox: Make, plugin: str) -> None:
    box = machine(sandbox, tarball(makefile=MAKEFILE.replace(f" {plugin} ", " ")), 'cp /source "$out"')
    assert box.failing("common/slurm_source.sh", "slurm_source").startswith(f"Slurm was built without {plugin}.so: ")
    assert libraries(box) == []


def test_slurm_of_another_release_is_told(sandbox: Make) -> None:
    box = machine(sandbox, tarball(), 'cp /source "$out"')
    box.fake("slurmd", "echo slurm 23.11.4")
    box.step("common/slurm_source.sh", "slurm_source")
    assert built(box) == 0
    assert box.failing("common/packages.sh", "slurm_release").startswith("Slurm 23.11.4 is installed")


def test_packages_of_slurm_are_not_wanted_beside_its_source(sandbox: Make) -> None:
    for role in ("head", "login", "compute"):
        box = machine(sandbox, tarball(), "exit 1", role)
        wanted = box.then("common/packages.sh", "wanted", ":").split()
        assert not [name for name in wanted if "slurm" in name]
        assert "libmunge-dev" in wanted
