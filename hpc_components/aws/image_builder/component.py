"""The components that make images: `ImageBuilder` for a cluster, and `BakedImage` for each recipe."""

import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pulumi
import pulumi_aws as aws
from pulumi import Input, Output

from hpc_components.aws.arguments import checked_args
from hpc_components.aws.components.function import make_function
from hpc_components.aws.components.node_checks import check_image, check_machine
from hpc_components.aws.identity.policies import trust_document
from hpc_components.aws.identity.roles import attach_policy, make_role
from hpc_components.aws.image_builder.document import component_document
from hpc_components.aws.image_builder.permissions import builder_statements, keeper_statements
from hpc_components.aws.ports import ConfigStore, Network
from hpc_components.aws.tags import Tags
from hpc_components.component import Component
from hpc_components.images.version import bundle_path, check_version

HANDLER = Path(__file__).with_name("handler.py")
KEEPER_SECONDS = 300
TEST_MINUTES = 60
"""Time limit of all tests of an image. Source: terraform-provider-aws, imagebuilder/image.go: at least 60."""
BUILD_TIMEOUT = "3h"
"""How long `pulumi up` waits for an image: longer than the steps of the build and the tests may take together."""

_VERSION = "1.0.0"
"""Version of Image Builder's own resources. Their names are unique, because Pulumi appends random digits."""


@dataclass(frozen=True, kw_only=True)
@checked_args
class ImageBuilderArgs:
    """Arguments of `ImageBuilder`."""

    config: ConfigStore
    """The cluster's config bucket, which has the bundles below `images/`."""
    reads: tuple[str, ...] = ()
    """What builds may read in other buckets of S3: objects (`bucket/key`) and folders (`bucket/prefix/*`)."""
    permissions_boundary: Input[str] | None = None
    """ARN of the roles' permissions boundary."""
    role_path: str = "/"
    """Path of the roles and the instance profile."""
    tags: Tags = field(default_factory=Tags)
    """The cluster's tags."""

    def __post_init__(self) -> None:
        """Refuse what names no object or folder of a bucket."""
        for index, each in enumerate(self.reads):
            if not re.fullmatch(r"[a-z0-9][a-z0-9.-]+/([^*?]+/\*|[^*?]*[^*?/]|\*)", each):
                raise ValueError(
                    f"ImageBuilderArgs.reads[{index}]: {each!r} names no object of a bucket; write bucket/key, or "
                    "bucket/prefix/* for all below a prefix"
                )


class ImageBuilder(Component[ImageBuilderArgs]):
    """What all image builds of a cluster share: the role of the machines that make images, and a function that
    removes images.

    On destroy, the function removes all images of the cluster, with their snapshots, unless a launch template still
    names them. So make every `BakedImage` depend on this component.
    """

    instance_profile: Output[str]
    """Name of the instance profile of the machines that make images."""
    function_name: Output[str]
    """Name of the function that removes images."""
    ready: Sequence[pulumi.Resource]
    """Resources on which a build depends."""

    def _make(self, name: str, args: ImageBuilderArgs, opts: pulumi.ResourceOptions | None) -> None:
        self._register("hpc:aws:ImageBuilder", name, {"cluster": args.tags.cluster}, opts)
        child = pulumi.ResourceOptions(parent=self)
        role = make_role(
            f"{name}-role",
            trust=trust_document("ec2.amazonaws.com"),
            tags=args.tags,
            permissions_boundary=args.permissions_boundary,
            role_path=args.role_path,
            opts=child,
        )
        profile = aws.iam.InstanceProfile(
            f"{name}-profile",
            role=role.name,
            path=args.role_path,
            tags=args.tags.for_resource(f"{name}-profile"),
            opts=child,
        )
        granted = attach_policy(f"{name}-role", role.name, builder_statements(args.config, args.reads), child)
        function, policy = make_function(
            f"{name}-keeper",
            description="Removes old images of a cluster",
            code=HANDLER,
            timeout_seconds=KEEPER_SECONDS,
            statements=lambda log_group: keeper_statements(args.tags.cluster, args.config, log_group),
            variables={"CLUSTER": args.tags.cluster, "CONFIG": args.config.bucket},
            permissions_boundary=args.permissions_boundary,
            role_path=args.role_path,
            tags=args.tags,
            opts=child,
        )
        on_destroy = aws.lambda_.Invocation(
            f"{name}-on-destroy",
            function_name=function.name,
            input=json.dumps({"keep": {}}),
            lifecycle_scope="CRUD",
            opts=pulumi.ResourceOptions(parent=self, depends_on=[policy]),
        )
        self.instance_profile = profile.name
        self.function_name = function.name
        self.ready = (granted, on_destroy)
        self.register_outputs({"instanceProfile": profile.name, "functionName": function.name})


