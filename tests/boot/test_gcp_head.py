"""What only the head node does on Google Cloud: copies between buckets and Lustre, and the end of the cluster."""

import importlib.util
import io
import json
import os
import re
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from hpc_components.boot.archive import archive
from hpc_components.boot.files import boot_files
from hpc_components.gcp import boot

from .fake_gcp import FakeGcp
from .fake_metadata import GcpMachine
from .gcp_rights import ACCOUNTS, GRANTS
from .gcp_stage import gcp_metadata, gcp_spec
from .sandbox import Sandbox

Make = Callable[..., Sandbox]

SCRIPTS = Path(boot.__file__).parent / "scripts"
SCRATCH = "projects/acme-hpc/locations/us-central1-a/instances/lab-scratch"
OTHER = "projects/acme-hpc/locations/us-central1-a/instances/other"
LUSTRE = {"type": "lustre", "mount": "/scratch", "size": "9000GiB"}
MOUNTS = [{"mount": "/scratch", "type": "lustre", "from": "10.90.64.3@tcp:/lfs", "options": "defaults"}]
TRANSFERS = {"lustre.instances.list", "lustre.instances.importData", "lustre.instances.exportData"}


def links(**ends: str) -> str:
    """The file by which the head node knows what to copy."""
    described = gcp_spec(storage={"scratch": LUSTRE | ends}, os="ubuntu-24.04", slurm={"version": "23.11"})
    return boot_files(described)["head/lustre.json"]


def test_only_file_systems_that_are_copied_are_named() -> None:
    assert json.loads(links(import_from="gs://data/in")) == [
        {"mount": "/scratch", "zone": "us-central1-a", "import_from": "gs://data/in"}
    ]
    assert "head/lustre.json" not in boot.node_files(gcp_spec(storage={"scratch": LUSTRE}))


