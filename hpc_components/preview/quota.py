from typing import Any

from hpc_components.preview.clouds import reader_of
from hpc_components.preview.resources import Resources
from hpc_components.preview.uses import QuotaNeed


def quotas_of(resources: Resources, cloud: str, region: str) -> list[dict[str, Any]]:
    """Return the quotas that the plan needs when every queue is full, as plain JSON types.

    Quotas that may have to be raised come first and have the flag `ask`: either the need exceeds a new account's
    default, or the default is unknown. `for` lists what needs the quota, and how much of it. If a queue has
    alternative machine types, only the largest need is included, because only one of the types runs. `region` is None
    if a quota covers the whole account.
    """
    needs: dict[str, list[QuotaNeed]] = {}
    for each in reader_of(cloud).quotas(resources):
        if each.need:
            needs.setdefault(each.quota.key, []).append(each)
    found = (_entry(some, region) for some in needs.values())
    return sorted(found, key=lambda entry: (not entry["ask"], entry["service"], entry["name"]))


def _entry(needs: list[QuotaNeed], region: str) -> dict[str, Any]:
    found = needs[0].quota
    need = round(sum(each.need for each in needs), 2)
    parts = sorted(needs, key=lambda each: (-each.need, each.what))
    return {
        "code": found.code,
        "service": found.service,
        "name": found.name,
        "unit": found.unit,
        "region": region if found.regional else None,
        "need": need,
        "default": found.default,
        "ask": found.default is None or need > found.default,
        "for": [{"what": each.what, "need": each.need} for each in parts],
        "source": found.source,
        "as_of": found.as_of,
        "unsure": bool(found.unsure),
    }
