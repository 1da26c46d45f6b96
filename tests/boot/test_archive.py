"""The elastic daemon's archive: the same bytes always, and it runs with nothing beside it."""

import ast
import io
import os
import subprocess
import sys
import zipfile
from importlib.resources import files

import pytest

from hpc_components.boot.archive import archive, node_archive, programs, units
from hpc_components.elastic import drivers

MADE = "import sys; from hpc_components.boot.archive import archive; sys.stdout.buffer.write(archive('aws'))"
STDLIB = sys.stdlib_module_names | {"hpc_components", "boto3", "botocore"}


def modules():
    with zipfile.ZipFile(io.BytesIO(archive("aws"))) as opened:
        return {name: opened.read(name).decode() for name in opened.namelist()}


def test_its_bytes_depend_on_neither_zone_mask_nor_hash_seed():
    made = [
        subprocess.check_output([sys.executable, "-c", MADE], env=os.environ | environment, umask=umask)
        for environment, umask in (
            ({"TZ": "Asia/Tokyo", "PYTHONHASHSEED": "1"}, 0o077),
            ({"TZ": "UTC", "PYTHONHASHSEED": "2"}, 0o002),
        )
    ]
    assert made == [archive("aws"), archive("aws")]


def test_nothing_in_it_is_left_to_the_machine_that_makes_it():
    with zipfile.ZipFile(io.BytesIO(archive("aws"))) as opened:
        entries = opened.infolist()
    assert [entry.filename for entry in entries] == sorted(entry.filename for entry in entries)
    assert {
        (entry.date_time, entry.compress_type, entry.create_system, entry.external_attr, entry.create_version)
        for entry in entries
    } == {((1980, 1, 1, 0, 0, 0), zipfile.ZIP_STORED, 3, 0o644 << 16, 20)}


def test_a_checkout_with_other_line_ends_makes_the_same(tmp_path, monkeypatch):
    before = archive("aws"), programs(), units()
    for file in (files("hpc_components") / "elastic").rglob("*"):
        if file.is_file() and "__pycache__" not in file.parts:
            copy = tmp_path / file.relative_to(files("hpc_components"))
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(file.read_bytes().replace(b"\n", b"\r\n"))
    monkeypatch.setattr("hpc_components.boot.archive.files", lambda name: tmp_path.joinpath(*name.split(".")[1:]))
    assert (archive("aws"), programs(), units()) == before


def test_it_holds_the_daemon_and_nothing_else():
    names = set(modules())
    assert {"__main__.py", "hpc_components/__init__.py", "hpc_components/elastic/command.py"} <= names
    assert all(
        name.startswith("hpc_components/elastic/") for name in names - {"__main__.py", "hpc_components/__init__.py"}
    )
    assert not any("programs/" in name or "units/" in name for name in names)


def test_it_imports_nothing_that_the_head_node_does_not_have():
    for name, text in modules().items():
        for node in ast.walk(ast.parse(text, feature_version=(3, 10))):
            imported = []
            if isinstance(node, ast.Import):
                imported = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                assert node.level == 0, f"{name}: relative import"
                imported = [node.module]
            for module in imported:
                assert module.split(".")[0] in STDLIB, f"{name} imports {module}"
                assert not module.startswith("hpc_components.") or module.startswith("hpc_components.elastic"), name


def test_the_archive_runs_by_itself(tmp_path):
    path = tmp_path / "hpc-elastic"
    path.write_bytes(archive("aws"))
    path.chmod(0o755)
    done = subprocess.run([path, "--help"], capture_output=True, text=True, cwd=tmp_path, timeout=60)
    assert done.returncode == 0, done.stderr
    assert "hpc-elastic status" in done.stdout


@pytest.mark.parametrize(("room", "module"), [("health", "gpus"), ("watch", "gpu")])
def test_a_program_carries_the_modules_that_it_shares(room, module, tmp_path):
    path = tmp_path / f"hpc-{room}"
    path.write_bytes(node_archive(room))
    look = f"import sys; sys.path.insert(0, {str(path)!r}); import hpc_components.{room}.node.{module}"
    done = subprocess.run([sys.executable, "-IS", "-c", look], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", ["hpc-resume", "hpc-suspend", "hpc-resume-fail", "hpc-prolog"])
def test_slurms_programs_come_with_it(name):
    assert programs()[name].startswith("#!/usr/bin/python3 -IS\n")


def test_its_units_come_with_it():
    assert set(units()) == {"hpc-elastic.service", "hpc-watch.service"}
    folder = files("hpc_components.elastic") / "units"
    assert units()["hpc-watch.service"] == (folder / "hpc-watch.service").read_text()


def test_it_has_the_drivers_of_its_cloud_and_of_a_rehearsal(tmp_path, monkeypatch):
    """With one cloud's notices in it, a node's watcher need not be told which cloud it is on."""
    (tmp_path / "puddle").mkdir()
    for name in ("__init__", "driver", "notices"):
        (tmp_path / "puddle" / f"{name}.py").write_text("")
    monkeypatch.setattr(drivers, "__path__", [*drivers.__path__, str(tmp_path)])
    for cloud in ("aws", "puddle"):
        with zipfile.ZipFile(io.BytesIO(archive(cloud))) as opened:
            paths = [name.split("/") for name in opened.namelist() if "/drivers/" in name]
        assert {path[3] for path in paths if len(path) == 5} == {cloud, "local"}
    with pytest.raises(ValueError, match="cloud 'pond' has no driver; use one of aws, azure, gcp, local, puddle"):
        archive("pond")
