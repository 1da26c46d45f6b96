"""What each public image contains: kernel, drivers, Lustre client, and the Slurm release of its packages."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from hpc_components.catalog.base_image import BaseImage, LustreClient
from hpc_components.catalog.clouds import catalog_of
from hpc_components.spec.slurm.packages import own_slurm


@dataclass(frozen=True, kw_only=True)
class ListedImage:
    """A public image together with the packages that its nodes can install."""

    cloud: str
    image: BaseImage
    client: LustreClient | None
    """Packages of the Lustre client for the image's operating system."""
    slurm: str | None
    """Slurm release of the operating system's packages."""

    def to_dict(self) -> dict[str, Any]:
        return {"cloud": self.cloud, **contents(self.image, self.client), "slurm": self.slurm}


def listed_images(cloud: str) -> Iterator[ListedImage]:
    catalog = catalog_of(cloud)
    for image in catalog.base_images():
        yield ListedImage(cloud=cloud, image=image, client=catalog.lustre_client(image.os), slurm=own_slurm(image.os))


def contents(image: BaseImage, client: LustreClient | None) -> dict[str, Any]:
    """Return an image's facts as JSON."""
    return {
        "image": image.id,
        "os": image.os,
        "arch": image.arch,
        "accelerator": image.accelerator,
        "models": list(image.models),
        "fabric": image.fabric,
        "kernel": image.build or image.kernel,
        "software": dict(image.software),
        "lustre_client": lustre_words(image, client),
        "pin": image.pin,
        "source": image.source,
        "as_of": image.as_of,
        "unsure": list(image.unsure),
    }


def lustre_words(image: BaseImage, client: LustreClient | None) -> str:
    """Return where an image's Lustre client comes from, or why it is missing."""
    if version := image.software.get("lustre"):
        return f"{version}, in the image"
    if client is None:
        return "none"
    doubt = "?" if {"kernel"} & {*image.unsure, *client.unsure} or "os" in client.unsure else ""
    if client.lacks(image.kernel):
        return f"none for {image.kernel}{doubt}"
    version = f"{client.version} " if client.version else ""
    if client.kernel is None or image.kernel is not None:
        return f"{version}installed at boot{doubt}"
    return f"{version}for kernels up to {client.kernel}{doubt}"
