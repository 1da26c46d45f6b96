"""Images that EC2 Image Builder makes: what it is told, who uses the result, and what a failed build leaves."""

import hashlib
import json
from typing import Any

import pulumi
import pytest
from iam_lint import policy_findings

from clouds.aws.sample import CONFIG, NETWORK, TAGS
from clouds.test_cluster import DESCRIPTIONS
from hpc_components.aws import Cluster
from hpc_components.aws.image_builder.component import (
    BakedImage,
    BakedImageArgs,
    ImageBuilder,
    ImageBuilderArgs,
    _ami_of,
)
from hpc_components.images.version import image_version
from hpc_components.preview.record import Recording, record

BUNDLE = "#!/bin/bash\nexit 0\n"
ARGS: dict[str, Any] = {
    "recipe": "cpu", "version": "0123456789ab", "bundle": BUNDLE, "base": "ami-0123456789abcdef0",
    "machines": ("c7i.2xlarge",), "root_gib": 64, "region": "us-east-2", "zone": "use2-az2",
    "network": NETWORK, "config": CONFIG, "instance_profile": "cfd-images", "tags": TAGS,
}  # fmt: skip


def recorded(preview: bool = False, **args: Any) -> Recording:
    def program() -> None:
        pulumi.export("image", BakedImage("cfd-image-cpu", BakedImageArgs(**{**ARGS, **args})).image_id)

    return record(program, preview=preview)


def recorded_cluster(*, preview: bool = False, **changes: Any) -> Recording:
    described = DESCRIPTIONS["aws"]
    queues = [{**described["queues"][0], "image": "cpu"}]
    return record(
        lambda: Cluster("cfd", {**described, "images": {"cpu": {}}, "queues": queues, **changes}), preview=preview
    )


def phases(recording: Recording) -> dict[str, Any]:
    document = json.loads(recording.one("aws:imagebuilder/component:Component").inputs["data"])
    return {phase["name"]: phase["steps"] for phase in document["phases"]}


def test_both_phases_fetch_the_stored_bundle_and_check_it():
    recording = recorded()
    stored = recording.one("BucketObjectv2").inputs
    assert (stored["key"], stored["content"]) == ("images/cpu-0123456789ab.sh", BUNDLE)
    for name, step in (("build", "bake"), ("test", "test")):
        fetch, run = phases(recording)[name]
        assert fetch["inputs"][0]["source"] == "s3://cfd-config/images/cpu-0123456789ab.sh"
        (command,) = run["inputs"]["commands"]
        assert hashlib.sha256(BUNDLE.encode()).hexdigest() in command
        assert command.endswith(f"bash {fetch['inputs'][0]['destination']} {step}")


def test_document_is_within_the_size_that_image_builder_takes_inline():
    data = recorded().one("aws:imagebuilder/component:Component").inputs["data"]
    assert len(data) < 16000  # Image Builder API reference, InlineComponentData


def test_public_base_is_resolved_by_image_builder_when_the_image_is_made():
    path = "/aws/service/canonical/ubuntu/server/24.04/stable/20260714/amd64/hvm/ebs-gp3/ami-id"
    assert recorded(base=f"resolve:ssm:{path}").one("ImageRecipe").inputs["parentImage"] == f"ssm:{path}"
    assert recorded().one("ImageRecipe").inputs["parentImage"] == "ami-0123456789abcdef0"


def test_image_is_tested_and_its_machines_end_even_if_it_fails():
    recording = recorded()
    assert (
        recording.one("aws:imagebuilder/image:Image").inputs["imageTestsConfiguration"]["imageTestsEnabled"] is True
    )
    machines = recording.one("InfrastructureConfiguration").inputs
    assert machines["terminateInstanceOnFailure"] is True
    assert machines["instanceMetadataOptions"]["httpTokens"] == "required"
    assert machines["resourceTags"]["hpc:role"] == "image"  # neither the daemon nor the reaper takes it for a node


def test_ami_has_the_tags_by_which_it_is_found():
    (distribution,) = recorded().one("DistributionConfiguration").inputs["distributions"]
    ami = distribution["amiDistributionConfiguration"]
    assert "imagebuilder:buildDate" in ami["name"]
    assert {key: ami["amiTags"][key] for key in ("ClusterName", "hpc:image", "hpc:image-version", "hpc:config")} == {
        "ClusterName": "cfd", "hpc:image": "cpu", "hpc:image-version": "0123456789ab", "hpc:config": "cfd-config",
    }  # fmt: skip


def test_image_without_an_ami_is_refused():
    with pytest.raises(ValueError, match="its build failed"):
        _ami_of("cfd-image-cpu", [])


