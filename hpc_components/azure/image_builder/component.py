"""The components that make images: `ImageBuilder` for a cluster, `BakedImage` for each recipe, and `ImageRetention`,
which removes old versions when all nodes have the new one."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field

import pulumi
import pulumi_azure_native as azure_native
from pulumi import Input, Output

from hpc_components.azure.arguments import checked_args
from hpc_components.azure.catalog.images import image_reference
from hpc_components.azure.identity.roles import Grant, built_in_role, grant, make_role
from hpc_components.azure.image_builder.permissions import BUILD_ACTIONS, NETWORK_ACTIONS, RUN_ACTIONS
from hpc_components.azure.image_builder.template import BUILD_MINUTES, make_template
from hpc_components.azure.images.component import ImagePlan
from hpc_components.azure.ports import ConfigStore, Group, Identity, Network
from hpc_components.azure.tags import Tags
from hpc_components.boot.packaged import packaged_text
from hpc_components.component import Component
from hpc_components.images.version import bundle_path, check_version

CLI_VERSION = "2.64.0"
"""Version of Azure's CLI in the containers of scripts. Source: the tags of Microsoft's container azure-cli, read
2026-11."""


@dataclass(frozen=True, kw_only=True)
@checked_args
class ImageBuilderArgs:
    """Arguments of `ImageBuilder`."""

    group: Group
    """Resource group for the gallery. It must be deleted as a whole, because a gallery can't be deleted while it has
    images; `NodeReaper` makes such a group."""
    network: Network
    """Network of the machines that make images, which are in the subnet `nodes`."""
    network_group_id: Input[str]
    """Id of the network's resource group."""
    config: ConfigStore
    """Containers with the bundles."""
    tags: Tags = field(default_factory=Tags)
    """Tags of the cluster."""


class ImageBuilder(Component[ImageBuilderArgs]):
    """What all image builds of a cluster share: the gallery, and the identities that build and run.

    The identity of builds reads the bundles, joins machines to the subnet and writes images into the gallery. The
    other one only runs builds, and deletes versions of images.
    """

    gallery_name: Output[str]
    """Name of the gallery."""
    build_identity: Identity
    """Identity of Azure Image Builder."""
    run_identity: Identity
    """Identity of the scripts that run builds and delete versions."""
    ready: tuple[pulumi.Resource, ...]
    """Resources on which a build depends."""

    def _make(self, name: str, args: ImageBuilderArgs, opts: pulumi.ResourceOptions | None) -> None:
        self._register("hpc:azure:ImageBuilder", name, {"cluster": args.tags.cluster}, opts)
        gallery = azure_native.compute.Gallery(
            f"{name}-gallery",
            # other characters are not allowed in the names of galleries
            gallery_name=f"{args.tags.cluster}_images".replace("-", "_"),
            resource_group_name=args.group.name,
            location=args.group.location,
            tags=args.tags.for_resource(f"{name}-gallery"),
            opts=_child(self, opts),
        )
        self.gallery_name = gallery.name
        self.build_identity = self._make_identity(f"{name}-build", args)
        self.run_identity = self._make_identity(f"{name}-run", args)
        self.ready = tuple(self._grant(name, args))
        self.register_outputs({"gallery": gallery.name})

    def _make_identity(self, name: str, args: ImageBuilderArgs) -> Identity:
        made = azure_native.managedidentity.UserAssignedIdentity(
            name,
            resource_group_name=args.group.name,
            location=args.group.location,
            tags=args.tags.for_resource(name),
            opts=pulumi.ResourceOptions(parent=self),
        )
        return Identity(id=made.id, client_id=made.client_id, principal_id=made.principal_id)

    def _grant(self, name: str, args: ImageBuilderArgs) -> list[pulumi.Resource]:
        child, group = pulumi.ResourceOptions(parent=self), args.group
        build = make_role(
            f"{name}-build-role",
            title=Output.concat("HPC images: make images in ", group.id),
            description="Makes the images of one cluster.",
            scope=group.id,
            actions=BUILD_ACTIONS,
            assignable=[group.id],
            opts=child,
        )
        join = make_role(
            f"{name}-network-role",
            title=Output.concat("HPC images: join the network for images in ", group.id),
            description="Puts the machines that make images into a subnet.",
            scope=args.network_group_id,
            actions=NETWORK_ACTIONS,
            assignable=[args.network_group_id],
            opts=child,
        )
        run = make_role(
            f"{name}-run-role",
            title=Output.concat("HPC images: run builds in ", group.id),
            description="Runs the builds of one cluster's images, and deletes versions.",
            scope=group.id,
            actions=RUN_ACTIONS,
            assignable=[group.id],
            opts=child,
        )
        reader = built_in_role("Storage Blob Data Reader")
        why = "Azure Image Builder makes the cluster's images"
        builds = [
            Grant(name="writes-images", role=build, scope=group.id, why=why),
            Grant(name="joins-network", role=join, scope=args.network.id, why=why),
            Grant(name="reads-bundles", role=reader, scope=args.config.container_id, why=why),
        ]
        runs = [Grant(name="runs-builds", role=run, scope=group.id, why="`pulumi up` waits for the cluster's images")]
        return [*grant(name, self.build_identity, builds, child), *grant(name, self.run_identity, runs, child)]


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
    """Image to begin with: `publisher:offer:sku:version`, or the id of an image version in a gallery."""
    base_plan: ImagePlan | None = None
    """Purchase plan of the base, if it has one."""
    machine: str
    """VM size for making the image, of the base's architecture."""
    arm: bool = False
    """Whether the base is for Arm processors."""
    root_gib: int
    """Size of the image's disk in GiB. The root disks of nodes can't be smaller."""
    group: Group
    """Resource group of the gallery."""
    gallery_name: Input[str]
    """Name of the gallery; see `ImageBuilder`."""
    network: Network
    """Network whose subnet `nodes` the machines that make the image are in. Network policies for private link
    services must be disabled in the subnet."""
    config: ConfigStore
    """Containers for the bundle."""
    config_group: Group
    """Resource group of the containers."""
    build_identity: Identity
    """Identity of Azure Image Builder; see `ImageBuilder`."""
    run_identity: Identity
    """Identity of the script that runs the build; see `ImageBuilder`."""
    tags: Tags = field(default_factory=Tags)
    """Tags of the cluster."""

    def __post_init__(self) -> None:
        """Refuse what Azure would refuse."""
        check_version("BakedImageArgs", self.recipe, self.version)
        if image_reference(self.base) is None:
            raise ValueError(
                f"BakedImageArgs.base: {self.base!r} is not a valid image; write publisher:offer:sku:version"
            )


