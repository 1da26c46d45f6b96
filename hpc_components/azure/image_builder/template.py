from typing import TYPE_CHECKING

import pulumi
import pulumi_azure_native as azure_native
from pulumi import Input

from hpc_components.azure.catalog.images import image_reference
from hpc_components.azure.images.component import ImagePlan

if TYPE_CHECKING:
    from pulumi_azure_native.virtualmachineimages import ImageTemplatePlatformImageSourceArgs as _PlatformImage
    from pulumi_azure_native.virtualmachineimages import ImageTemplateSharedImageVersionSourceArgs as _GalleryImage

    from hpc_components.azure.image_builder.component import BakedImageArgs

BUILD_MINUTES = 120
"""Time limit of a build with its tests. Image Builder's default is four hours."""

_BUNDLE = "/tmp/hpc-image.sh"


def make_template(
    name: str,
    *,
    title: str,
    args: "BakedImageArgs",
    bundle_url: Input[str],
    sha256: str,
    distribute_to: Input[str],
    opts: pulumi.ResourceOptions,
) -> "azure_native.virtualmachineimages.VirtualMachineImageTemplate":
    """Make an image template. Azure can't change a template in place, so each version has its own.

    The staging resource group is left to the service: a build hangs if the group exists (MicrosoftDocs/azure-docs
    issue 103161). The service's deprovisioning removes the image user's keys. Source: Azure documentation, "Create an
    Azure Image Builder Bicep file or ARM JSON template".
    """
    images = azure_native.virtualmachineimages
    ours = [args.build_identity.id]
    fetch = images.ImageTemplateFileCustomizerArgs(
        type="File", name="fetch", source_uri=bundle_url, destination=_BUNDLE, sha256_checksum=sha256
    )
    run = f"sudo HPC_IMAGE_VERSION={args.version} bash {_BUNDLE}"
    # the machine that boots from the image fetches the bundle again, because the image does not contain it
    test = images.ImageTemplateFileValidatorArgs(
        type="File", name="fetch", source_uri=bundle_url, destination=_BUNDLE, sha256_checksum=sha256
    )
    return images.VirtualMachineImageTemplate(
        name,
        image_template_name=title,
        resource_group_name=args.group.name,
        location=args.group.location,
        identity=images.ImageTemplateIdentityArgs(
            type=images.ResourceIdentityType.USER_ASSIGNED, user_assigned_identities=ours
        ),
        build_timeout_in_minutes=BUILD_MINUTES,
        source=_source(args.base, args.base_plan),
        customize=[
            fetch,
            images.ImageTemplateShellCustomizerArgs(
                type="Shell", name="bake", inline=[f"{run} bake", f"sudo rm -f {_BUNDLE}"]
            ),
        ],
        validate=images.ImageTemplatePropertiesValidateArgs(
            continue_distribute_on_failure=False,
            source_validation_only=False,
            in_vm_validations=[
                test,
                images.ImageTemplateShellValidatorArgs(type="Shell", name="test", inline=[f"{run} test"]),
            ],
        ),
        distribute=[
            images.ImageTemplateSharedImageDistributorArgs(
                type="SharedImage",
                run_output_name=title,
                gallery_image_id=distribute_to,
                target_regions=[images.TargetRegionArgs(name=args.group.location, replica_count=1)],
                artifact_tags=args.tags.for_resource(title, image=args.recipe, image_version=args.version),
            )
        ],
        vm_profile=images.ImageTemplateVmProfileArgs(
            vm_size=args.machine,
            os_disk_size_gb=args.root_gib,
            vnet_config=images.VirtualNetworkConfigArgs(subnet_id=args.network.subnets["nodes"]),
        ),
        tags=args.tags.for_resource(name),
        opts=opts,
    )


def _source(base: str, plan: ImagePlan | None) -> "_PlatformImage | _GalleryImage":
    images = azure_native.virtualmachineimages
    reference = image_reference(base)
    assert reference is not None, "the arguments were checked"
    if "id" in reference:
        return images.ImageTemplateSharedImageVersionSourceArgs(
            type="SharedImageVersion", image_version_id=reference["id"]
        )
    info = (
        None
        if plan is None
        else images.PlatformImagePurchasePlanArgs(
            plan_name=plan.name, plan_product=plan.product, plan_publisher=plan.publisher
        )
    )
    return images.ImageTemplatePlatformImageSourceArgs(type="PlatformImage", plan_info=info, **reference)
