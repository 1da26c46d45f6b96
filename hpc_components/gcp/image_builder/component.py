"""The components that make images: `ImageBuilder` for a cluster, and `BakedImage` for each recipe."""

import hashlib
from dataclasses import dataclass, field

import pulumi
import pulumi_gcp as gcp
from pulumi import Input, Output

from hpc_components.boot.packaged import packaged_text
from hpc_components.component import Component
from hpc_components.gcp.arguments import checked_args
from hpc_components.gcp.catalog.accounts import account_id
from hpc_components.gcp.components.short_names import short_name
from hpc_components.gcp.fleet.machine_profile import CLOUD_PLATFORM
from hpc_components.gcp.fleet.node_checks import check_image
from hpc_components.gcp.identity.roles import Grant, grant, objects_that_begin_with
from hpc_components.gcp.image_builder.waiting import finished
from hpc_components.gcp.ports import ConfigStore, Identity, Network
from hpc_components.gcp.tags import Tags
from hpc_components.images.version import FOLDER, bundle_path, check_version

BAKE_SECONDS, TEST_SECONDS = 7200, 3600
"""How long `pulumi up` waits for the machine that makes an image, and for the one that tests it."""


@dataclass(frozen=True, kw_only=True)
@checked_args
class ImageBuilderArgs:
    """Arguments of `ImageBuilder`."""

    project: str
    """Id of the project."""
    config: ConfigStore
    """Bucket with the bundles, below `images/`."""


class ImageBuilder(Component[ImageBuilderArgs]):
    """The service account of the machines that make and test a cluster's images. It reads and adds objects below
    `images/` in the config bucket, and can do nothing else.
    """

    identity: Identity
    """The service account."""
    ready: tuple[pulumi.Resource, ...]
    """Resources on which a build depends."""

    def _make(self, name: str, args: ImageBuilderArgs, opts: pulumi.ResourceOptions | None) -> None:
        self._register("hpc:gcp:ImageBuilder", name, {}, opts)
        child = pulumi.ResourceOptions(parent=self)
        made = gcp.serviceaccount.Account(
            f"{name}-account", project=args.project, account_id=account_id(name), display_name=name, opts=child
        )
        self.identity = Identity(email=made.email)
        only = objects_that_begin_with(FOLDER)
        grants = [
            Grant(name=what, role=f"roles/storage.{role}", on="bucket", resource=args.config.bucket, condition=only)
            for what, role in (("reads-bundles", "objectViewer"), ("adds-results", "objectCreator"))
        ]
        self.ready = tuple(grant(name, self.identity, grants, child))
        self.register_outputs({"email": made.email})


@dataclass(frozen=True, kw_only=True)
@checked_args
class BakedImageArgs:
    """Arguments of `BakedImage`."""

    project: str
    """Id of the project."""
    zone: str
    """Zone in which the image is made."""
    recipe: str
    """Name of the recipe."""
    version: str
    """Version of the image: 12 hexadecimal digits that depend on everything that goes into it."""
    bundle: str
    """The script that makes and tests the image."""
    base: str
    """Image to begin with: `projects/<project>/global/images/<name>`, or `.../images/family/<name>`, which is
    resolved once, when the image is made."""
    machine: str
    """Machine type for making the image, of the base's architecture."""
    disk_type: str
    """Type of the machine's disk."""
    root_gib: int
    """Size of the image in GiB. The root disks of nodes can't be smaller."""
    network: Network
    """Network whose subnet `nodes` the machines are in, without public addresses. The archives of packages must be
    reachable from there."""
    config: ConfigStore
    """Bucket for the bundle and the results."""
    identity: Identity
    """Service account of the machines; see `ImageBuilder`."""
    tags: Tags = field(default_factory=Tags)
    """Tags of the cluster, applied as labels."""

    def __post_init__(self) -> None:
        """Refuse what Google would refuse."""
        check_version("BakedImageArgs", self.recipe, self.version)
        check_image("BakedImageArgs.base", self.base)