class BakedImage(Component[BakedImageArgs]):
    """An image version that Azure Image Builder makes during `pulumi up`, from a base and a bundle.

    The template makes a machine from the base, runs the bundle's `bake` on it, boots another one from the result for
    the bundle's `test`, and puts a version into the gallery only if that succeeds. A deployment script runs the
    template and waits, because nothing else in Azure Resource Manager does. It fails if the build fails, so whatever
    uses `image_id` stays as it is. If the version exists already, as after a way back, nothing is made.
    """

    image_id: Output[str]
    """Id of the image version."""
    version: str
    """Version of the image."""

    def _make(self, name: str, args: BakedImageArgs, opts: pulumi.ResourceOptions | None) -> None:
        summary = {"recipe": args.recipe, "version": args.version, "base": args.base}
        self._register("hpc:azure:BakedImage", name, summary, opts)
        self._name, self._args = name, args
        child = _child(self, opts)
        definition = self._make_definition(child)
        number = version_number(args.version)
        version_id = Output.concat(definition.id, "/versions/", number)
        bundle = self._store_bundle(pulumi.ResourceOptions(parent=self))
        template = make_template(
            f"{name}-template",
            title=f"{args.recipe}-{args.version}",
            args=args,
            bundle_url=bundle.url,
            sha256=hashlib.sha256(args.bundle.encode()).hexdigest(),
            distribute_to=version_id,
            opts=child,
        )
        built = make_script(
            f"{name}-build",
            script=packaged_text("hpc_components.azure.image_builder", "build.sh"),
            group=args.group,
            identity=args.run_identity,
            variables={"TEMPLATE": template.id, "VERSION": version_id},
            minutes=BUILD_MINUTES + 30,
            run=args.version,
            tags=args.tags,
            opts=child,
        )
        self.image_id = Output.all(version_id, built.id).apply(lambda known: str(known[0]))
        self.version = args.version
        self.register_outputs({"imageId": self.image_id})

    def _make_definition(self, opts: pulumi.ResourceOptions) -> "azure_native.compute.GalleryImage":
        args, name, compute = self._args, f"{self._name}-definition", azure_native.compute
        plan = args.base_plan
        return compute.GalleryImage(
            name,
            gallery_image_name=args.recipe,
            gallery_name=args.gallery_name,
            resource_group_name=args.group.name,
            location=args.group.location,
            identifier=compute.GalleryImageIdentifierArgs(publisher="hpc", offer=args.tags.cluster, sku=args.recipe),
            os_type=compute.OperatingSystemTypes.LINUX,
            os_state=compute.OperatingSystemStateTypes.GENERALIZED,
            hyper_v_generation=compute.HyperVGeneration.V2,
            architecture=compute.Architecture.ARM64 if args.arm else compute.Architecture.X64,
            purchase_plan=None
            if plan is None
            else compute.ImagePurchasePlanArgs(name=plan.name, product=plan.product, publisher=plan.publisher),
            tags=args.tags.for_resource(name),
            opts=opts,
        )

    def _store_bundle(self, opts: pulumi.ResourceOptions) -> "azure_native.storage.Blob":
        args = self._args
        place = Output.from_input(args.config.address).apply(lambda text: text.split("/"))
        return azure_native.storage.Blob(
            f"{self._name}-bundle",
            account_name=place[0],
            resource_group_name=args.config_group.name,
            container_name=place[1],
            blob_name=bundle_path(args.recipe, args.version),
            type=azure_native.storage.BlobType.BLOCK,
            content_type="text/plain; charset=utf-8",
            source=pulumi.StringAsset(args.bundle),
            opts=opts,
        )


