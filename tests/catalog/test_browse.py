import json
import re
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hpc_components.catalog.browse import Filter, Offer, find_offers, known_values
from hpc_components.catalog.machines import all_machines, machines, regions_offering
from hpc_components.catalog.prices import price
from hpc_components.catalog.table import offers_footer, offers_table

from .present import held, present

ALL = find_offers(Filter())
all_machines()  # read before Hypothesis takes the time of an example

filters = st.builds(
    Filter,
    cloud=st.sampled_from([None, "aws", "azure", "gcp"]),
    gpu=st.sampled_from([None, "any", "none", "H100", "h100", "nvidia", "Trainium"]),
    fabric=st.sampled_from([None, "any", "none", "efa", "infiniband", "RDMA"]),
    min_memory_gib=st.sampled_from([0, 64, 700, 2000]),
    min_cores=st.sampled_from([0, 8, 96]),
    region=st.sampled_from([None, "us-east-2", "eu-north-1", "nowhere"]),
    name=st.sampled_from([None, "c7i", "HPC", "48xlarge"]),
)


def names(wanted: Filter) -> set[str]:
    return {offer.machine.name for offer in find_offers(wanted)}


def test_without_a_filter_every_machine_is_offered_once() -> None:
    assert len(ALL) == len({(offer.machine.cloud, offer.machine.name) for offer in ALL})
    assert {offer.machine.name for offer in ALL} == {machine.name for machine in machines()}


@given(filters)
def test_all_that_is_offered_has_what_was_asked_for(wanted: Filter) -> None:
    for offer in find_offers(wanted):
        machine = offer.machine
        assert wanted.cloud in (None, machine.cloud)
        assert machine.memory_gib >= wanted.min_memory_gib
        assert machine.cores >= wanted.min_cores
        assert wanted.region is None or wanted.region in regions_offering(machine)
        assert wanted.name is None or wanted.name.lower() in machine.name.lower()
        assert wanted.gpu is None or (machine.accelerator is None) == (wanted.gpu == "none")
        assert wanted.fabric is None or (machine.fabric is None) == (wanted.fabric == "none")


@given(filters, filters)
def test_asking_for_more_never_finds_more(one: Filter, other: Filter) -> None:
    both = Filter(
        cloud=one.cloud, gpu=one.gpu, fabric=one.fabric, region=one.region, name=one.name,
        min_memory_gib=max(one.min_memory_gib, other.min_memory_gib), min_cores=max(one.min_cores, other.min_cores),
    )  # fmt: skip
    assert names(both) <= names(one)


@given(filters)
def test_the_cheapest_core_is_first_and_what_has_no_price_last(wanted: Filter) -> None:
    costs = [offer.per_core for offer in find_offers(wanted)]
    known = [cost for cost in costs if cost is not None]
    assert costs == sorted(known) + [None] * (len(costs) - len(known))


@pytest.mark.parametrize(
    ("wanted", "inside", "outside"),
    [
        (Filter(gpu="H100"), "p5.48xlarge", "p4d.24xlarge"),
        (Filter(gpu="none", fabric="efa"), "hpc6a.48xlarge", "p5.48xlarge"),
        (Filter(gpu="any"), "trn1.32xlarge", "hpc6a.48xlarge"),
        (Filter(fabric="none", cloud="aws"), "c6i.xlarge", "hpc6a.48xlarge"),
        (Filter(fabric="infiniband"), "Standard_HB176rs_v4", "hpc6a.48xlarge"),
        (Filter(region="eu-north-1", name="hpc6a"), "hpc6a.48xlarge", "c6i.xlarge"),
    ],
)
def test_what_a_filter_takes_and_leaves(wanted: Filter, inside: str, outside: str) -> None:
    found = names(wanted)
    assert inside in found
    assert outside not in found
    assert outside in names(Filter())


def test_a_name_is_looked_for_among_all_types() -> None:
    assert {"c5.large", "c5.24xlarge"} <= names(Filter(name="c5."))
    assert "g4dn.xlarge" in names(Filter(name="g4dn", gpu="T4"))
    assert "g4dn.xlarge" not in names(Filter(cloud="aws"))


def test_gpu_and_fabric_are_compared_without_case() -> None:
    assert names(Filter(gpu="h100")) == names(Filter(gpu="H100")) != set()
    assert names(Filter(fabric="EFA")) == names(Filter(fabric="efa")) != set()
    assert names(Filter(gpu="ANY")) == names(Filter(gpu="any"))


def test_a_region_that_sells_it_gives_the_price() -> None:
    hpc6a = held("aws", "hpc6a.48xlarge")
    (offer,) = find_offers(Filter(name="hpc6a", region="us-east-2"))
    there = present(price(hpc6a, "us-east-2", "on_demand"))
    (elsewhere,) = find_offers(Filter(name="r8i.48xlarge", region="us-east-2"))
    assert (elsewhere.to_dict()["region"], elsewhere.to_dict()["price_region"]) == ("us-east-2", "us-east-1")
    assert (offer.region, offer.price) == ("us-east-2", there)
    assert offer.per_core == Decimal(str(there.usd)) / 96
    assert find_offers(Filter(name="hpc6a", region="us-west-1")) == []


