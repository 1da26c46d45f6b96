from hpc_components.catalog.machine_type import Machine
from hpc_components.catalog.pinned_image import PinnedImage, day_in, newest_record
from hpc_components.gcp.catalog.images import Image, image_of, image_reference, images, public_image
from hpc_components.gcp.lustre_client.packages import lustre_client


def base_image(os: str, machine: Machine, image: str | None, lustre: bool) -> Image | None:
    """Return the record of `image`, or of the machine's default image if it is None.

    With `lustre`, the default may be an older release whose kernel is supported by Google's Lustre client.
    """
    client = lustre_client(os) if lustre else None
    return public_image(image) if image else image_of(os, machine, client.kernel if client else None)


def pinned_image(os: str, machine: Machine, image: str | None, lustre: bool) -> PinnedImage | None:
    """Return the machine's image if it is a single release from a public image family, or None otherwise.

    `image` overrides the default image.
    """
    found = base_image(os, machine, image, lustre)
    id = image or (found.id if found else "")
    made = day_in((image_reference(id) or {}).get("name", ""))
    if found is None or made is None:
        return None
    return PinnedImage(
        name=id,
        made=made,
        known=newest_record(each.as_of for each in images()),
        newer="set image to a newer release; list the releases with: gcloud compute images list --project "
        f"{found.project} --filter family={found.family}",
    )
