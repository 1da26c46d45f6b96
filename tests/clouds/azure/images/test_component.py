"""Images of nodes as arguments."""

import re
from dataclasses import make_dataclass

import pytest

from clouds.azure.sample import SUBSCRIPTION
from hpc_components.azure.images.component import ImagePlan, check_image, image_args

GALLERY = f"{SUBSCRIPTION}/resourceGroups/i/providers/Microsoft.Compute/galleries/g/images/node/versions/1.0.0"
UBUNTU = "Canonical:ubuntu-24_04-lts:server:latest"
ALMALINUX = "almalinux:almalinux-hpc:8_10-hpc-gen2:latest"
PLAN = ImagePlan(publisher="almalinux", product="almalinux-hpc", name="8_10-hpc-gen2")
NodeArgs = make_dataclass("NodeArgs", ["image", "image_plan"])


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        (
            "microsoft-dsvm:ubuntu-hpc:2404:24.04.2026072901",
            {"publisher": "microsoft-dsvm", "offer": "ubuntu-hpc", "sku": "2404", "version": "24.04.2026072901"},
        ),
        (
            "/subscriptions/11111111-2222-3333-4444-555555555555/resourceGroups/i/providers/Microsoft.Compute"
            "/galleries/g/images/node/versions/1.0.0",
            {"publisher": None, "version": None},
        ),
    ],
)
def test_an_image_by_name_or_by_id(text, fields):
    made = image_args(text)
    assert {name: getattr(made, name) for name in fields} == fields
    assert made.id == (text if text.startswith("/") else None)


def test_a_wrong_image_name_is_refused():
    with pytest.raises(ValueError, match="'ubuntu' is not a valid image"):
        image_args("ubuntu")


@pytest.mark.parametrize(("image", "plan"), [(UBUNTU, None), (GALLERY, None), (GALLERY, PLAN), (ALMALINUX, PLAN)])
def test_image_with_its_plan_is_accepted(image, plan):
    check_image(NodeArgs(image=image, image_plan=plan))


@pytest.mark.parametrize(
    ("image", "plan", "message"),
    [
        (
            "ami-0123456789abcdef0",
            None,
            r"NodeArgs.image: 'ami-0123456789abcdef0' is not a valid image; write publisher:offer:sku:version",
        ),
        (
            UBUNTU,
            PLAN,
            f"NodeArgs.image_plan: {UBUNTU} is sold without a purchase plan, so "
            "Azure refuses machines that specify one; leave it out",
        ),
        (
            ALMALINUX,
            None,
            f"NodeArgs.image = '{ALMALINUX}': Azure refuses to create machines from {ALMALINUX} without its"
            " purchase plan; use image_plan=ImagePlan(publisher='almalinux', product='almalinux-hpc',"
            " name='8_10-hpc-gen2'); accept the plan's terms once: az vm image terms accept --publisher almalinux",
        ),
    ],
)
def test_image_without_its_plan_is_refused(image, plan, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        check_image(NodeArgs(image=image, image_plan=plan))
