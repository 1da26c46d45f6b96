"""`pip install` in an empty folder is enough: nothing of the checkout is needed, and the package's page is whole."""

import json
import re
import shutil
import subprocess
import zipfile
from email import message_from_bytes
from email.message import Message
from pathlib import Path

import pytest
from stack_recordings import planned

from tests.wheel.conftest import ROOT, Run


@pytest.fixture(scope="session")
def metadata(wheel: Path) -> Message:
    with zipfile.ZipFile(wheel) as archive:
        (name,) = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
        return message_from_bytes(archive.read(name))


def test_every_file_of_the_package_is_in_the_wheel(wheel: Path) -> None:
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "hpc_components"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    ).stdout.split()  # fmt: skip
    with zipfile.ZipFile(wheel) as archive:
        packed = {name for name in archive.namelist() if ".dist-info/" not in name}
    assert packed == {name for name in listed if (ROOT / name).is_file()}
    assert "hpc_components/py.typed" in packed


def test_the_package_runs_from_the_wheel(installed: Path) -> None:
    where = "import hpc_components; print(hpc_components.__file__)"
    told = subprocess.run([installed / "python", "-c", where], capture_output=True, text=True, cwd="/", check=True)
    assert told.stdout.startswith(str(installed.parent))


def test_it_says_what_it_is(metadata: Message) -> None:
    labels = [address.partition(", ")[0] for address in metadata.get_all("Project-URL", [])]
    assert labels == ["Documentation", "Source", "Issues", "Changelog"]
    classifiers = metadata.get_all("Classifier", [])
    assert "Typing :: Typed" in classifiers
    assert "Programming Language :: Python :: 3.11" in classifiers
    assert not [each for each in classifiers if each.startswith("License ::")], "PEP 639: License-Expression says it"
    assert metadata["License-Expression"] == "Apache-2.0"
    assert metadata["Description-Content-Type"] == "text/markdown"


def test_links_and_pictures_of_its_page_lead_out_of_it(metadata: Message) -> None:
    text = metadata.get_payload()
    assert isinstance(text, str)
    source = dict(address.split(", ") for address in metadata.get_all("Project-URL", []))["Source"]
    targets = re.findall(r"\]\(([^)]+)\)", text)
    assert [target for target in targets if not target.startswith(("https://", "#"))] == []
    ours = [target.removeprefix(source) for target in targets if target.startswith(source)]
    pictures = re.findall(r"!\[[^]]*\]\(([^)]+)\)", text)
    assert pictures
    assert all(picture.startswith(f"{source}/raw/main/") for picture in pictures)
    for target in ours:
        path = re.sub(r"^/(?:raw|blob|tree)/main/", "", target).partition("#")[0]
        assert (ROOT / path).exists(), target


@pytest.fixture
def description(tmp_path: Path) -> str:
    shutil.copy(ROOT / "stacks/config/Pulumi.aws-dev.yaml", tmp_path)
    return "Pulumi.aws-dev.yaml"


def test_a_description_alone_is_judged_planned_and_rendered(hpc: Run, description: str) -> None:
    for command in ("validate", "preview", "render"):
        done = hpc(command, description)
        assert (done.returncode, done.stderr) == (0, ""), command
        assert done.stdout


def test_the_plan_is_that_of_the_checkout(hpc: Run, description: str) -> None:
    ours = planned("aws-dev").plan
    assert ours is not None
    theirs = json.loads(hpc("preview", description, "--format", "json").stdout)
    assert theirs["resources"] == json.loads(ours.to_json())["resources"]
