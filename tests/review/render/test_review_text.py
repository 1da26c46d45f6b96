"""Reviews on a terminal of 80 columns, and piped."""

import re

import pytest
from planned_changes import changed

from hpc_components.review.cost_and_quota_tables import queues_table, quotas_table, totals_table
from hpc_components.review.document import CostChange, QuotaChange
from hpc_components.review.render.text import reviews_text
from tests.review.reviews import queue_cost, review, texts, total

LONG = "all-jobs-of-the-computational-fluid-dynamics-group"


@pytest.mark.parametrize("width", [40, 80, 200])
def test_no_cell_of_a_table_falls_apart(width: int) -> None:
    cost = CostChange(
        idle_before=total(1), idle_after=total(2), full_before=total(1000), full_after=total(200_000, at_least=True),
        queues=(
            queue_cost("cpu", (16, 32), machine_after="hpc7a.96xlarge"),
            queue_cost(LONG, (1024, 2048), machine_before="Standard_HB176rs_v4", machine_after="Standard_HX176rs"),
        ),
    )  # fmt: skip
    quotas = (
        QuotaChange(code="L-1216C47A", name="Running On-Demand Standard (A, C, D, H, I, M, R, T, Z) instances",
                    unit="vCPU", before=4, after=16_384, default=5, ask=True),
    )  # fmt: skip
    found = review(cost=cost, quotas=quotas)
    said = " ".join(reviews_text([found], width).split())
    rows = (*texts(totals_table(cost)), *texts(queues_table(cost)), *texts(quotas_table(quotas)))
    assert len(rows) == 7
    assert [cell for row in rows for cell in row if len(cell) < width and " ".join(cell.split()) not in said] == []


@pytest.mark.parametrize("stack", ["aws-cfd", "azure-hbv4", "gcp-h3"])
def test_a_queue_is_read_in_one_piece(stack: str) -> None:
    text = reviews_text([changed(stack, ("max: 16", "max: 24"))])
    assert re.search(r"^ ?compute-queue( |$)", text, re.MULTILINE)
    assert max(map(len, text.splitlines())) <= 80
