"""What is known about public images, in one shape for all clouds."""

import re
from dataclasses import replace
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hpc_components.catalog import all_machines, operating_systems
from hpc_components.catalog.base_image import BaseImage, LustreClient, recent_version
from hpc_components.catalog.clouds import catalog_of
from hpc_components.catalog.driver_fixes import missing_fixes

CLOUDS = ("aws", "azure", "gcp")
IMAGES = [(cloud, image) for cloud in CLOUDS for image in catalog_of(cloud).base_images()]


def of(cloud: str, id: str) -> BaseImage:
    return next(image for name, image in IMAGES if name == cloud and image.id == id)


HPC_IMAGE = of("azure", "microsoft-dsvm:ubuntu-hpc:2404:24.04.2026072901")


@pytest.mark.parametrize(("cloud", "image"), IMAGES, ids=lambda value: getattr(value, "id", value))
def test_an_image_has_the_form_of_all(cloud: str, image: BaseImage) -> None:
    assert image.os in {system.name for system in operating_systems()}
    assert image.kernel is None or re.fullmatch(r"\d+\.\d+", image.kernel)
    assert image.build is None or image.build.startswith(f"{image.kernel}.")
    assert image.floating == (image.made is None)
    assert image.accelerator is not None or not image.models
    assert [each for name, each in IMAGES if name == cloud and each.id == image.id] == [image]


@pytest.mark.parametrize("cloud", CLOUDS)
def test_the_default_image_of_a_machine_is_in_the_matrix(cloud: str) -> None:
    catalog = catalog_of(cloud)
    known = {image.id for image in catalog.base_images()}
    for machine in all_machines(cloud):
        found = catalog.base_image("ubuntu-24.04", machine, None, False)
        assert (found is not None) == catalog.has_image("ubuntu-24.04", machine), machine.name
        if found:
            assert found.id in known
            assert found.arch == machine.arch


def test_open_modules_need_a_gpu_of_turing_or_later() -> None:
    machines = {machine.name: machine for machine in all_machines("aws")}
    image = of("aws", "/aws/service/deeplearning/ami/x86_64/base-oss-nvidia-driver-gpu-ubuntu-24.04/latest/ami-id")
    assert not image.drives(machines["p3dn.24xlarge"])
    assert image.drives(machines["g4dn.xlarge"])
    assert image.drives(machines["c6i.xlarge"])
    assert replace(image, open_modules=False).drives(machines["p3dn.24xlarge"])


def test_a_driver_knows_the_listed_gpus() -> None:
    machines = {machine.name: machine for machine in all_machines("azure")}
    assert HPC_IMAGE.drives(machines["Standard_ND96isr_H100_v5"])
    assert not HPC_IMAGE.drives(machines["Standard_ND40rs_v2"])


def test_the_newest_version_of_an_image_is_the_one_with_the_latest_date() -> None:
    azure = [image for cloud, image in IMAGES if cloud == "azure"]
    newest = recent_version(azure, HPC_IMAGE)
    assert newest
    assert (newest.made, newest.line) == (date(2026, 9, 25), HPC_IMAGE.line)
    assert recent_version([each for each in azure if each is not newest], HPC_IMAGE) is None  # 95 days old
    floating = of("azure", "microsoft-dsvm:ubuntu-hpc:2204-v100:latest")
    assert recent_version(azure, floating) is None


SERIES = st.tuples(st.integers(2, 9), st.integers(0, 30)).map(lambda pair: f"{pair[0]}.{pair[1]}")


@given(SERIES, SERIES)
def test_a_client_lacks_exactly_the_kernels_after_its_newest(kernel: str, newest: str) -> None:
    client = LustreClient(os="ubuntu-24.04", kernel=newest, source="", as_of="")
    assert client.lacks(kernel) == (tuple(map(int, kernel.split("."))) > tuple(map(int, newest.split("."))))
    assert not client.lacks(None)
    assert not replace(client, kernel=None).lacks(kernel)


@pytest.mark.parametrize(
    ("version", "fixed"),
    [
        ("580.126.20", ["580.178.04", "580.159.03"]),
        ("580.159.03", ["580.178.04"]),
        ("580.173.02", ["580.178.04"]),
        ("580.178.04", []),
        ("595.71.05", ["595.91.07"]),
        ("595.91.07", []),
        ("580", []),
        ("610.1.2", []),
    ],
)
def test_a_driver_lacks_the_fixes_of_later_versions(version: str, fixed: list[str]) -> None:
    assert [fix.fixed for fix in missing_fixes("nvidia", version)] == fixed
    assert not missing_fixes("rocm", version)
