"""How old the images of each cloud are, as far as their names tell."""

from datetime import date

import pytest

from hpc_components.catalog import machine
from hpc_components.catalog.clouds import catalog_of
from hpc_components.catalog.pinned_image import PinnedImage, day_in, newest_record


def pinned(cloud: str, name: str, image: str | None = None, *, lustre: bool = False) -> PinnedImage | None:
    facts = machine(cloud, name)
    assert facts
    return catalog_of(cloud).pinned_image("ubuntu-24.04", facts, image, lustre)


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("ubuntu-2404-noble-amd64-v20250115", date(2025, 1, 15)),
        ("24.04.202607140", date(2026, 7, 14)),
        ("0.20260914.2601", date(2026, 9, 14)),
        ("24.04.2026072901", date(2026, 7, 29)),
        ("v20251399-20250131", date(2025, 1, 31)),
        ("latest", None),
        ("ubuntu-2404-lts-amd64", None),
    ],
)
def test_day_in_a_name(text: str, day: date | None) -> None:
    assert day_in(text) == day


def test_a_month_counts_as_its_first_day() -> None:
    assert newest_record(["2026-07-14", "2026-11", "2026-10-31"]) == date(2026, 11, 1)


@pytest.mark.parametrize(
    ("cloud", "name", "image", "lustre", "made"),
    [
        ("aws", "c6i.xlarge", None, False, date(2026, 7, 14)),
        ("azure", "Standard_D4s_v5", None, False, date(2026, 7, 14)),
        ("azure", "Standard_D4s_v5", "acme:server:one:1.20240229.3", False, date(2024, 2, 29)),
        ("gcp", "n2-standard-4", None, True, date(2025, 1, 15)),
        (
            "gcp",
            "n2-standard-4",
            "projects/ubuntu-os-cloud/global/images/ubuntu-2404-noble-amd64-v20260710",
            False,
            date(2026, 7, 10),
        ),
    ],
)
def test_a_pinned_image_tells_its_day(cloud: str, name: str, image: str | None, lustre: bool, made: date) -> None:
    found = pinned(cloud, name, image, lustre=lustre)
    assert found
    assert found.made == made
    assert found.newer.format(region="here")


@pytest.mark.parametrize(
    ("cloud", "name", "image"),
    [
        ("aws", "c6i.xlarge", "ami-0123456789abcdef0"),
        ("aws", "p5.48xlarge", None),  # the newest of its day
        ("azure", "Standard_D4s_v5", "Canonical:ubuntu-24_04-lts:server:latest"),
        ("gcp", "n2-standard-4", None),  # a family
        ("gcp", "n2-standard-4", "projects/mine/global/images/cfd-v20200101"),  # nothing is known of it
    ],
)
def test_an_image_without_a_date_has_no_day(cloud: str, name: str, image: str | None) -> None:
    assert pinned(cloud, name, image) is None


@pytest.mark.parametrize("cloud", ["aws", "azure", "gcp"])
def test_age_does_not_depend_on_today(cloud: str) -> None:
    name, lustre = {"aws": "c6i.xlarge", "azure": "Standard_D4s_v5", "gcp": "n2-standard-4"}[cloud], cloud == "gcp"
    found = pinned(cloud, name, lustre=lustre)
    assert found
    assert 0 < found.age_days == (found.known - found.made).days
