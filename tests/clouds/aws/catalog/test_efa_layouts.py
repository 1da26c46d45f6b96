import pytest

from hpc_components.aws.catalog.efa import Interface, addresses_per_node, efa_interfaces, efa_layout_unsure
from hpc_components.catalog import machines


def shape(name: str) -> tuple[int, int]:
    interfaces = efa_interfaces(name)
    return len(interfaces), sum(interface.type != "interface" for interface in interfaces)


@pytest.mark.parametrize(
    ("name", "interfaces", "efa", "addresses"),
    [
        ("hpc6a.48xlarge", 2, 1, 1),
        ("hpc6id.32xlarge", 2, 2, 2),
        ("hpc7a.12xlarge", 3, 2, 1),
        ("hpc7g.16xlarge", 2, 1, 1),
        ("hpc8a.96xlarge", 3, 2, 1),
        ("c5n.18xlarge", 2, 1, 1),
        ("c6in.32xlarge", 3, 2, 1),
        ("c8gn.48xlarge", 3, 2, 1),
        ("p4d.24xlarge", 5, 4, 1),
        ("p5.4xlarge", 2, 1, 1),
        ("p5.48xlarge", 33, 32, 1),
        ("p5e.48xlarge", 33, 32, 1),
        ("p5en.48xlarge", 17, 16, 1),
        ("p6-b200.48xlarge", 9, 8, 1),
        ("p6-b300.48xlarge", 17, 16, 1),
        ("p6e-gb200.36xlarge", 9, 8, 1),
        ("trn1.32xlarge", 9, 8, 1),
        ("trn1n.32xlarge", 17, 16, 1),
        ("trn2.48xlarge", 17, 16, 1),
        ("g6e.24xlarge", 3, 2, 1),
        ("g6e.48xlarge", 5, 4, 1),
        ("g7e.48xlarge", 5, 4, 1),
        ("i7ie.48xlarge", 2, 1, 1),
        ("i8ge.48xlarge", 2, 1, 1),
    ],
)
def test_an_efa_layout_has_its_cards_and_addresses(name, interfaces, efa, addresses):
    assert shape(name) == (interfaces, efa)
    assert addresses_per_node(name, efa=True) == addresses
    assert addresses_per_node(name, efa=False) == 1


def test_hpc6a_has_two_interfaces_on_one_card():
    assert efa_interfaces("hpc6a.48xlarge") == (
        Interface(card=0, device=0, type="interface"),
        Interface(card=0, device=1, type="efa-only"),
    )


def test_a_card_with_one_interface_has_a_combined_one():
    assert efa_interfaces("hpc6id.32xlarge") == (
        Interface(card=0, device=0, type="efa"),
        Interface(card=1, device=0, type="efa"),
    )


def test_p5_uses_all_its_cards():
    interfaces = efa_interfaces("p5.48xlarge")
    assert [i.card for i in interfaces] == [0, *range(32)]
    assert {i.device for i in interfaces[1:]} == {1}


def test_card_0_of_p6_b300_carries_no_efa():
    assert [(i.card, i.type) for i in efa_interfaces("p6-b300.48xlarge")][:2] == [(0, "interface"), (1, "efa-only")]


def test_odd_cards_of_gb200_take_one_interface_each():
    """EC2: "the specified number '1' for the device index exceeds the maximum number of network interfaces"."""
    first, *others = efa_interfaces("p6e-gb200.36xlarge")
    assert (first.card, first.device, first.type) == (0, 0, "interface")
    assert [(i.card, i.device) for i in others] == [(card, 0) for card in (1, 3, 5, 7, 9, 11, 13, 15)]


def test_no_device_index_is_beyond_what_its_card_takes():
    known = [machine for machine in machines("aws") if efa_interfaces(machine.name)]
    assert len(known) > 50
    for machine in known:
        for interface in efa_interfaces(machine.name):
            assert interface.device < machine.interfaces_per_card[interface.card], machine.name


def test_doubts_about_a_layout_are_known():
    assert efa_layout_unsure("p5.48xlarge") == ()
    assert efa_layout_unsure("p6e-gb200.36xlarge") == ("cards",)
    assert efa_layout_unsure("i7ie.48xlarge") == ("efa_cards",)


def test_a_machine_without_efa_has_no_efa_interfaces():
    assert efa_interfaces("c6i.xlarge") == ()
    assert efa_interfaces("no-such-type") == ()
    assert addresses_per_node("c6i.xlarge", efa=False) == 1
