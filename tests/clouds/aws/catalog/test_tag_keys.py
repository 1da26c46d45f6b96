import pytest

from hpc_components.aws.catalog.tag_keys import is_tag_key


@pytest.mark.parametrize("key", ["Department", "a", "a" * 128, "cost+centre-1=._:@"])
def test_a_key_that_all_resources_can_have_is_accepted(key):
    assert is_tag_key(key)


@pytest.mark.parametrize("key", ["", ".", "..", "_index", "a" * 129, "cost centre", "a/b", "a,b", "größe"])
def test_a_key_that_some_resources_can_not_have_is_refused(key):
    assert not is_tag_key(key)
