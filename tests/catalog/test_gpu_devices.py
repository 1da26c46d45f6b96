import pytest

from hpc_components.catalog import all_machines, gpu_devices

from .present import present


@pytest.mark.parametrize(
    ("manufacturer", "count", "files", "pattern"),
    [
        ("NVIDIA", 1, ["/dev/nvidia0"], "/dev/nvidia0"),
        ("NVIDIA", 8, [f"/dev/nvidia{number}" for number in range(8)], "/dev/nvidia[0-7]"),
        ("AMD", 2, ["/dev/dri/renderD128", "/dev/dri/renderD129"], "/dev/dri/renderD[128-129]"),
    ],
)
def test_a_manufacturer_has_its_device_files(manufacturer, count, files, pattern):
    devices = present(gpu_devices(manufacturer))
    assert [*devices.files(count)] == files
    assert devices.pattern(count) == pattern


def test_what_no_driver_shows_as_a_gpu_is_none():
    makers = {machine.accelerator.manufacturer for machine in all_machines() if machine.accelerator}
    assert {maker for maker in makers if gpu_devices(maker) is None} == {"AWS"}
