"""The generated data files are what the generator writes, and it notices when they are not."""

import importlib
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

pytest.importorskip("moto", reason="the generator reads moto's copy of the EC2 API")


@pytest.fixture
def tool(monkeypatch):
    """Imports one of the scripts of `tools/`."""
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    return importlib.import_module


def test_generated_files_are_current():
    command = [sys.executable, str(ROOT / "tools" / "make_catalog.py"), "--check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_stale_file_is_noticed(tool, monkeypatch, tmp_path, capsys):
    make_catalog = tool("make_catalog")

    monkeypatch.setattr(make_catalog, "PACKAGE", tmp_path)
    monkeypatch.setattr(make_catalog, "generate", lambda: {"a.json": "[\n{}\n]\n", "b.json": "[\n\n]\n"})
    (tmp_path / "b.json").write_text("[\n\n]\n")
    monkeypatch.setattr(sys, "argv", ["make_catalog.py", "--check"])
    assert make_catalog.main() == 1
    assert capsys.readouterr().out == "stale: a.json\n"
    monkeypatch.setattr(sys, "argv", ["make_catalog.py"])
    assert make_catalog.main() == 0
    assert (tmp_path / "a.json").read_text() == "[\n{}\n]\n"


@pytest.mark.parametrize(
    ("text", "gbps", "up_to"),
    [
        ("3200 Gigabit", 3200, False),
        ("4x 100 Gigabit", 400, False),
        ("Up to 12.5 Gigabit", 12.5, True),
        ("32 default / 100 Tier_1", 32, False),
        ("18.75 Gigabit", 18.75, False),
        ("Moderate", None, False),
        ("", None, False),
    ],
)
def test_a_bandwidth_is_read_from_text(tool, text, gbps, up_to):
    assert tool("catalog_from_drafts").bandwidth(text) == (gbps, up_to)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-03-17; NVMe 2026-01-31", "2026-03-17"),
        ("2026 (exact day unsure)", "2026"),
        ("2026-01-31 / 2026-07-01", "2026-07-01"),
        ("skypilot v9 (commit 2c3d7ea) 2026", "2026"),
    ],
)
def test_the_last_day_is_read_from_text(tool, text, expected):
    assert tool("catalog_from_drafts").last_day(text) == expected


def test_a_layout_kept_by_hand_comes_first(tool, monkeypatch):
    catalog_from_moto = tool("catalog_from_moto")

    card = {"NetworkCardIndex": 0, "MaximumNetworkInterfaces": 2, "InterfaceTypes": ["interface", "efa", "efa-only"]}
    info = {"EfaSupported": True, "EfaInfo": {"MaximumEfaInterfaces": 1}, "NetworkCards": [card]}
    by_hand = {"types": ["x.1"], "single_cards": [0]}
    monkeypatch.setattr(catalog_from_moto.drafts, "read_json", lambda name: [by_hand])
    layouts = list(catalog_from_moto.efa_layouts({"x.1": {"NetworkInfo": info}, "y.1": {"NetworkInfo": info}}))
    assert [layout["types"] for layout in layouts] == [["y.1"], ["x.1"]]
