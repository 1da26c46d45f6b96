"""A bundle is read as it was packed, and something else is refused."""

import pytest
from clouds.test_cluster import DESCRIPTIONS

from hpc_components.aws.spec import AwsClusterSpec
from hpc_components.images.bundle import bundle
from hpc_components.images.unpacked import FRAME, bundle_files


def test_files_of_a_bundle_are_those_that_were_packed() -> None:
    queues = [{**DESCRIPTIONS["aws"]["queues"][0], "image": "cpu"}]
    described = {**DESCRIPTIONS["aws"], "cloud": "aws", "name": "lab", "images": {"cpu": {}}, "queues": queues}
    files = bundle_files(bundle(AwsClusterSpec.model_validate(described), "cpu"))
    assert "HPC_IMAGE=cpu\n" in files["common/cluster.env"]
    assert files[FRAME].startswith("#!/bin/bash\n")
    assert files["boot/image.sh"].startswith("#")


@pytest.mark.parametrize("text", ["", "echo hi\n", "x\nexit # files follow\n!!!\n", "x\nexit # files follow\naGk=\n"])
def test_something_else_is_no_bundle(text: str) -> None:
    with pytest.raises(ValueError, match="not a bundle"):
        bundle_files(text)
