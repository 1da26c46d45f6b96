from functools import cache

from hpc_components.catalog._load import records


def is_public_image(image: str) -> bool:
    """Return whether an image is in a project of public images. `image` has the form
    `projects/<project>/global/images/...`.
    """
    return image.removeprefix("projects/").partition("/")[0] in _public_projects()


@cache
def _public_projects() -> frozenset[str]:
    return frozenset(name for record in records("image_projects", __file__) for name in record["projects"])