def _child(component: pulumi.Resource, given: pulumi.ResourceOptions | None) -> pulumi.ResourceOptions:
    """Return the options of a child that is deleted along with the component's resource group."""
    return pulumi.ResourceOptions(parent=component, deleted_with=given.deleted_with if given else None)


def version_number(version: str) -> str:
    """Return a version in the form that galleries require: three numbers. Source: Azure documentation, "Store and
    share images in an Azure Compute Gallery": each is a 32-bit integer."""
    return ".".join(str(int(version[at : at + 4], 16)) for at in (0, 4, 8))


def make_script(
    name: str,
    *,
    script: str,
    group: Group,
    identity: Identity,
    variables: Mapping[str, Input[str]],
    minutes: int,
    run: str,
    tags: Tags,
    opts: pulumi.ResourceOptions,
) -> "azure_native.resources.AzureCliScript":
    """Make a deployment script, which Azure runs in a container during `pulumi up`, and again when `run` changes. If
    it fails, so does the update.

    Source: Azure Resource Manager documentation, "Use deployment scripts in templates".
    """
    resources = azure_native.resources
    return resources.AzureCliScript(
        name,
        kind="AzureCLI",
        az_cli_version=CLI_VERSION,
        resource_group_name=group.name,
        location=group.location,
        identity=resources.ManagedServiceIdentityArgs(
            type=resources.ManagedServiceIdentityType.USER_ASSIGNED, user_assigned_identities=[identity.id]
        ),
        environment_variables=[
            resources.EnvironmentVariableArgs(name=key, value=value) for key, value in sorted(variables.items())
        ],
        script_content=script,
        force_update_tag=run,
        timeout=f"PT{minutes}M",
        retention_interval="PT1H",
        cleanup_preference=resources.CleanupOptions.ALWAYS,
        tags=tags.for_resource(name),
        opts=pulumi.ResourceOptions.merge(
            opts, pulumi.ResourceOptions(custom_timeouts=pulumi.CustomTimeouts(create="3h", update="3h"))
        ),
    )


@dataclass(frozen=True, kw_only=True)
@checked_args
class ImageRetentionArgs:
    """Arguments of `ImageRetention`."""

    group: Group
    """Resource group of the gallery."""
    gallery_name: Input[str]
    """Name of the gallery; see `ImageBuilder`."""
    run_identity: Identity
    """Identity that deletes versions; see `ImageBuilder`."""
    keep: Mapping[str, int]
    """Maps each recipe to the number of versions to keep."""
    versions: Mapping[str, str]
    """Maps each recipe whose image is made to the version in use, which is kept in any case."""
    pinned: tuple[str, ...] = ()
    """Ids of image versions that are kept in any case."""
    tags: Tags = field(default_factory=Tags)
    """Tags of the cluster."""


class ImageRetention(Component[ImageRetentionArgs]):
    """Removes versions of images that are no longer kept, each time that a version or a number changes.

    Make it depend on everything that launches nodes, so that old versions are removed only when nodes are launched
    from new ones.
    """

    def _make(self, name: str, args: ImageRetentionArgs, opts: pulumi.ResourceOptions | None) -> None:
        self._register("hpc:azure:ImageRetention", name, {"keep": dict(args.keep)}, opts)
        in_use = {recipe: version_number(version) for recipe, version in args.versions.items()}
        lines = "".join(f"{recipe} {number} {in_use.get(recipe, '-')}\n" for recipe, number in args.keep.items())
        pinned = "\n".join(args.pinned) or "-"
        make_script(
            f"{name}-on-change",
            script=packaged_text("hpc_components.azure.image_builder", "retain.sh"),
            group=args.group,
            identity=args.run_identity,
            variables={"GROUP": args.group.name, "GALLERY": args.gallery_name, "KEEP": lines, "PINNED": pinned},
            minutes=60,
            run=hashlib.sha256(f"{lines}\n{pinned}".encode()).hexdigest()[:12],
            tags=args.tags,
            opts=_child(self, opts),
        )
        self.register_outputs({})
