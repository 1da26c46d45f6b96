from datetime import date

import pytest

from hpc_components.aws.catalog.images import image_parameter, root_device
from hpc_components.catalog import operating_system, operating_systems

from .present import present


def test_the_default_image_is_pinned():
    for arch, word in (("x86_64", "amd64"), ("arm64", "arm64")):
        found = present(image_parameter("ubuntu-24.04", arch))
        assert found.parameter == (
            f"/aws/service/canonical/ubuntu/server/24.04/stable/20260714/{word}/hvm/ebs-gp3/ami-id"
        )
        assert found.serial == "20260714"
        assert not found.floating


def test_gpu_images_have_no_fixed_version():
    found = present(image_parameter("ubuntu-24.04", "x86_64", "nvidia"))
    assert found.parameter.endswith("/base-oss-nvidia-driver-gpu-ubuntu-24.04/latest/ami-id")
    assert found.floating


def test_a_pinned_image_has_its_serial_in_the_parameter():
    for known in operating_systems():
        for arch in ("x86_64", "arm64"):
            found = image_parameter(known.name, arch)
            if found:
                assert found.parameter.startswith("/aws/service/")
                assert found.serial is None or found.serial in found.parameter


@pytest.mark.parametrize(("os", "accelerator"), [("rocky-9", None), ("rhel-9", None), ("debian-13", "nvidia")])
def test_an_image_that_nobody_publishes_is_not_found(os, accelerator):
    assert image_parameter(os, "x86_64", accelerator) is None


def test_operating_systems_have_status_and_aliases():
    assert [known.name for known in operating_systems() if known.status == "default"] == ["ubuntu-24.04"]
    assert present(operating_system("alinux2")).status == "retired"
    assert present(operating_system("alinux2")).end_of_life == "2026-06-30"
    assert present(operating_system("ubuntu2404")).name == "ubuntu-24.04"
    assert operating_system("plan9") is None


def test_what_is_retired_ended_and_what_is_supported_lives():
    for known in operating_systems():
        year, month, *_ = known.end_of_life.split("-")
        recorded = date(*(int(part) for part in known.as_of.split("-")), 1)
        assert (date(int(year), int(month), 1) < recorded) == (known.status == "retired"), known.name


def test_no_alias_means_two_systems():
    words = [word for known in operating_systems() for word in (known.name, *known.aliases)]
    assert len(words) == len(set(words))


@pytest.mark.parametrize(
    ("os", "device"), [("ubuntu-24.04", "/dev/sda1"), ("debian-12", "/dev/xvda"), ("al2023", "/dev/xvda")]
)
def test_an_operating_system_has_its_root_device(os, device):
    assert root_device(os) == device


def test_root_devices_are_those_of_systems_that_are_known():
    assert [os.name for os in operating_systems() if root_device(os.name) == "/dev/xvda"] == [
        "debian-12", "debian-13", "al2023"
    ]  # fmt: skip