class BakedImage(Component[BakedImageArgs]):
    """An image that a machine makes during `pulumi up`, from a base and a bundle.

    The machine boots from the base, runs the bundle's `bake`, writes the result into the config bucket and powers
    off. If the result is good, its disk becomes the image, and a second machine boots from that and runs the bundle's
    `test` in the same way. Only then does `image_id` have a value, so a build that fails leaves everything that uses
    it as it is. In the meantime, `pulumi up` asks for the machines' status every 15 seconds, with the provider's
    credentials; previews never ask. A new version is made before the previous image is deleted.
    """

    image_id: Output[str]
    """Id of the image, `projects/<project>/global/images/<name>`."""
    version: str
    """Version of the image."""

    def _make(self, name: str, args: BakedImageArgs, opts: pulumi.ResourceOptions | None) -> None:
        summary = {"recipe": args.recipe, "version": args.version, "base": args.base}
        self._register("hpc:gcp:BakedImage", name, summary, opts)
        self._name, self._args = name, args
        self._child = pulumi.ResourceOptions(parent=self)
        path = bundle_path(args.recipe, args.version)
        stored = gcp.storage.BucketObject(
            short_name(f"{name}-bundle"),
            bucket=args.config.bucket,
            name=path,
            content_type="text/plain; charset=utf-8",
            source=pulumi.StringAsset(args.bundle),
            opts=self._child,
        )
        disk = self._make_disk(f"{name}-disk", args.base)
        baked = self._run("bake", path, disk, stored, BAKE_SECONDS)
        image = gcp.compute.Image(
            short_name(name),
            project=args.project,
            description=f"Image {args.recipe} of cluster {args.tags.cluster}, version {args.version}",
            source_disk=Output.all(disk.id, baked).apply(lambda known: str(known[0])),
            labels=self._labels(name),
            opts=self._child,
        )
        tested = self._run("test", path, self._make_disk(f"{name}-test-disk", image.id), stored, TEST_SECONDS)
        self.image_id = Output.all(image.id, tested).apply(lambda known: str(known[0]))
        self.version = args.version
        self.register_outputs({"imageId": self.image_id})

    def _make_disk(self, name: str, image: Input[str]) -> "gcp.compute.Disk":
        args = self._args
        return gcp.compute.Disk(
            short_name(name),
            project=args.project,
            zone=args.zone,
            image=image,
            # a new version begins with a new disk
            description=f"Makes image {args.recipe}, version {args.version}",
            size=args.root_gib,
            type=args.disk_type,
            labels=self._labels(name),
            opts=self._child,
        )

    def _run(
        self, step: str, path: str, disk: "gcp.compute.Disk", stored: pulumi.Resource, seconds: int
    ) -> Output[str]:
        """Run a step of the bundle on a machine with this disk. Return an Output that is known when it has
        succeeded."""
        args, compute, name = self._args, gcp.compute, short_name(f"{self._name}-{step}")
        machine = compute.Instance(
            name,
            project=args.project,
            zone=args.zone,
            machine_type=args.machine,
            boot_disk=compute.InstanceBootDiskArgs(source=disk.self_link, auto_delete=False),
            network_interfaces=[compute.InstanceNetworkInterfaceArgs(subnetwork=args.network.subnets["nodes"])],
            scheduling=compute.InstanceSchedulingArgs(automatic_restart=False),
            service_account=compute.InstanceServiceAccountArgs(email=args.identity.email, scopes=[CLOUD_PLATFORM]),
            shielded_instance_config=compute.InstanceShieldedInstanceConfigArgs(
                enable_vtpm=True, enable_integrity_monitoring=True, enable_secure_boot=False
            ),
            metadata={
                "hpc-config": args.config.bucket,
                "hpc-bundle": path,
                "hpc-sha256": hashlib.sha256(args.bundle.encode()).hexdigest(),
                "hpc-step": step,
                "hpc-version": args.version,
                "block-project-ssh-keys": "true",
                "serial-port-enable": "false",
            },
            metadata_startup_script=packaged_text("hpc_components.gcp.image_builder", "machine.sh"),
            labels=self._labels(name),
            opts=pulumi.ResourceOptions(parent=self, depends_on=[stored], replace_on_changes=["metadata"]),
        )
        return finished(
            f"image {args.recipe}-{args.version}: {step}",
            machine,
            project=args.project,
            zone=args.zone,
            bucket=args.config.bucket,
            prefix=f"{path.removesuffix('.sh')}-{step}-",
            seconds=seconds,
            opts=pulumi.InvokeOptions(parent=self),
        )

    def _labels(self, name: str) -> dict[str, Input[str]]:
        args = self._args
        return args.tags.for_resource(name, role="image", image=args.recipe, image_version=args.version)
