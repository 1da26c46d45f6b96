"""Rules about the versions of public images: their age, and the security fixes of their drivers."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from hpc_components.spec.findings import Finding, Level
from hpc_components.spec.project import open_stack_file
from hpc_components.spec.validate import judge

CORPUS = Path(__file__).parents[2] / "corpus"
AZURE, GOOGLE = "HPC-OSI-025-driver-with-known-holes", "HPC-OSI-019-image-of-a-family"
HPC = "microsoft-dsvm:ubuntu-hpc:2404:"
GPUS = "projects/ubuntu-os-accelerator-images/global/images/"


def findings(tmp_path: Path, corpus: str, id: str, **queue: Any) -> list[Finding]:
    document = yaml.safe_load((CORPUS / f"{corpus}.yaml").read_text(encoding="utf-8"))
    document["config"]["hpc:cluster"]["queues"][0] |= queue
    file = tmp_path / "cluster.yaml"
    file.write_text(yaml.safe_dump(document), encoding="utf-8")
    found = judge(open_stack_file(file).cluster).findings
    return [each for each in found if each.id == id and each.path.startswith("queues[0]")]


@pytest.mark.parametrize(
    ("image", "version", "lacks"),
    [
        (f"{HPC}24.04.2026052601", "580.126.20", "NVIDIA 5861 (2026-09-30) and NVIDIA 5821 (2026-05-19); 580.178.04"),
        (f"{HPC}24.04.2026072901", "580.173.02", "NVIDIA 5861 (2026-09-30); 580.178.04"),
    ],
)
def test_a_driver_without_fixes_is_found(tmp_path: Path, image: str, version: str, lacks: str) -> None:
    (found,) = findings(tmp_path, AZURE, "HPC-OSI-025", image=image)
    assert found.level is Level.INFO
    assert f"driver nvidia {version}" in found.reason
    assert lacks in found.reason
    assert found.remedy == "use an image with driver 580.178.04 or later"


@pytest.mark.parametrize("image", [f"{HPC}24.04.2026092501", f"{HPC}24.04.2026010101", f"{HPC}latest"])
def test_a_version_with_an_unknown_driver_is_not_judged(tmp_path: Path, image: str) -> None:
    assert not findings(tmp_path, AZURE, "HPC-OSI-025", image=image)


def test_an_image_that_is_not_pinned_is_not_judged(tmp_path: Path) -> None:
    volta = {"machine": "Standard_ND40rs_v2", "image": "microsoft-dsvm:ubuntu-hpc:2204-v100:latest"}
    assert not findings(tmp_path, AZURE, "HPC-OSI-025", **volta)


def test_a_machine_without_gpus_needs_no_fixes_of_their_driver(tmp_path: Path) -> None:
    assert not findings(tmp_path, AZURE, "HPC-OSI-025", machine="Standard_HB176rs_v4")


def test_an_old_image_names_a_newer_version_with_its_contents(tmp_path: Path) -> None:
    (found,) = findings(tmp_path, AZURE, "HPC-OSI-024", image=f"{HPC}24.04.2025010101")
    assert found.level is Level.WARNING
    assert found.remedy.startswith(
        f"use image: {HPC}24.04.2026092501 (no source states its contents), or set image to"
    )
    gpu = {"machine": "a3-ultragpu-8g", "max": 1}
    old = f"{GPUS}ubuntu-accelerator-2404-amd64-with-nvidia-580-v20260522"
    (found,) = findings(tmp_path, GOOGLE, "HPC-OSI-024", **gpu, image=old)
    newer = old.replace("20260522", "20260820")
    assert found.remedy.startswith(f"use image: {newer} (nvidia 580.173.02), or set image to a newer release")


def test_a_version_that_is_old_itself_is_not_proposed(tmp_path: Path) -> None:
    old = "Canonical:ubuntu-24_04-lts:server:24.04.202607140"
    (found,) = findings(tmp_path, AZURE, "HPC-OSI-024", machine="Standard_D16s_v5", image=old)
    assert found.remedy.startswith("set image to a newer version")


def test_a_floating_image_names_a_version_to_pin(tmp_path: Path) -> None:
    (found,) = findings(tmp_path, AZURE, "HPC-OSI-014", image=f"{HPC}latest")
    assert found.remedy.startswith(f"specify a version, such as {HPC}24.04.2026092501; to list")
    family = f"{GPUS}family/ubuntu-accelerator-2404-amd64-with-nvidia-580"
    (found,) = findings(tmp_path, GOOGLE, "HPC-OSI-019", machine="a3-ultragpu-8g", max=1, image=family)
    assert found.remedy.startswith(
        f"use {GPUS}ubuntu-accelerator-2404-amd64-with-nvidia-580-v20260820, or specify an"
    )


def test_an_old_version_is_not_proposed_as_a_pin(tmp_path: Path) -> None:
    family = "projects/ubuntu-os-cloud/global/images/family/ubuntu-2404-lts-amd64"
    (found,) = findings(tmp_path, GOOGLE, "HPC-OSI-019", image=family)
    assert found.remedy.startswith("specify an image from this list")
