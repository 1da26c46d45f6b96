"""Sums of usage by quota."""

from dataclasses import dataclass, field

from hpc_components.catalog import Quota
from hpc_components.spec.findings import Path


def about_quota(quota: Quota, region: str) -> dict[str, str]:
    """Return the subject of a finding on a quota: service, the quota's code (or our key without one), and region."""
    where = {"region": region} if quota.regional else {}
    return {"service": quota.service, "quota": quota.code or quota.key, **where}


@dataclass
class QuotaSum:
    """The usage that counts against one quota, by origin."""

    quota: Quota
    parts: list[tuple[int, str, Path]] = field(default_factory=list)
    is_new: bool = False
    """Whether some usage is not covered by a reservation; otherwise the quota is known to be sufficient."""

    @property
    def total(self) -> int:
        return sum(count for count, _, _ in self.parts)

    @property
    def path(self) -> Path:
        """Path of the largest part."""
        return max(self.parts, key=lambda part: part[0])[2]

    @property
    def text(self) -> str:
        return " + ".join(f"{what} {count:,}" for count, what, _ in self.parts)