@dataclass(frozen=True, kw_only=True)
@checked_args
class BakedImageArgs:
    """Arguments of `BakedImage`."""

    recipe: str
    """Name of the recipe."""
    version: str
    """Version of the image: 12 hexadecimal digits that depend on everything that goes into it."""
    bundle: str
    """The script that makes and tests the image."""
    base: str
    """Image to begin with: either `ami-...` or `resolve:ssm:<parameter path>`, which is resolved once, when the image
    is made."""
    machines: tuple[str, ...]
    """Machine types for making the image, of the base's architecture. Image Builder takes one that is available."""
    root_gib: int
    """Size of the image's disk in GiB. The root disks of nodes can't be smaller."""
    root_device: str = "/dev/sda1"
    """The base's root device name."""
    region: str
    """Region of the cluster."""
    zone: str
    """Id of the zone in which the image is made."""
    network: Network
    """Network with a private subnet in `zone`, from which the archives of packages can be reached."""
    config: ConfigStore
    """Bucket for the bundle."""
    instance_profile: Input[str]
    """Name of the instance profile of the machines that make the image; see `ImageBuilder`."""
    tags: Tags = field(default_factory=Tags)
    """The cluster's tags."""

    def __post_init__(self) -> None:
        """Refuse what EC2 or Image Builder would refuse."""
        check_version("BakedImageArgs", self.recipe, self.version)
        check_image("BakedImageArgs.base", self.base)
        for index, machine in enumerate(self.machines):
            check_machine(f"BakedImageArgs.machines[{index}]", machine)
        if not self.machines:
            raise ValueError("BakedImageArgs.machines: no machine type is specified; add at least one")
        if self.zone not in self.network.private_subnets:
            there = ", ".join(self.network.private_subnets) or "none"
            raise ValueError(
                f"BakedImageArgs.zone: the network has no private subnet in {self.zone!r}; zones with one: {there}"
            )


