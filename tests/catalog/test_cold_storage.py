from hpc_components.catalog.cold_storage import by_coldness


def test_classes_are_in_the_order_of_the_cloud_not_of_the_description():
    assert by_coldness({"ice": 1, "cool": 2}, ("cool", "cold", "ice")) == ["cool", "ice"]
