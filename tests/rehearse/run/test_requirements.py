"""What can't be rehearsed here is said before anything starts, with the way out."""

import os
import re
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from hpc_components.rehearse.run import requirements
from hpc_components.rehearse.run.job import own_job
from hpc_components.rehearse.run.requirements import missing, obstacles
from hpc_components.rehearse.run.runner import ImpossibleError, plan_rehearsal
from tests.rehearse.performing import described, lacks
from tests.rehearse.setups import changed, setup_of

ROOT = Path(__file__).parents[3]

needs_slurm = pytest.mark.skipif(bool(lacks("22.05")), reason=lacks("22.05"))


def obstacles_of(stack, **parts):
    setup = setup_of(changed(stack, **parts))
    return obstacles(setup, own_job(setup, "mine.sh", "", nodes=None))


@needs_slurm
def test_nothing_is_missing_here():
    assert missing() == ()


def test_missing_packages_are_named(tmp_path):
    found = next(each for each in missing(root=tmp_path) if "packages" in each.what)
    assert {"slurmctld", "slurmd", "munge", "mariadb-server", "python3-mpi4py"} <= set(found.what.split())
    assert "make rehearse" in found.remedy
    assert found.remedy.endswith(found.what.partition(": ")[2])


def test_where_there_is_no_checkout_the_line_to_type_is_told(tmp_path, monkeypatch):
    monkeypatch.setattr(requirements, "_MAKEFILE", tmp_path / "Makefile")
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    line = "apt-get update && apt-get install --no-install-recommends slurmctld slurmd"
    assert missing(root=tmp_path)[0].remedy.startswith(f"install them with: {line}")
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert missing(root=tmp_path)[0].remedy.startswith(f"install them with: {line.replace('apt', 'sudo apt')}")


def test_make_installs_all_that_is_needed(tmp_path):
    text = (ROOT / "Makefile").read_text().replace("\\\n", " ")
    (packages,) = re.findall(r"^SLURM_PACKAGES := (.*)$", text, re.M)
    needed = next(each for each in missing(root=tmp_path) if "packages" in each.what)
    assert set(needed.what.partition(": ")[2].split()) - {"util-linux"} <= set(packages.split())


def test_without_accounting_no_database_is_needed(tmp_path):
    (found, *_) = missing(root=tmp_path, accounting=False)
    assert "mariadb-server" not in found.what


def test_the_library_that_debian_12s_slurm_loads_is_asked_for(tmp_path):
    library = tmp_path / "usr/lib/x86_64-linux-gnu"
    (library / "slurm-wlm").mkdir(parents=True)
    plugin = library / "slurm-wlm/mpi_pmix.so"
    plugin.write_bytes(b"\0libpmix.so.2\0")
    assert "libpmix-dev" not in str(missing(root=tmp_path)[0])
    plugin.write_bytes(b"\0libpmix.so\0")
    assert "libpmix-dev" in str(missing(root=tmp_path)[0])
    (library / "libpmix.so").touch()
    assert "libpmix-dev" not in str(missing(root=tmp_path)[0])


