"""The components that make images: `ImageBuilder` for a cluster, and `BakedImage` for each recipe."""

import hashlib
from dataclasses import dataclass, field

import pulumi
import pulumi_azure_native as azure_native
from pulumi import Input, Output

from hpc_components.azure.arguments import checked_args
from hpc_components.azure.catalog.images import image_reference
from hpc_components.azure.identity.roles import Grant, built_in_role, grant, make_role
from hpc_components.azure.image_builder.permissions import ROLES, BuilderRole
from hpc_components.azure.image_builder.script import make_script
from hpc_components.azure.image_builder.template import BUILD_MINUTES, make_template
from hpc_components.azure.images.component import ImagePlan
from hpc_components.azure.ports import ConfigStore, Group, Identity, Network
from hpc_components.azure.tags import Tags
from hpc_components.boot.packaged import packaged_text
from hpc_components.component import Component
from hpc_components.images.version import bundle_path, check_version


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
            opts=child_of(self, opts),
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
        roles = {role.name: self._make_role(name, role, args) for role in ROLES}
        reader = built_in_role("Storage Blob Data Reader")
        why = "Azure Image Builder makes the cluster's images"
        builds = [
            Grant(name="writes-images", role=roles["build"], scope=group.id, why=why),
            Grant(name="joins-network", role=roles["network"], scope=args.network.id, why=why),
            Grant(name="reads-bundles", role=reader, scope=args.config.container_id, why=why),
        ]
        why = "`pulumi up` waits for the cluster's images"
        runs = [Grant(name="runs-builds", role=roles["run"], scope=group.id, why=why)]
        return [*grant(name, self.build_identity, builds, child), *grant(name, self.run_identity, runs, child)]

    def _make_role(self, name: str, role: BuilderRole, args: ImageBuilderArgs) -> Output[str]:
        scope = args.network_group_id if role.of_network else args.group.id
        return make_role(
            f"{name}-{role.name}-role",
            title=Output.concat(f"HPC images: {role.title} in ", args.group.id),
            description=role.description,
            scope=scope,
            actions=role.actions,
            assignable=[scope],
            opts=pulumi.ResourceOptions(parent=self),
        )


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
        child = child_of(self, opts)
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


def child_of(component: pulumi.Resource, given: pulumi.ResourceOptions | None) -> pulumi.ResourceOptions:
    """Return the options of a child that is deleted along with the component's resource group."""
    return pulumi.ResourceOptions(parent=component, deleted_with=given.deleted_with if given else None)


def version_number(version: str) -> str:
    """Return a version in the form that galleries require: three numbers. Source: Azure documentation, "Store and
    share images in an Azure Compute Gallery": each is a 32-bit integer."""
    return ".".join(str(int(version[at : at + 4], 16)) for at in (0, 4, 8))
