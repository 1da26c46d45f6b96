"""What an image that a stack makes needs: space and time."""

from dataclasses import dataclass
from functools import cache

from hpc_components.catalog._load import records


@dataclass(frozen=True, slots=True, kw_only=True)
class ImageBuild:
    """Estimates for one version of an image of any recipe."""

    gib: int
    """GiB that are stored. The rest of the disk is empty, and costs nothing."""
    least_minutes: int
    most_minutes: int
    source: str
    as_of: str
    unsure: tuple[str, ...]

    @property
    def time_words(self) -> str:
        """How long a build takes, e.g. `an estimated 15 to 60 minutes`."""
        return f"an estimated {self.least_minutes} to {self.most_minutes} minutes"


@cache
def image_build() -> ImageBuild:
    (record,) = records("image_builds")
    unsure = tuple(record.pop("unsure"))
    return ImageBuild(**record, unsure=unsure)
