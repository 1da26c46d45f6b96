"""What counts against a quota."""

from dataclasses import dataclass, field

from hpc_components.catalog import Quota
from hpc_components.spec.findings import Path

__all__ = ["QuotaSum", "about_quota"]


def about_quota(quota: Quota, region: str) -> dict[str, str]:
    """What a finding on a quota is of: service, the quota's code, or our key where the cloud has none, and region."""
    where = {"region": region} if quota.regional else {}
    return {"service": quota.service, "quota": quota.code or quota.key, **where}


@dataclass
class QuotaSum:
    """What counts against one quota, and where most of it comes from."""

    quota: Quota
    parts: list[tuple[int, str, Path]] = field(default_factory=list)
    is_new: bool = False
    """Whether something counts that no reservation holds already: else the quota is known to be enough."""

    @property
    def total(self) -> int:
        return sum(count for count, _, _ in self.parts)

    @property
    def path(self) -> Path:
        """Where most of it comes from."""
        return max(self.parts, key=lambda part: part[0])[2]

    @property
    def text(self) -> str:
        return " + ".join(f"{what} {count:,}" for count, what, _ in self.parts)
