"""Which images are refused for a machine, and with which remedy."""

from typing import Any

import pytest
from catalog.present import held, present

from hpc_components.azure.catalog.images import public_image
from hpc_components.azure.images.offer import ImageOrder, NamedPlan, PurchasePlan, refusals
from hpc_components.catalog.level import Level

PLAIN = "Canonical:ubuntu-24_04-lts:server:24.04.202607140"
ARM = "Canonical:ubuntu-24_04-lts:server-arm64:24.04.202607140"
GENERATION_1 = "Canonical:ubuntu-24_04-lts:server-gen1:24.04.202607140"
HPC = "microsoft-dsvm:ubuntu-hpc:2404:24.04.2026072901"
CIS = "center-for-internet-security-inc:cis-ubuntu:cis-l1:1.0.1"
ALMALINUX = "almalinux:almalinux-hpc:8_10-hpc-gen2:latest"
ALMALINUX_9 = "almalinux:almalinux-hpc:9-hpc-gen2:latest"
HB, ND = "Standard_HB176rs_v4", "Standard_ND96isr_H100_v5"


def refused(machine: str = "Standard_D16s_v5", os: str = "ubuntu-24.04", **order: Any) -> list[tuple[str, str, Any]]:
    """Return id, field and remedy of each refusal."""
    found = refusals(ImageOrder(machine=held("azure", machine), os=os, **order))
    return [(each.limit.id, each.field, dict(each.changes)) for each in found]


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        ({"image": PLAIN}, []),
        ({"image": HPC, "machine": HB, "fabric": True}, []),
        ({}, []),
        ({"image": ARM}, [("HPC-OSI-011", "image", {"image": None})]),
        ({"image": PLAIN, "os": "ubuntu-22.04"}, [("HPC-OSI-011", "image", {"image": None})]),
        (
            {"image": ALMALINUX, "plan": NamedPlan(name="8_10-hpc-gen2")},
            [("HPC-OSI-011", "image", {"image": None, "plan": None})],
        ),
        ({"os": "almalinux-9"}, []),
        ({"os": "almalinux-9", "machine": HB, "fabric": True}, []),
        ({"os": "almalinux-9", "machine": ND}, []),
        ({"os": "almalinux-9", "image": ALMALINUX_9, "plan": NamedPlan(name="9-hpc-gen2")}, []),
        (
            {"os": "almalinux-9", "image": ALMALINUX_9},
            [
                (
                    "HPC-OSI-010",
                    "image",
                    {"plan": PurchasePlan(publisher="almalinux", product="almalinux-hpc", name="9-hpc-gen2")},
                )
            ],
        ),
        (
            {"os": "rocky-9", "image": ALMALINUX_9, "plan": NamedPlan(name="9-hpc-gen2")},
            [("HPC-OSI-011", "image", {"image": None, "plan": None})],
        ),
        ({"image": PLAIN, "machine": HB, "fabric": True}, [("HPC-OSI-012", "image", {"image": HPC})]),
        ({"machine": HB, "os": "debian-13", "fabric": True}, [("HPC-OSI-012", "image", {"fabric": False})]),
        ({"image": PLAIN, "machine": ND}, [("HPC-OSI-012", "image", {"image": HPC})]),
        ({"image": GENERATION_1, "machine": HB}, [("HPC-OSI-013", "image", {"image": HPC})]),
        (
            {"image": CIS},
            [
                (
                    "HPC-OSI-010",
                    "image",
                    {
                        "plan": PurchasePlan(
                            publisher="center-for-internet-security-inc", product="cis-ubuntu", name="cis-l1"
                        )
                    },
                )
            ],
        ),
        ({"plan": NamedPlan(name="server")}, [("HPC-OSI-022", "plan", {"plan": None})]),
        ({"image": PLAIN, "plan": NamedPlan(name="server")}, [("HPC-OSI-022", "plan", {"plan": None})]),
    ],
)
def test_image_that_nodes_cannot_use_is_refused(order: dict[str, Any], expected: list[Any]) -> None:
    assert refused(**order) == expected


def test_image_whose_gpus_are_unsure_is_a_warning() -> None:
    machine = held("azure", "Standard_ND40rs_v2")
    found = [each for each in refusals(ImageOrder(image=HPC, machine=machine)) if each.limit.id == "HPC-OSI-012"]
    unsure = "models" in present(public_image(HPC)).unsure
    assert [each.level for each in found] == [Level.WARNING if unsure else Level.ERROR]


def test_other_system_is_accepted_where_none_is_asked_for() -> None:
    plan = NamedPlan(publisher="almalinux", product="almalinux-hpc", name="8_10-hpc-gen2")
    assert list(refusals(ImageOrder(image=ALMALINUX, plan=plan))) == []
