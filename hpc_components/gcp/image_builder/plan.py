from collections.abc import Iterator, Mapping
from typing import Any

from hpc_components.preview.reader import PlanReader
from hpc_components.preview.resources import Resources


class ImagesPlan(PlanReader):
    def not_counted(self, resources: Resources) -> Iterator[str]:
        if resources.of_type("hpc:gcp:BakedImage"):
            yield "machines that make images, and the images' storage"

    def answers(self) -> Mapping[str, Mapping[str, Any]]:
        """See `PlanReader`. The list of an image's versions is empty."""
        return {"gcp:compute/getImages:getImages": {"images": []}}


READER = ImagesPlan()
