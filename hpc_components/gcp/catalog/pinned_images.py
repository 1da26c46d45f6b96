"""Images of Google Cloud that stay the same: those of the catalogue that are no family."""

from hpc_components.catalog.machine_type import Machine
from hpc_components.catalog.pinned_image import PinnedImage, day_in, newest_record
from hpc_components.gcp.catalog.images import image_of, image_reference, images, public_image
from hpc_components.gcp.catalog.lustre_clients import lustre_client


def pinned_image(os: str, machine: Machine, image: str | None, lustre: bool) -> PinnedImage | None:
    """The image of a machine, its own or the default, if it is one release of a public family.

    With Lustre, the default may be an older release, whose kernel Google has a client for.
    """
    client = lustre_client(os) if lustre else None
    found = public_image(image) if image else image_of(os, machine, client.kernel if client else None)
    id = image or (found.id if found else "")
    made = day_in((image_reference(id) or {}).get("name", ""))
    if found is None or made is None:
        return None
    return PinnedImage(
        name=id,
        made=made,
        known=newest_record(each.as_of for each in images()),
        newer=f"write a newer one under image, listed by: gcloud compute images list --project {found.project}"
        f" --filter family={found.family}",
    )
