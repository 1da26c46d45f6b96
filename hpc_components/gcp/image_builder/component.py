"""The components that make images: `ImageBuilder` for a cluster, and `BakedImage` for each recipe."""

import hashlib
import re
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
from hpc_components.gcp.identity.roles import (
    Grant,
    grant,
    make_role,
    names_that_begin_with,
    objects_that_begin_with,
)
from hpc_components.gcp.image_builder.versions import made_versions, to_keep
from hpc_components.gcp.image_builder.waiting import finished
from hpc_components.gcp.ports import ConfigStore, Identity, Network
from hpc_components.gcp.tags import Tags
from hpc_components.images.version import FOLDER, bundle_path, check_version

BAKE_SECONDS, TEST_SECONDS = 7200, 3600
"""How long the machine that makes an image may run, and the one that tests it. `pulumi up` waits as long."""

LONGEST_STEM = 50
"""Maximum length of an image's name without its version, which is 13 characters long with a hyphen."""

END_MACHINES = (
    "compute.disks.delete",
    "compute.images.delete",
    "compute.images.get",
    "compute.instances.delete",
    "compute.instances.setDiskAutoDelete",
    "compute.zoneOperations.get",
)
"""Permissions with which a machine keeps its disk for the image, deletes itself, and deletes an image that fails its
test. Source: Compute Engine API reference, IAM permissions of instances.delete, instances.setDiskAutoDelete,
disks.delete, images.delete and zoneOperations.wait."""

_GIVEN_ONCE = (
    *("bootDisk", "labels", "machineType", "metadata", "metadataStartupScript", "networkInterfaces", "scheduling"),
    *("serviceAccount", "shieldedInstanceConfig"),
)
"""Inputs of a machine. Pulumi ignores changes to them, because the machine no longer exists when it has made the
image."""


@dataclass(frozen=True, kw_only=True)
@checked_args
class ImageBuilderArgs:
    """Arguments of `ImageBuilder`."""

    project: str
    """Id of the project."""
    config: ConfigStore
    """Bucket with the bundles, below `images/`."""
    prefix: str
    """Beginning of the names of all images, and of the machines and disks that make them."""