class BakedImage(Component[BakedImageArgs]):
    """An image that EC2 Image Builder makes during `pulumi up`, from a base and a bundle.

    Image Builder boots a machine from the base, runs the bundle's `bake` on it and makes an AMI. Then it boots a
    machine from the AMI and runs the bundle's `test`. If any of these fails, `pulumi up` fails before anything that
    uses `image_id` has changed, so nodes are still launched from the previous image. A new version is made before the
    previous one is forgotten; its AMI stays until `ImageRetention` removes it.
    """

    image_id: Output[str]
    """Id of the AMI."""
    version: str
    """Version of the image."""

    def _make(self, name: str, args: BakedImageArgs, opts: pulumi.ResourceOptions | None) -> None:
        self._register("hpc:aws:BakedImage", name, _summary(args), opts)
        self._name, self._args = name, args
        self._child = pulumi.ResourceOptions(parent=self)
        key = bundle_path(args.recipe, args.version)
        stored = aws.s3.BucketObjectv2(
            f"{name}-bundle",
            bucket=args.config.bucket,
            key=key,
            content=args.bundle,
            content_type="text/plain; charset=utf-8",
            tags=Tags(args.tags.cluster).for_resource(key),
            opts=self._child,
        )
        image = self._make_image(self._make_recipe(key), stored)
        self.image_id = image.output_resources.apply(lambda made: _ami_of(name, made))
        self.version = args.version
        self.register_outputs({"imageId": self.image_id})

    def _make_recipe(self, key: str) -> aws.imagebuilder.ImageRecipe:
        args, name = self._args, self._name
        sha256 = hashlib.sha256(args.bundle.encode()).hexdigest()
        component = aws.imagebuilder.Component(
            f"{name}-component",
            platform="Linux",
            version=_VERSION,
            data=component_document(args.config, key, sha256=sha256, version=args.version),
            tags=args.tags.for_resource(f"{name}-component"),
            opts=self._child,
        )
        ebs = aws.imagebuilder.ImageRecipeBlockDeviceMappingEbsArgs(
            volume_size=args.root_gib, volume_type="gp3", delete_on_termination="true"
        )
        return aws.imagebuilder.ImageRecipe(
            f"{name}-recipe",
            components=[aws.imagebuilder.ImageRecipeComponentArgs(component_arn=component.arn)],
            parent_image=args.base.replace("resolve:ssm:", "ssm:"),
            version=_VERSION,
            block_device_mappings=[
                aws.imagebuilder.ImageRecipeBlockDeviceMappingArgs(device_name=args.root_device, ebs=ebs)
            ],
            tags=args.tags.for_resource(f"{name}-recipe"),
            opts=self._child,
        )

    def _make_image(
        self, recipe: aws.imagebuilder.ImageRecipe, stored: aws.s3.BucketObjectv2
    ) -> aws.imagebuilder.Image:
        name = f"{self._name}-image"
        return aws.imagebuilder.Image(
            name,
            image_recipe_arn=recipe.arn,
            infrastructure_configuration_arn=self._make_infrastructure().arn,
            distribution_configuration_arn=self._make_distribution().arn,
            image_tests_configuration=aws.imagebuilder.ImageImageTestsConfigurationArgs(
                image_tests_enabled=True, timeout_minutes=TEST_MINUTES
            ),
            tags=self._args.tags.for_resource(name),
            opts=pulumi.ResourceOptions(
                parent=self,
                depends_on=[stored],
                custom_timeouts=pulumi.CustomTimeouts(create=BUILD_TIMEOUT),
            ),
        )

    def _make_infrastructure(self) -> aws.imagebuilder.InfrastructureConfiguration:
        args, name = self._args, f"{self._name}-machines"
        return aws.imagebuilder.InfrastructureConfiguration(
            name,
            instance_profile_name=args.instance_profile,
            instance_types=list(args.machines),
            subnet_id=args.network.private_subnets[args.zone],
            security_group_ids=list(args.network.security_groups.compute),
            instance_metadata_options=aws.imagebuilder.InfrastructureConfigurationInstanceMetadataOptionsArgs(
                http_tokens="required", http_put_response_hop_limit=1
            ),
            terminate_instance_on_failure=True,
            resource_tags=self._marks(name),
            tags=args.tags.for_resource(name),
            opts=self._child,
        )

    def _make_distribution(self) -> aws.imagebuilder.DistributionConfiguration:
        args, name = self._args, f"{self._name}-distribution"
        title = f"hpc-{args.tags.cluster}-{args.recipe}-{args.version}"
        ami = aws.imagebuilder.DistributionConfigurationDistributionAmiDistributionConfigurationArgs(
            # Image Builder requires the date in the name
            name=f"{title} {{{{ imagebuilder:buildDate }}}}",
            description=f"Image {args.recipe} of cluster {args.tags.cluster}, version {args.version}",
            ami_tags=self._marks(title),
        )
        return aws.imagebuilder.DistributionConfiguration(
            name,
            distributions=[
                aws.imagebuilder.DistributionConfigurationDistributionArgs(
                    region=args.region, ami_distribution_configuration=ami
                )
            ],
            tags=args.tags.for_resource(name),
            opts=self._child,
        )

    def _marks(self, name: str) -> dict[str, Input[str]]:
        """Return the tags of the build's machines and of the AMI. The cluster's extra tags are left out, because
        Image Builder's pattern for keys allows fewer characters.
        """
        args = self._args
        return Tags(args.tags.cluster).for_resource(
            name, role="image", image=args.recipe, image_version=args.version, config=args.config.bucket
        )


def _summary(args: BakedImageArgs) -> dict[str, object]:
    return {"recipe": args.recipe, "version": args.version, "base": args.base}


def _ami_of(name: str, made: Sequence[Any] | None) -> str:
    """Return the AMI's id. Raise ValueError if the build has failed, so that no AMI exists."""
    ids = [ami.image for each in made or () for ami in each.amis or ()]
    if not ids:
        raise ValueError(
            f"image {name} was not made: its build failed; Image Builder's log is in /aws/imagebuilder; to make it "
            "again, run: pulumi up --replace with the URN of its Image"
        )
    return ids[0]
