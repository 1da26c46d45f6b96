from collections.abc import Iterator

from hpc_components.preview.reader import PlanReader
from hpc_components.preview.resources import Resources


class ImagesPlan(PlanReader):
    def not_counted(self, resources: Resources) -> Iterator[str]:
        if resources.of_type("aws:imagebuilder/image:Image"):
            yield "machines that make images, and the images' snapshots"


READER = ImagesPlan()