@pytest.mark.parametrize(
    ("args", "reason"),
    [
        ({"version": "1"}, "12 hexadecimal digits"),
        ({"recipe": "CPU"}, "lower-case"),
        ({"zone": "use2-az3"}, "no private subnet"),
        ({"machines": ()}, "add at least one"),
        ({"base": "ubuntu"}, "not an image id"),
    ],
)
def test_wrong_arguments_are_refused(args: dict[str, Any], reason: str):
    with pytest.raises(ValueError, match=reason):
        BakedImageArgs(**{**ARGS, **args})


def test_permissions_are_well_formed():
    recording = record(lambda: ImageBuilder("cfd-images", ImageBuilderArgs(config=CONFIG, tags=TAGS)), preview=False)
    for policy in recording.all("RolePolicy"):
        assert policy_findings(policy.inputs["policy"]) == []


def test_queue_is_launched_from_the_image_and_other_nodes_are_not():
    recording = recorded_cluster()
    image = recording.one("aws:imagebuilder/image:Image")
    template = recording.one("LaunchTemplate", "cfd-mpi-c7i.large-use2-az2")
    assert template.property_dependencies["imageId"] == (image.urn,)
    assert recording.one("LaunchTemplate", "cfd-head-template").inputs["imageId"].startswith("resolve:ssm:")


def test_old_versions_are_removed_only_after_the_templates_have_changed():
    recording = recorded_cluster()
    removal = recording.one("hpc:aws:ImageRetention")
    assert recording.one("LaunchTemplate", "cfd-mpi-c7i.large-use2-az2").urn in removal.depends_on


def test_on_destroy_images_are_removed_after_everything_that_uses_them():
    recording = recorded_cluster()
    image, last = recording.one("hpc:aws:BakedImage"), recording.one("Invocation", "cfd-images-on-destroy")
    assert last.urn in image.depends_on


def test_same_graph_is_planned_and_made():
    planned, made = (recorded_cluster(preview=preview) for preview in (True, False))
    assert [each.urn for each in planned.resources] == [each.urn for each in made.resources]


def test_cluster_without_recipes_has_nothing_to_make_images():
    described = DESCRIPTIONS["aws"]
    recording = record(lambda: Cluster("cfd", described))
    assert not [each for each in recording.resources if "image" in each.type.lower()]


def test_version_depends_on_everything_that_goes_in():
    versions = {
        image_version("a", "ami-1", {"root_gib": 64}),
        image_version("b", "ami-1", {"root_gib": 64}),
        image_version("a", "ami-2", {"root_gib": 64}),
        image_version("a", "ami-1", {"root_gib": 65}),
    }
    assert len(versions) == 4
    assert image_version("a", "ami-1", {"x": 1, "y": 2}) == image_version("a", "ami-1", {"y": 2, "x": 1})


def reads(**changes: Any) -> list[dict[str, Any]]:
    """What the policy of machines that make images says of packages, as (action, resource, condition)."""
    (policy,) = (one for one in recorded_cluster(**changes).all("RolePolicy") if one.name == "cfd-images-role-policy")
    found = [one for one in json.loads(policy.inputs["policy"])["Statement"] if "Packages" in one["Sid"]]
    assert not found or not policy_findings({"Version": "2012-10-17", "Statement": found})
    return found


def test_builds_read_their_packages_and_scripts_and_nothing_else_in_the_bucket():
    assert not reads()
    slurm = {"version": "24.11", "package_source": "s3://site/slurm/24.11/"}
    scripts = {"agent": {"at": "image", "address": "s3://site/agent.sh", "sha256": "0" * 64}}
    read, seen = reads(slurm=slurm, scripts=scripts)
    assert read["Action"] == ["s3:GetObject"]
    assert read["Resource"] == ["arn:aws:s3:::site/slurm/24.11/*", "arn:aws:s3:::site/agent.sh"]
    assert (seen["Action"], seen["Resource"]) == (["s3:ListBucket"], ["arn:aws:s3:::site"])
    assert seen["Condition"] == {"StringEquals": {"s3:prefix": "slurm/24.11/"}}


def test_packages_of_a_web_server_need_no_permission():
    assert not reads(slurm={"version": "24.11", "package_source": "https://packages.example.org/slurm"})


@pytest.mark.parametrize("given", ["s3://site/agent.sh", "site", "site/", "site/a*", "Site/agent.sh"])
def test_reads_name_objects_and_folders_of_buckets(given: str):
    with pytest.raises(ValueError, match="bucket/key"):
        ImageBuilderArgs(config=CONFIG, tags=TAGS, reads=("site/slurm/*", given))
