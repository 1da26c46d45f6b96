from hpc_components.azure.catalog.images import image_of, image_reference, images
from hpc_components.catalog.machine_type import Machine
from hpc_components.catalog.pinned_image import PinnedImage, day_in, newest_record


def pinned_image(os: str, machine: Machine, image: str | None, lustre: bool) -> PinnedImage | None:
    """Return `image`, or the machine's default image, with the date from its version.

    Return None if the version contains no date.
    """
    default = image_of(os, machine) if image is None else None
    urn = image or (default.id if default else "")
    named = image_reference(urn) or {}
    made = day_in(named.get("version", ""))
    if made is None:
        return None
    return PinnedImage(
        name=urn,
        made=made,
        known=newest_record(each.as_of for each in images()),
        newer="set image to a newer version; to list the versions, run `az vm image list --all --location "
        f"{{region}} --publisher {named['publisher']} --offer {named['offer']} --sku {named['sku']}`",
    )
