from collections.abc import Iterator, Mapping
from typing import Any

from hpc_components.preview.images import image_storage, not_counted_builds
from hpc_components.preview.reader import PlanReader
from hpc_components.preview.resources import Resources
from hpc_components.preview.uses import ServiceUse


class ImagesPlan(PlanReader):
    def services(self, resources: Resources) -> Iterator[ServiceUse]:
        return image_storage(resources, "image.storage")

    def not_counted(self, resources: Resources) -> Iterator[str]:
        return not_counted_builds(resources)

    def answers(self) -> Mapping[str, Mapping[str, Any]]:
        """See `PlanReader`. The list of an image's versions is empty."""
        return {"gcp:compute/getImages:getImages": {"images": []}}


READER = ImagesPlan()
