from hypothesis import given
from hypothesis import strategies as st

from hpc_components.bill.node.money import dollars, exact, in_cents, micros, shown

AMOUNTS = st.integers(-(10**15), 10**15)


@given(st.lists(AMOUNTS, min_size=1, max_size=6))
def test_shown_parts_add_up_to_the_shown_sum(parts: list[int]) -> None:
    cents = in_cents(parts)
    assert shown(sum(cents)) == dollars(sum(parts))
    assert all(abs(cent * 10**4 - part) < 10**4 for cent, part in zip(cents, parts, strict=True))


@given(AMOUNTS)
def test_no_amount_is_lost_in_a_document(amount: int) -> None:
    assert micros(exact(amount)) == amount


def test_amounts_are_written_for_people() -> None:
    assert [shown(799000), shown(-5), dollars(12_304_999), dollars(-1)] == ["7,990.00", "-0.05", "12.30", "0.00"]
