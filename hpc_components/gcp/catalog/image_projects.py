"""Lists the projects that contain public images."""

from functools import cache

from hpc_components.catalog._load import records


def is_public_image(image: str) -> bool:
    """Return whether an image, given as `projects/<project>/global/images/...`, is in a project of public images."""
    return image.removeprefix("projects/").partition("/")[0] in _public_projects()


@cache
def _public_projects() -> frozenset[str]:
    return frozenset(name for record in records("image_projects", __file__) for name in record["projects"])
