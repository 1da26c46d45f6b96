"""The documents of Pulumi's CLI that tests without it read: they are what it writes today.

HPC_WRITE_GOLDENS=1 writes them anew.
"""

import json
import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from hpc_components.testing.engine import Engine, EngineError, copy_project

pytestmark = pytest.mark.engine

HERE = Path(__file__).parent
DOCUMENTS = HERE.parent / "review" / "engine" / "documents"

MOMENTS = ("created", "modified", "sourcePosition", "stackTrace", "time", "timestamp", "duration", "durationSeconds")
"""Keys of what differs from run to run, or names places on this machine."""
SECRETS = {"salt": "v1:salt", "ciphertext": "ciphertext", "encryptionsalt": "v1:salt"}
UUID = re.compile(r"(?!04da6b54)[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
"""But for the mark of an unknown value."""
PATHS = re.compile(r'(File ")[^"]*/')


@pytest.fixture(scope="module")
def documents(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, str]:
    """What the CLI writes of the sample: up, then a preview of changes, and one whose program fails."""
    if not Engine.available():
        pytest.skip("no `pulumi` on PATH; install Pulumi's CLI to run the real engine")
    tmp = tmp_path_factory.mktemp("recorded")
    project = copy_project(HERE / "sample", tmp / "project")
    engine = Engine(project, tmp / "engine", environment={"PULUMI_DEBUG_COMMANDS": "true"})
    found = {}
    engine.config_set("dev", "token", "first", secret=True)
    found["new.json"] = engine.pulumi("preview", "--json", "--stack", "dev")
    engine.up("dev")
    found["state.json"] = engine.pulumi("stack", "export", "--stack", "dev")
    engine.config_set("dev", "token", "second", secret=True)
    engine.config_set("dev", "cidr", "10.0.2.0/24")
    engine.config_set("dev", "reaper", "true")
    found["changes.json"] = engine.pulumi("preview", "--json", "--show-sames", "--stack", "dev")
    found["only_changes.json"] = engine.pulumi("preview", "--json", "--stack", "dev")
    engine.pulumi("preview", "--stack", "dev", "--event-log", str(tmp / "log"))
    found["events.jsonl"] = (tmp / "log").read_text()
    engine.config_set("dev", "capacity", "large")
    found["failed.json"] = _of_failure(lambda: engine.preview("dev"))
    return found


def test_they_are_what_the_cli_writes(documents: Mapping[str, str]) -> None:
    scrubbed = {name: _scrubbed(text) for name, text in documents.items()}
    if os.environ.get("HPC_WRITE_GOLDENS"):
        for name, text in scrubbed.items():
            (DOCUMENTS / name).write_text(text)
    assert {file.name for file in DOCUMENTS.iterdir()} == scrubbed.keys()
    for name, text in scrubbed.items():
        found, known = (sorted(each.splitlines()) for each in (text, (DOCUMENTS / name).read_text()))
        assert found == known, f"{name} differs; HPC_WRITE_GOLDENS=1 writes it anew"


def _of_failure(preview: Callable[[], object]) -> str:
    with pytest.raises(EngineError) as failed:
        preview()
    assert failed.value.outcome
    return json.dumps(failed.value.outcome.document)


def _scrubbed(text: str) -> str:
    """Without times, paths of this machine and secrets, nor what depends on which resource was registered first."""
    try:
        return json.dumps(_plain(json.loads(text)), indent=1, ensure_ascii=False) + "\n"
    except json.JSONDecodeError:
        events = [_plain(json.loads(line)) | {"sequence": 0} for line in text.splitlines()]
    told = (each for each in events if each.get("diagnosticEvent", {}).get("severity") != "debug")
    return "".join(f"{json.dumps(each, ensure_ascii=False)}\n" for each in told)


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        kept = {key: _plain(each) for key, each in value.items() if key not in MOMENTS}
        return {key: SECRETS.get(key, each) for key, each in kept.items()}
    if isinstance(value, list):
        return sorted(map(_plain, value), key=_place)
    if isinstance(value, str):
        return PATHS.sub(r"\1", UUID.sub("00000000-0000-4000-8000-000000000000", value))
    return value


def _place(value: Any) -> str:
    """What a list is sorted by if it is one of URNs, steps or resources; others keep their order."""
    return value.get("urn", "") if isinstance(value, dict) else value if str(value).startswith("urn:") else ""