def test_without_a_price_nothing_is_invented() -> None:
    offer = Offer(held("aws", "hpc6a.48xlarge"), "us-east-2", None)
    assert offer.per_core is None
    plain = offer.to_dict()
    assert (plain["usd_per_hour"], plain["usd_per_core_hour"], plain["price_as_of"]) == (None, None, None)


def test_as_json_each_offer_has_the_same_keys_and_its_source() -> None:
    plain = [offer.to_dict() for offer in ALL]
    assert len({tuple(each) for each in plain}) == 1
    assert json.loads(json.dumps(plain, allow_nan=False)) == plain
    assert all(each["source"] and each["as_of"] for each in plain)
    assert json.dumps(plain) == json.dumps([offer.to_dict() for offer in find_offers(Filter())])


def test_numbers_of_a_machine_are_those_of_the_catalogue() -> None:
    (plain,) = [offer.to_dict() for offer in find_offers(Filter(name="p5.48xlarge"))]
    assert plain["accelerator"] == "8 x H100"
    assert (plain["vcpus"], plain["cores"], plain["memory_gib"]) == (192, 96, 2048)
    assert (plain["fabric"], plain["fabric_interfaces"], plain["fabric_gbps"]) == ("efa", 32, 3200)


EVERYTHING = "machine cores GiB accelerators fabric Gbps $/h $/core-h price of"


def headings(offers: list[Offer], width: int | None) -> list[str]:
    return re.split(" {2,}", offers_table(offers, width)[0])


@pytest.mark.parametrize(
    ("width", "shown"),
    [
        (None, EVERYTHING),
        (120, EVERYTHING),
        (80, "machine cores GiB accelerators Gbps $/h $/core-h"),
        (60, "machine cores accelerators $/core-h"),
        (20, "machine"),
    ],
)
def test_a_narrow_table_has_fewer_columns(width: int | None, shown: str) -> None:
    assert " ".join(headings(find_offers(Filter(gpu="H100")), width)) == shown


@given(filters, st.integers(36, 160))
def test_the_table_fits_its_terminal_and_nothing_in_it_is_cut(wanted: Filter, width: int) -> None:
    offers = find_offers(wanted)
    if not offers:
        return
    whole, narrow = (
        [re.split(" {2,}", line.strip()) for line in offers_table(offers, room)] for room in (None, width)
    )
    assert max(map(len, offers_table(offers, width))) <= width
    for full, cut in zip(whole[2:], narrow[2:], strict=True):
        assert set(cut) <= set(full)
        assert cut[0] == full[0]


def test_a_column_with_nothing_in_it_is_left_out() -> None:
    shown = headings(find_offers(Filter(gpu="none")), None)
    assert "accelerators" not in shown
    assert "cores" in shown


def test_the_price_of_another_region_has_a_star() -> None:
    offers = find_offers(Filter(cloud="aws", region="us-east-2", name="48xlarge"))
    rows = offers_table(offers, 80)[2:]
    assert {offer.machine.name for offer in offers if offer.price and not offer.price.exact_region} == {
        row.split()[0] for row in rows if "*" in row
    }
    starred = next(row for row in rows if row.startswith("r8i.48xlarge "))
    assert starred.endswith("  13.34*   0.1389*")
    assert next(row for row in rows if row.startswith("p5.48xlarge ")).endswith("  55.04    0.5733")
    assert next(row for row in rows if row.startswith("hpc6a.48xlarge ")).endswith("   2.88    0.0300")
    assert offers_footer(offers)[1] == "* price in us-east-1; the price in us-east-2 is unknown."


def test_regions_and_days_of_prices_are_told() -> None:
    assert offers_footer(find_offers(Filter(name="p5.48xlarge"))) == [
        "On-demand list prices for Linux in us-east-1, as of 2026-07; not a quotation."
    ]
    assert offers_footer(find_offers(Filter(gpu="H100")))[0].startswith(
        "On-demand list prices for Linux in eastus, us-central1, us-east-1, us-east4, as of 2026-06 to 2026-08;"
    )
    without = [Offer(held("aws", "hpc6a.48xlarge"), "us-east-2", None)]
    assert offers_footer(without) == ["No list prices are known for these machine types."]


def test_what_may_be_asked_for_is_what_some_machine_has() -> None:
    assert {"H100", "MI300X", "Trainium"} <= set(known_values("gpu"))
    assert {"efa", "infiniband"} <= set(known_values("fabric"))
    assert {"us-east-2", "westeurope", "us-central1"} <= set(known_values("region"))
    for option in ("gpu", "fabric", "region"):
        assert all(find_offers(Filter(**{option: value})) for value in known_values(option))


def test_the_bandwidth_of_a_machine_with_a_fabric_is_that_of_the_fabric() -> None:
    (line,) = (
        line for line in offers_table(find_offers(Filter(name="Standard_HB176rs_v4")), None) if "HB176rs" in line
    )
    assert re.search(r"1 x infiniband +400 ", line)  # beside 80 of Ethernet