@pytest.fixture
def program(gcp: FakeGcp, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> ModuleType:
    """`common/transfer.py` on a head node with a file system that was made now."""
    gcp.metadata.machines[""] = GcpMachine(gcp_metadata("head"), ACCOUNTS["head"])
    gcp.roles = {**gcp.roles, "transfer": {*TRANSFERS, "lustre.operations.get"}}
    gcp.grants[ACCOUNTS["head"]] = GRANTS["head"] | {("transfer", "project")}
    gcp.lustre.instances = {
        OTHER: {"mountPoint": "10.90.64.2@tcp:/lfs", "createTime": "2026-01-01T00:00:00Z"},
        SCRATCH: {"mountPoint": "10.90.64.3@tcp:/lfs", "createTime": "2026-11-22T10:00:00.123Z"},
    }
    monkeypatch.syspath_prepend(SCRIPTS / "common")
    sys.modules.pop("google_rest", None)
    monkeypatch.setenv("IMDS", gcp.url)
    monkeypatch.setenv("GOOGLEAPIS", gcp.url)
    spec = importlib.util.spec_from_file_location("node_transfer", SCRIPTS / "common/transfer.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    now = [0.0]
    monkeypatch.setattr("time.sleep", lambda seconds: now.__setitem__(0, now[0] + seconds))
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    monkeypatch.setattr(module, "DONE", tmp_path / "state/lustre")
    monkeypatch.chdir(tmp_path)
    for folder in ("head", "common"):
        Path(folder).mkdir()
    Path("head/lustre.json").write_text(links(import_from="gs://data/in", export_to="gs://data/out/"))
    Path("common/mounts.json").write_text(json.dumps(MOUNTS))
    return module


def test_a_bucket_is_imported_once(program: ModuleType, gcp: FakeGcp) -> None:
    """Not again when the head node is replaced, but into a new file system of the same name."""
    for _ in range(2):
        program.transfer("import")
    assert gcp.lustre.transfers == [("import", SCRATCH, "gs://data/in/")]
    gcp.lustre.instances[SCRATCH]["createTime"] = "2027-01-01T00:00:00Z"
    program.transfer("import")
    assert len(gcp.lustre.transfers) == 2


def test_a_failed_import_is_tried_again(program: ModuleType, gcp: FakeGcp) -> None:
    gcp.lustre.failing["gs://data/in/"] = "The service agent does not have storage.objects.get"
    with pytest.raises(
        SystemExit, match=r"/scratch: import: .*: The service agent does not have storage.objects.get"
    ):
        program.transfer("import")
    gcp.lustre.failing.clear()
    program.transfer("import")
    assert len(gcp.lustre.transfers) == 2


def test_each_transfer_waits_for_its_end_and_for_the_one_before(program: ModuleType, gcp: FakeGcp) -> None:
    polls = iter([False, False, True])
    gcp.lustre.polls, gcp.lustre.busy = lambda: next(polls), 3
    program.transfer("export")
    assert gcp.lustre.transfers == [("export", SCRATCH, "gs://data/out/")]
    assert list(polls) == [], "it has asked until it was done"
    assert gcp.lustre.busy == 0


def test_every_export_begins_a_transfer(program: ModuleType, gcp: FakeGcp) -> None:
    for _ in range(2):
        program.transfer("export")
    assert len(gcp.lustre.transfers) == 2


def test_a_file_system_unknown_to_google_is_an_error(program: ModuleType, gcp: FakeGcp) -> None:
    del gcp.lustre.instances[SCRATCH]
    with pytest.raises(
        SystemExit, match=r"/scratch: export: .*instances: no file system has the mount point 10.90.64.3@tcp:/lfs"
    ):
        program.transfer("export")


def test_a_head_node_without_the_permission_fails(program: ModuleType, gcp: FakeGcp) -> None:
    gcp.roles = {**gcp.roles, "transfer": {"lustre.instances.list"}}
    with pytest.raises(SystemExit, match=r"Permission 'lustre.instances.exportData' denied"):
        program.transfer("export")


@pytest.fixture
def head(gcp_sandbox: Make, gcp: FakeGcp) -> Sandbox:
    """A head node whose file system is copied."""
    gcp.metadata.machines[""] = GcpMachine(gcp_metadata("head"), ACCOUNTS["head"], "lab-head")
    box = gcp_sandbox("head", **{"head/lustre.json": links(export_to="gs://data/out")})
    box.fake("systemctl", 'echo "$@" >>/did; [[ $1 != is-enabled ]]')
    return box


UNITS = ("hpc-import.service", "hpc-export.service", "hpc-export.timer")


def test_units_are_there_and_start(head: Sandbox) -> None:
    head.step("common/data.sh", "data")
    did = head.read("did").splitlines()
    for unit in ("hpc-reap.service", "hpc-export.timer"):
        assert {f"enable -q --no-reload {unit}", f"start {unit}"} <= set(did)
    assert "start --no-block hpc-import.service" in did, "nobody waits for an import"
    assert not [line for line in did if "restart" in line and "reap" in line], (
        "what it does, it does when it is stopped"
    )
    assert os.access(head.root / "opt/hpc/bin/hpc-export", os.X_OK)


def test_units_go_when_nothing_is_copied_any_more(head: Sandbox) -> None:
    head.step("common/data.sh", "data")
    (head.root / "opt/hpc/config/head/lustre.json").unlink()
    head.write("did", "")
    head.step("common/data.sh", "data")
    assert "disable -q --now --no-reload hpc-export.timer" in head.read("did").splitlines()
    assert not any((head.root / "etc/systemd/system" / unit).exists() for unit in UNITS)
    assert (head.root / "etc/systemd/system/hpc-reap.service").exists()


@pytest.mark.parametrize("unit", ["hpc-reap.service", *UNITS])
def test_systemd_has_nothing_to_say(head: Sandbox, unit: str) -> None:
    head.step("common/data.sh", "data")
    head.write("opt/hpc/bin/hpc-elastic", "")
    run = head.run("systemd-analyze", "verify", "--man=no", f"/etc/systemd/system/{unit}")
    assert run.returncode == 0, run.stdout
    assert unit not in run.stdout


def test_compute_nodes_have_none_of_it(gcp_sandbox: Make, gcp: FakeGcp) -> None:
    gcp.metadata.machines[""] = GcpMachine(gcp_metadata("compute"), ACCOUNTS["compute"])
    box = gcp_sandbox("compute")
    box.step("common/data.sh", "data")
    assert not (box.root / "etc/systemd/system/hpc-reap.service").exists()


def test_the_reaper_is_in_the_daemon_s_archive() -> None:
    """The unit runs it from there."""
    unit = (SCRIPTS / "head/units/hpc-reap.service").read_text()
    (module,) = re.findall(r"ExecStop=\S+ -m (\S+)", unit)
    with zipfile.ZipFile(io.BytesIO(archive("gcp"))) as made:
        assert f"{module.replace('.', '/')}.py" in made.namelist()