def test_without_root_there_are_no_hosts(monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    monkeypatch.setattr(sys, "argv", ["/opt/a b/bin/hpc", "rehearse", "aws-cfd"])
    assert missing()[-1].remedy == "run the command as root: sudo '/opt/a b/bin/hpc' rehearse aws-cfd"


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root")
def test_a_kernel_without_namespaces_is_an_obstacle(monkeypatch, tmp_path):
    """Stands for a container without rights: `unshare` fails."""
    fake = tmp_path / "unshare"
    fake.write_text("#!/bin/sh\necho 'unshare: unshare failed: Operation not permitted' >&2\nexit 1\n")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    (first, *_) = [each for each in missing() if "kernel" in each.what]
    assert "namespaces" in first.what
    assert "Operation not permitted" in first.what
    assert "--privileged" in first.remedy


@needs_slurm
@pytest.mark.parametrize("stack", ["aws-cfd", "aws-dev", "aws-ultracluster", "aws-university"])
def test_the_reference_stacks_can_be_rehearsed(stack):
    assert obstacles_of(stack) == ()


@needs_slurm
def test_more_nodes_than_memory_allows_are_refused(monkeypatch):
    monkeypatch.setattr(requirements, "_available_memory", lambda: 2000)
    setup = setup_of(changed("aws-cfd"))
    own = own_job(setup, "mine.sh", "", nodes=None)
    assert obstacles(setup, own) == ()
    with pytest.raises(
        ImpossibleError, match=r"32 ranks on 16 nodes need about \d+ MiB of memory, but only 2000 MiB are free"
    ):
        plan_rehearsal(described("aws-cfd"), nodes=16)


@needs_slurm
def test_nodes_that_are_always_up_count(monkeypatch):
    queue = described("aws-cfd").queues[0].model_dump(mode="json", exclude_unset=True) | {"min": 16}
    monkeypatch.setattr(requirements, "_available_memory", lambda: 2000)
    (found,) = obstacles_of("aws-cfd", queues=[queue])
    assert "16 of them always up" in found


@needs_slurm
@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"JobSubmitPlugins": "none_such"}, "has no plugin job_submit/none_such"),
        ({"SwitchType": "switch/hpe_slingshot"}, "has no plugin switch/hpe_slingshot"),
        ({"TaskProlog": "/opt/site/prolog"}, "TaskProlog=/opt/site/prolog: this file doesn't exist on this machine;"),
        ({"NoSuchKey": "1"}, "unrecognized key: NoSuchKey"),
    ],
)
def test_settings_unknown_to_the_installed_slurm_are_an_obstacle(settings, words):
    found = obstacles_of("aws-cfd", slurm={"settings": settings})
    assert any(words in each for each in found), found


@needs_slurm
@pytest.mark.parametrize(
    ("place", "parts"),
    [
        ("slurm.settings.MaxBatchRequeue", {"slurm": {"version": "24.11", "settings": {"MaxBatchRequeue": 3}}}),
        ("queues[1].slurm.maxcpuspersocket", {"slurm": {"version": "24.11"}}),
    ],
)
def test_settings_right_for_the_described_release_are_no_obstacle(place, parts):
    queues = [{"name": name, "machine": "c7i.large", "max": 2} for name in ("a", "b")]
    if place.startswith("queues"):
        queues[1]["slurm"] = {"maxcpuspersocket": 8}
    assert obstacles_of("aws-cfd", queues=queues, **parts) == (
        f"{place}: the description is for Slurm 24.11, but this machine has 22.05.8, which doesn't support this "
        "setting; "
        "rehearse on a machine with Slurm 24.11, or remove the setting for the rehearsal",
    )


@needs_slurm
def test_what_only_this_machine_can_tell_is_told_in_slurms_words():
    (found,) = obstacles_of("aws-cfd", slurm={"version": "24.11", "settings": {"NoSuchKey": 1}})
    assert "can't read slurm.conf: " in found
    assert found.endswith("; remove the setting from slurm.settings, or from the slurm key of a queue")


@needs_slurm
def test_all_obstacles_are_told_together(monkeypatch):
    monkeypatch.setattr(requirements, "_available_memory", lambda: 100)
    cluster = changed("aws-cfd", slurm={"settings": {"TaskProlog": "/opt/site/prolog"}})
    with pytest.raises(ImpossibleError) as caught:
        plan_rehearsal(cluster)
    assert len(caught.value.reasons) == 2
    assert "MiB" in str(caught.value)
    assert "TaskProlog" in str(caught.value)


@needs_slurm
def test_another_release_has_other_plugins():
    setup = replace(setup_of("aws-cfd"), root=Path("/nonexistent"))
    assert any("has no plugin" in each for each in obstacles(setup, own_job(setup, "m.sh", "", nodes=None)))
