"""The step that tells chrony of the cloud's time source."""

from collections.abc import Callable

import pytest

from .sandbox import Sandbox

Make = Callable[..., Sandbox]


@pytest.mark.parametrize(
    ("source", "known", "file"),
    [
        ("server 10.0.0.1 prefer iburst", "# server 10.0.0.1\n", "sources.d/hpc.sources"),
        ("server 10.0.0.1 prefer iburst", "pool example.org\nserver 10.0.0.1 iburst\n", None),
        ("refclock PHC /dev/ptp_cloud poll 3", "refclock PHC /dev/ptp0\n", "conf.d/hpc.conf"),
        ("refclock PHC /dev/ptp_cloud poll 3", "refclock PHC /dev/ptp_cloud\n", None),
    ],
)
def test_the_clock_goes_by_the_cloud_s_time(sandbox: Make, source: str, known: str, file: str | None) -> None:
    """An image may know it already; in sources.d chrony reads no reference clocks."""
    verbs = sandbox("head").config["common/cloud.sh"] + f"time_source() {{ echo {source}; }}\n"
    box = sandbox("head", **{"common/cloud.sh": verbs})
    box.write("etc/chrony/conf.d/image.conf", known)
    for _ in range(2):
        box.step("common/system.sh", "clock")
        written = {str(path.relative_to(box.root / "etc/chrony")) for path in box.root.glob("etc/chrony/*/hpc.*")}
        assert written == ({file} if file else set())
    assert file is None or box.read(f"etc/chrony/{file}") == f"{source}\n"
    assert box.read("running") == "chrony\n"
