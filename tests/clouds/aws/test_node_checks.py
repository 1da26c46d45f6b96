import pytest

from clouds.aws.sample import TAGS
from hpc_components.aws import Tags
from hpc_components.aws.components.node_checks import (
    MAX_USER_DATA,
    check_image,
    check_machine,
    check_tags,
    check_user_data,
)


def test_what_is_right_passes() -> None:
    check_machine("a.machine", "c6i.xlarge")
    check_image("a.image", "ami-0123456789abcdef0")
    check_image("a.image", "resolve:ssm:/aws/service/canonical/ubuntu/server/24.04/stable/20260101/amd64:3")
    check_user_data("a.user_data", "x" * MAX_USER_DATA)
    check_tags("a.tags", TAGS)


def test_a_misspelt_machine_is_refused_with_a_proposal() -> None:
    with pytest.raises(
        ValueError, match=r"^a\.machine: 'c6i\.xlrage' is not an EC2 machine type; did you mean .*c6i\.xlarge"
    ):
        check_machine("a.machine", "c6i.xlrage")


@pytest.mark.parametrize("image", ["", "ubuntu", "ami-xyz", "resolve:ssm:", "ssm:/a", "ami-0123456789abcdef0 "])
def test_a_wrong_image_id_is_refused(image: str) -> None:
    with pytest.raises(ValueError, match=r"^a\.image: .* is not an image id or parameter; use ami-"):
        check_image("a.image", image)


def test_user_data_is_counted_in_bytes() -> None:
    with pytest.raises(ValueError, match=r"^a\.user_data: user data has 16386 bytes"):
        check_user_data("a.user_data", "é" * (MAX_USER_DATA // 2 + 1))


@pytest.mark.parametrize("key", ["cost center", "team/hpc", "größe", "_index", ""])
def test_a_tag_that_metadata_cannot_hold_is_refused(key: str) -> None:
    with pytest.raises(
        ValueError,
        match=rf"^a\.tags\.extra: tag key '{key}' is not allowed on load balancers or in instance metadata",
    ):
        check_tags("a.tags", Tags("cfd", {key: "x"}))
