from collections.abc import Iterator

from hpc_components.preview.reader import PlanReader
from hpc_components.preview.resources import Resources


class MetricsPlan(PlanReader):
    def not_counted(self, resources: Resources) -> Iterator[str]:
        if resources.of_type("azure-native:monitor:AzureMonitorWorkspace"):
            yield "samples of metrics"


READER = MetricsPlan()
