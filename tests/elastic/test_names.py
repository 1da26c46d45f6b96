import pytest
from hypothesis import given
from hypothesis import strategies as st

from hpc_components.elastic.names import node_name, nodes_of, number_of, queue_of, tag_of


def test_a_name_is_its_queue_and_a_number():
    assert node_name("compute-queue", 7) == "compute-queue-7"
    assert queue_of("compute-queue-7") == "compute-queue"
    assert number_of("compute-queue-7") == 7


@pytest.mark.parametrize(
    ("numbers", "tag"),
    [((1,), "1"), ((1, 2, 3, 9), "1-3.9"), ((5, 6, 2, 1), "5-6.2.1"), ((3, 4, 5, 1, 2), "3-5.1-2"), ((), "")],
)
def test_runs_are_written_short_in_the_order_of_the_launch(numbers, tag):
    assert tag_of([node_name("q", number) for number in numbers]) == tag


@given(st.lists(st.integers(1, 60), min_size=1, unique=True))
def test_a_tag_gives_the_names_back_in_order(numbers):
    names = tuple(node_name("a-1", number) for number in numbers)
    assert nodes_of("a-1", tag_of(names)) == names


@pytest.mark.parametrize("tag", ["", "x", "1-", "1..2", "1,2"])
def test_what_is_no_tag_is_refused(tag):
    with pytest.raises(ValueError, match="invalid literal"):
        nodes_of("q", tag)
