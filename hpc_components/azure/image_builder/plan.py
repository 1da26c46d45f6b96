from collections.abc import Iterator

from hpc_components.preview.images import image_storage, not_counted_builds
from hpc_components.preview.reader import PlanReader
from hpc_components.preview.resources import Resources
from hpc_components.preview.uses import ServiceUse


class ImagesPlan(PlanReader):
    def services(self, resources: Resources) -> Iterator[ServiceUse]:
        return image_storage(resources, "snapshot.storage")

    def not_counted(self, resources: Resources) -> Iterator[str]:
        return not_counted_builds(resources)


READER = ImagesPlan()
