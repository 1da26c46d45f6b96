"""Finds a cluster's launch templates by their tags. There is one per queue, machine type and zone."""

import threading
from collections.abc import Mapping
from dataclasses import dataclass

from hpc_components.elastic.drivers.aws.api import Api, filters
from hpc_components.elastic.drivers.contract import RefusedError
from hpc_components.elastic.model import Pool

PAGE = 200
"""Maximum number of templates in one call. Source: EC2 API reference, DescribeLaunchTemplates."""


@dataclass(frozen=True, kw_only=True)
class Template:
    id: str
    """Id of the template, e.g. `lt-0abc...`."""
    tags: Mapping[str, str]
    """Template tags, which are also set on the machines: those that identify the machines, and the user's own."""

    @property
    def reservation(self) -> str:
        return self.tags.get("hpc:reservation", "")


class Templates:
    """The launch templates of `cluster` that match the filters in `ours`. If a template is missing, all of them are
    read again.
    """

    def __init__(self, cluster: str, ours: Mapping[str, str], api: Api) -> None:
        self._cluster, self._ours, self._api = cluster, filters(ours), api
        self._lock = threading.Lock()
        self._known: dict[tuple[str, str, str], Template] = {}

    def of(self, pool: Pool) -> Template:
        """Return the template for `pool`. Raise RefusedError if the pool has no template."""
        key = pool.queue, pool.machine, pool.zone
        with self._lock:  # launches run in several threads, but only one at a time may read the templates
            if key not in self._known:
                self._known = self._read()
            known = self._known
        if key not in known:
            raise RefusedError(
                f"cluster {self._cluster} has no launch template tagged with its config bucket, "
                f"hpc:queue={pool.queue}, hpc:machine={pool.machine} and hpc:zone={pool.zone}; run `pulumi "
                "up` again"
            )
        return known[key]

    def forget(self) -> None:
        self._known = {}

    def _read(self) -> dict[tuple[str, str, str], Template]:
        pages = self._api.pages("DescribeLaunchTemplates", Filters=self._ours, MaxResults=PAGE)
        known = {}
        for template in (each for page in pages for each in page["LaunchTemplates"]):
            tags = {tag["Key"]: tag["Value"] for tag in template.get("Tags", ())}
            tags = {key: value for key, value in tags.items() if key != "Name" and not key.startswith("aws:")}
            queue, machine, zone = (tags.get(f"hpc:{what}", "") for what in ("queue", "machine", "zone"))
            known[queue, machine, zone] = Template(id=template["LaunchTemplateId"], tags=tags)
        return known