class ImageBuilder(Component[ImageBuilderArgs]):
    """The service account of the machines that make and test a cluster's images. It reads and adds objects below
    `images/` in the config bucket, and deletes these machines, their disks, and images that fail their test.
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
        role = make_role(
            f"{name}-end-machines",
            project=args.project,
            title=f"HPC images: end machines {args.prefix}*",
            description="For machines that make images, which delete themselves",
            permissions=END_MACHINES,
            opts=child,
        )
        named = names_that_begin_with(args.prefix, "Instance", "Disk", "Image")
        grants.append(Grant(name="ends-machines", role=role, on="project", resource=args.project, condition=named))
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
    keep: int = 1
    """Number of versions to keep, this one included."""
    tags: Tags = field(default_factory=Tags)
    """Tags of the cluster, applied as labels."""

    def __post_init__(self) -> None:
        """Refuse what Google would refuse."""
        check_version("BakedImageArgs", self.recipe, self.version)
        check_image("BakedImageArgs.base", self.base)


class BakedImage(Component[BakedImageArgs]):
    """An image that a machine makes during `pulumi up`, from a base and a bundle, and the earlier versions that stay.

    The machine boots from the base, runs the bundle's `bake`, writes the result into the config bucket and deletes
    itself. If the result is good, its disk becomes the image, and a second machine boots from that, runs the bundle's
    `test` in the same way and deletes the disk. Only then does `image_id` have a value, so a build that fails leaves
    everything that uses it as it is. In the meantime, `pulumi up` asks for the machines' status every 15 seconds,
    with the provider's credentials.

    Each version is a resource with a name of its own. The newest `keep` of them stay in the program, which asks
    Google for the list, so Pulumi deletes the others at the end of the update, when nodes are launched from the new
    one. If the version exists already, as after a way back, nothing is made.

    Pulumi never deletes the machines. Google deletes one that runs for longer than its step may take.
    """

    image_id: Output[str]
    """Id of the image, `projects/<project>/global/images/<name>`."""
    version: str
    """Version of the image."""

    def _make(self, name: str, args: BakedImageArgs, opts: pulumi.ResourceOptions | None) -> None:
        summary = {"recipe": args.recipe, "version": args.version, "base": args.base, "keep": args.keep}
        self._register("hpc:gcp:BakedImage", name, summary, opts)
        self._name, self._args = name, args
        self._stem = short_name(name, longest=LONGEST_STEM)
        self._child = pulumi.ResourceOptions(parent=self)
        made = made_versions(args.project, self._stem, pulumi.InvokeOptions(parent=self))
        path = bundle_path(args.recipe, args.version)
        stored = gcp.storage.BucketObject(
            short_name(f"{name}-bundle"),
            bucket=args.config.bucket,
            name=path,
            content_type="text/plain; charset=utf-8",
            source=pulumi.StringAsset(args.bundle),
            opts=self._child,
        )
        disk = self._make_disk()
        booted = gcp.compute.InstanceBootDiskArgs(source=disk.self_link, auto_delete=True, device_name="hpc-image")
        baked = self._run(
            "bake", booted, disk.creation_timestamp, stored, BAKE_SECONDS, waits=args.version not in made
        )
        image = self._make_image(args.version, baked)
        booted = gcp.compute.InstanceBootDiskArgs(
            auto_delete=True,
            initialize_params=gcp.compute.InstanceBootDiskInitializeParamsArgs(
                image=image.id, size=args.root_gib, type=args.disk_type, labels=self._labels(name)
            ),
        )
        tested = self._run("test", booted, image.creation_timestamp, stored, TEST_SECONDS)
        for version in to_keep(made, args.version, args.keep):
            self._make_image(version)
        self.image_id = Output.all(image.id, tested).apply(lambda known: str(known[0]))
        self.version = args.version
        self.register_outputs({"imageId": self.image_id})

    def _make_disk(self) -> "gcp.compute.Disk":
        """Make the disk that becomes the image. Once that is done, the machine that tests the image deletes it."""
        args, name = self._args, f"{self._name}-{self._args.version}-disk"
        return gcp.compute.Disk(
            name,
            name=f"{self._stem}-{args.version}",
            project=args.project,
            zone=args.zone,
            image=args.base,
            size=args.root_gib,
            type=args.disk_type,
            labels=self._labels(name),
            opts=pulumi.ResourceOptions(parent=self, ignore_changes=["labels"]),
        )

    def _make_image(self, version: str, baked: Output[str] | None = None) -> "gcp.compute.Image":
        """Declare a version. Its inputs depend on nothing but the version, so one that is kept is never changed."""
        args, name = self._args, f"{self._name}-{version}"
        disk = f"projects/{args.project}/zones/{args.zone}/disks/{self._stem}-{version}"
        return gcp.compute.Image(
            name,
            name=f"{self._stem}-{version}",
            project=args.project,
            description=f"Image {args.recipe} of cluster {args.tags.cluster}, version {version}",
            source_disk=disk if baked is None else baked.apply(lambda _: disk),
            labels=self._labels(name, version),
            opts=pulumi.ResourceOptions(parent=self, ignore_changes=["sourceDisk"]),
        )

    def _run(
        self,
        step: str,
        disk: "gcp.compute.InstanceBootDiskArgs",
        made: Output[str],
        stored: pulumi.Resource,
        seconds: int,
        *,
        waits: bool = True,
    ) -> Output[str]:
        """Run a step of the bundle on a machine with this disk. Return an Output that is known when it has
        succeeded. `made` is when the disk or its image was made, so a new one has a new result."""
        args, compute, name = self._args, gcp.compute, f"{self._name}-{self._args.version}-{step}"
        path = bundle_path(args.recipe, args.version)
        stem = f"{path.removesuffix('.sh')}-{step}"
        result = made.apply(lambda when: f"{stem}-{re.sub('[^0-9A-Za-z]+', '-', str(when))}.txt")
        machine = compute.Instance(
            short_name(name),
            project=args.project,
            zone=args.zone,
            machine_type=args.machine,
            boot_disk=disk,
            network_interfaces=[compute.InstanceNetworkInterfaceArgs(subnetwork=args.network.subnets["nodes"])],
            scheduling=compute.InstanceSchedulingArgs(
                automatic_restart=False,
                instance_termination_action="DELETE",
                max_run_duration=compute.InstanceSchedulingMaxRunDurationArgs(seconds=seconds),
            ),
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
                "hpc-image": f"{self._stem}-{args.version}",
                "hpc-result": result,
                "block-project-ssh-keys": "true",
                "serial-port-enable": "false",
            },
            metadata_startup_script=packaged_text("hpc_components.gcp.image_builder", "machine.sh"),
            labels=self._labels(name),
            opts=pulumi.ResourceOptions(
                parent=self, depends_on=[stored], ignore_changes=list(_GIVEN_ONCE), retain_on_delete=True
            ),
        )
        if not waits:
            return machine.instance_id
        return finished(
            f"image {args.recipe}-{args.version}: {step}",
            machine,
            project=args.project,
            zone=args.zone,
            bucket=args.config.bucket,
            result=result,
            seconds=seconds,
            opts=pulumi.InvokeOptions(parent=self),
        )

    def _labels(self, name: str, version: str | None = None) -> dict[str, Input[str]]:
        args = self._args
        return args.tags.for_resource(name, role="image", image=args.recipe, image_version=version or args.version)
