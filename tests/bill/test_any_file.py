"""Any content of an export and of charges is read or refused as a LedgerError, which commands show as a sentence."""

import io
import json
import tarfile
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hpc_components.bill.about import read_about
from hpc_components.bill.compare.formats import FOCUS
from hpc_components.bill.compare.reading import read_costs
from hpc_components.bill.export import FILES, unpacked
from hpc_components.bill.jobs import read_jobs
from hpc_components.bill.records import LedgerError, read_ledger
from hpc_components.elastic.ledger.export import JOB_FIELDS
from tests.bill import records

_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
ANY = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
_RECORDS = [
    records.machine("i-1", 5), records.registered("i-1", 6), records.ended("i-1", 7), records.price(5, "1"),
    records.service(5, "1"), {"kind": "clock", "at": 5, "step": 1},
    {"kind": "gap", "since": 1, "until": 2, "why": ""}, {"kind": "seen", "id": "i-1", "at": 3},
]  # fmt: skip
_ABOUT = {
    "cluster": "lab", "cloud": "x", "region": "y", "since": 0, "until": 9, "accounts": [["a", None, "o"]],
    "nodes": {"cpu": {"cpus": 1, "memory_mib": 1}}, "minimum_seconds": 60, "exported": 9, "currency": "USD",
}  # fmt: skip


@ANY
@given(st.sampled_from(_RECORDS), st.data(), _JSON)
def test_a_record_with_any_value_is_read_or_refused(record: dict[str, Any], data: st.DataObject, value: Any) -> None:
    changed = record | {data.draw(st.sampled_from(sorted(record))): value}
    with suppress(LedgerError):
        read_ledger([json.dumps(changed)], "ledger.jsonl")


@ANY
@given(st.data(), _JSON)
def test_a_description_with_any_value_is_read_or_refused(data: st.DataObject, value: Any) -> None:
    with suppress(LedgerError):
        about = read_about(_ABOUT | {data.draw(st.sampled_from(sorted(_ABOUT))): value}, "about.json")
        about.organizations()
        about.tops()


@pytest.mark.parametrize(
    "change",
    [
        {"nodes": {"cpu": {"cpus": float("inf"), "memory_mib": 1}}},
        {"accounts": [["a", None, "o"], ["b", 5, None]]},
    ],
)
def test_a_description_with_an_odd_part_is_refused(change: dict[str, Any]) -> None:
    with pytest.raises(LedgerError, match="not the description of an export"):
        read_about(_ABOUT | change, "about.json")


def _packed() -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as archive:
        archive.add(Path(__file__).parent / "recorded", arcname="export")
    return out.getvalue()


_PACKED = _packed()


def test_a_damaged_export_is_refused() -> None:
    """The checksum is checked: otherwise, a changed digit of a price would change the bill. A few bytes can be
    changed without a change of what is unpacked."""
    whole, refused = unpacked("export.tar.gz", _PACKED), 0
    assert set(whole) == set(FILES)
    for place in range(10, len(_PACKED), 5):
        damaged = bytearray(_PACKED)
        damaged[place] ^= 255
        try:
            found = unpacked("export.tar.gz", bytes(damaged))
        except LedgerError:
            refused += 1
        else:
            assert found == whole
    assert refused > 400


@ANY
@given(st.sampled_from(JOB_FIELDS), st.text(max_size=12))
def test_a_job_with_any_text_is_read_or_refused(column: str, text: str) -> None:
    with suppress(LedgerError):
        read_jobs(["|".join(JOB_FIELDS), records.line(1, 5, 6, **{column: text})], "jobs.psv")


@ANY
@given(
    st.binary(max_size=200)
    | st.text(max_size=100).map(lambda text: b"BilledCost,Tags\n" + text.encode("utf-8", "replace"))
)
def test_any_charges_are_read_or_refused(content: bytes) -> None:
    with suppress(LedgerError):
        read_costs(content, "c.csv", [FOCUS], "lab")


@ANY
@given(
    st.fixed_dictionaries({
        "ChargePeriodStart": st.sampled_from(["2026-11-02T00:00:00Z", "", "11/02/2026"]),
        "BilledCost": _JSON, "ServiceCategory": _JSON, "Tags": _JSON, "BillingCurrency": st.sampled_from(["USD", ""]),
    })
)  # fmt: skip
def test_a_charge_with_any_value_is_read_or_refused(row: dict[str, Any]) -> None:
    with suppress(LedgerError):
        read_costs(json.dumps(row).encode(), "c.jsonl", [FOCUS], "lab")
