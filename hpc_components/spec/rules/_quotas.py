from dataclasses import dataclass, field

from hpc_components.catalog import Quota
from hpc_components.spec.findings import Path


def about_quota(quota: Quota, region: str) -> dict[str, str]:
    """Return the subject of a finding about a quota: service, quota and region.

    The quota is identified by the cloud's code or, if the cloud has none, by our own key.
    """
    where = {"region": region} if quota.regional else {}
    return {"service": quota.service, "quota": quota.code or quota.key, **where}


@dataclass
class QuotaSum:
    quota: Quota
    parts: list[tuple[int, str, Path]] = field(default_factory=list)
    is_new: bool = False
    """Whether any of the usage is new. Machines that are already reserved are not new, because they already count
    against the quota."""

    @property
    def total(self) -> int:
        return sum(count for count, _, _ in self.parts)

    @property
    def path(self) -> Path:
        return max(self.parts, key=lambda part: part[0])[2]

    @property
    def text(self) -> str:
        return " + ".join(f"{what} {count:,}" for count, what, _ in self.parts)
