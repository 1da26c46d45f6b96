from collections.abc import Iterator

from hpc_components.preview.reader import PlanReader
from hpc_components.preview.resources import Resources


class ImagesPlan(PlanReader):
    def not_counted(self, resources: Resources) -> Iterator[str]:
        if resources.of_type("hpc:gcp:BakedImage"):
            yield "machines that make images, and the images' storage"


READER = ImagesPlan()
