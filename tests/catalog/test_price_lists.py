"""What is read from the clouds' price lists, page by page, and what is left out."""

import gzip

import pytest

from catalog.price_servers import Answer, Asked, as_json, aws_row, aws_text, azure_item, google_sku, price_server
from hpc_components.aws.price_list import AwsPriceList
from hpc_components.azure.price_list import AzurePriceList
from hpc_components.catalog import machine
from hpc_components.catalog.online.http import NotThereError, PriceListError
from hpc_components.catalog.online.price_list import Listed, NoKeyError
from hpc_components.gcp.price_list import GcpPriceList

C7I = {"Instance Type": "c7i.large", "PricePerUnit": "0.0892500000"}


def of(found: list[Listed]) -> dict[str | None, float]:
    return {each.item or f"{each.name} {each.purchase}": each.usd for each in found}


def aws(*rows: dict[str, str]) -> dict[str | None, float]:
    with price_server(lambda asked: (200, aws_text(*rows), None)) as (address, asked):
        found = of([*AwsPriceList(address).prices("us-east-2", {"c7i.large", "hpc6a.48xlarge"})])
    assert [path for path, _, _ in asked] == ["/offers/v1.0/aws/AmazonEC2/current/us-east-2/index.csv"]
    return found


def test_aws_machines_are_those_with_linux_on_shared_hosts() -> None:
    others = {
        "TermType": "Reserved", "Operating System": "Windows", "Tenancy": "Dedicated", "Currency": "CNY",
        "CapacityStatus": "UnusedCapacityReservation", "Pre Installed S/W": "SQL Std", "License Model": "Own",
        "MarketOption": "CapacityBlock", "Instance Type": "x9.large",
    }  # fmt: skip
    rows = [aws_row(**C7I), *(aws_row(**C7I | {"PricePerUnit": "9.9", key: value}) for key, value in others.items())]
    assert aws(*rows) == {"c7i.large on_demand": 0.08925}


def test_prices_of_gateways_and_disks_are_read() -> None:
    none = {"Operating System": "", "Tenancy": "", "License Model": "", "CapacityStatus": "", "Pre Installed S/W": ""}
    nat = none | {"Product Family": "NAT Gateway"}
    rows = [
        aws_row(**C7I),
        aws_row(**nat, usageType="USE2-NatGateway-Hours", PricePerUnit="0.045"),
        aws_row(**nat, usageType="USE2-NatGateway-Prvd-Bytes", Unit="GB", PricePerUnit="0.001"),
        aws_row(**nat, usageType="NatGateway-Bytes", Unit="GB", PricePerUnit="0.05"),
        aws_row(**none | {"Product Family": "Storage"}, usageType="USE2-EBS:VolumeUsage.gp3", PricePerUnit="0.08"),
    ]
    assert aws(*rows) == {
        "c7i.large on_demand": 0.08925, "nat_gateway.hour": 0.045, "nat_gateway.data": 0.05, "ebs.gp3.storage": 0.08,
    }  # fmt: skip


def test_a_type_at_two_prices_is_left_out() -> None:
    assert aws(aws_row(**C7I), aws_row(**C7I | {"PricePerUnit": "0.1"})) == {}


def test_a_source_has_the_date_of_the_list() -> None:
    with price_server(lambda asked: (200, aws_text(aws_row(**C7I)), None)) as (address, _):
        (found,) = AwsPriceList(address).prices("us-east-2", {"c7i.large"})
    assert found.source == "AWS price list, AmazonEC2 of 2026-11-20T18:04:06Z"


@pytest.mark.parametrize("status", [403, 404])
def test_aws_has_no_such_region(status: int) -> None:
    with (
        price_server(lambda asked: (status, b"<Error><Code>AccessDenied</Code></Error>", None)) as (address, _),
        pytest.raises(NotThereError, match="AWS doesn't publish a price list for region us-east-9"),
    ):
        list(AwsPriceList(address).prices("us-east-9", {"c7i.large"}))


HB = "Standard_HB176rs_v4"


def test_azure_pages_are_read_to_the_end() -> None:
    def answer(asked: Asked) -> Answer:
        if "$skip" in asked[1]:
            return as_json(
                {"Items": [azure_item(HB, 2.64, skuName="HB176rs v4 Spot")], "NextPageLink": None, "Count": 1}
            )
        link = f"http://{asked[2]['Host']}/api/retail/prices?$filter=again&$skip=1000"
        return as_json({"BillingCurrency": "USD", "Items": [azure_item(HB, 7.2)], "NextPageLink": link, "Count": 1})

    with price_server(answer) as (address, asked):
        found = of([*AzurePriceList(address).prices("eastus", {HB})])
    assert found == {f"{HB} on_demand": 7.2, f"{HB} spot": 2.64}
    assert asked[0][1] == {
        "$filter": "serviceName eq 'Virtual Machines' and priceType eq 'Consumption' and armRegionName eq 'eastus'"
    }
    assert len(asked) == 2


@pytest.mark.parametrize(
    "told",
    [
        {"productName": "Virtual Machines HBv4 Series Windows"},
        {"productName": "HBv4 Series Cloud Services"},
        {"skuName": "HB176rs v4 Low Priority"},
        {"unitOfMeasure": "1/Month"},
        {"type": "Reservation"},
        {"type": "DevTestConsumption"},
        {"currencyCode": "EUR"},
        {"retailPrice": 0.0},
        {"armSkuName": "Standard_D2s_v5"},
    ],
)
def test_azure_prices_of_other_things_are_left_out(told: dict[str, object]) -> None:
    with price_server(lambda asked: as_json({"Items": [azure_item(HB, 7.2, **told)]})) as (address, _):
        assert list(AzurePriceList(address).prices("eastus", {HB})) == []


def test_a_page_on_another_server_is_not_read() -> None:
    page = {"Items": [], "NextPageLink": "http://prices.example.org/api/retail/prices"}
    with (
        price_server(lambda asked: as_json(page)) as (address, asked),
        pytest.raises(PriceListError, match="on a different server"),
    ):
        list(AzurePriceList(address).prices("eastus", {HB}))
    assert len(asked) == 1


H3 = "h3-standard-88"
H3_PARTS = [
    google_sku("H3 Instance Core running in Iowa", 0.04411),
    google_sku("H3 Instance Ram running in Iowa", 0.00296, unit="GiBy.h"),
]


def google(
    *skus: object, names: frozenset[str] = frozenset({H3}), region: str = "us-central1"
) -> dict[str | None, float]:
    with price_server(lambda asked: as_json({"skus": skus, "nextPageToken": ""})) as (address, asked):
        found = of([*GcpPriceList(address).prices(region, names)])
    (request,) = asked
    assert request[0] == "/v1/services/6F81-5844-456A/skus"
    assert request[1] == {"currencyCode": "USD", "pageSize": "5000"}, "the key stands in no address"
    assert request[2]["X-Goog-Api-Key"] == "k"
    return found


@pytest.fixture
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOOGLE_API_KEY", "k")


@pytest.mark.usefixtures("key")
def test_google_machines_are_the_sum_of_their_parts() -> None:
    known = machine("gcp", H3)
    assert known
    whole = round(known.vcpus * 0.04411 + known.memory_gib * 0.00296, 6)
    assert google(*H3_PARTS) == {f"{H3} on_demand": whole}
    spot = [
        google_sku("Spot Preemptible H3 Instance Core running in Iowa", 0.01, usage="Preemptible"),
        google_sku("Spot Preemptible H3 Instance Ram running in Iowa", 0.001, unit="GiBy.h", usage="Preemptible"),
    ]
    both = google(*H3_PARTS, *spot)
    assert both == {f"{H3} on_demand": whole, f"{H3} spot": round(known.vcpus * 0.01 + known.memory_gib * 0.001, 6)}


@pytest.mark.usefixtures("key")
@pytest.mark.parametrize(
    ("core", "ram", "name"),
    [
        ("Compute optimized Core running in Americas", "Compute optimized Ram running in Americas", "c2-standard-60"),
        ("C2D AMD Instance Core running in Iowa", "C2D AMD Instance Ram running in Iowa", "c2d-standard-112"),
        ("H4D Instance Core running in Iowa", "H4D Instance Ram running in Iowa", "h4d-standard-192"),
    ],
)
def test_google_names_parts_in_many_ways(core: str, ram: str, name: str) -> None:
    found = google(google_sku(core, 0.04), google_sku(ram, 0.005, unit="GiBy.h"), names=frozenset({name}))
    assert list(found) == [f"{name} on_demand"]


@pytest.mark.usefixtures("key")
@pytest.mark.parametrize(
    "other",
    [
        [google_sku("H3 Sole Tenancy Instance Core running in Iowa", 0.1)],
        [google_sku("Commitment v1: H3 Instance Core running in Iowa", 0.1, usage="Commit1Yr")],
        [google_sku("H3 Instance Core running in Iowa", 0.1, serviceRegions=["europe-west4"])],
        [google_sku("H3 Instance Core running in Iowa", 0.1, unit="mo")],
    ],
)
def test_google_prices_of_other_things_are_left_out(other: list[object]) -> None:
    assert google(*other, *H3_PARTS) == google(*H3_PARTS)


@pytest.mark.usefixtures("key")
def test_google_machines_with_more_than_cores_and_memory_are_left_out() -> None:
    parts = [
        google_sku("A2 Instance Core running in Iowa", 0.03),
        google_sku("A2 Instance Ram running in Iowa", 0.004, unit="GiBy.h"),
    ]
    assert google(*parts, names=frozenset({"a2-highgpu-8g"})) == {}


@pytest.mark.usefixtures("key")
def test_google_pages_are_read_to_the_end() -> None:
    def answer(asked: Asked) -> Answer:
        if asked[1].get("pageToken") == "more":
            return as_json({"skus": H3_PARTS[1:]})
        return as_json({"skus": H3_PARTS[:1], "nextPageToken": "more"})

    with price_server(answer) as (address, asked):
        assert len(list(GcpPriceList(address).prices("us-central1", {H3}))) == 1
    assert len(asked) == 2


@pytest.mark.usefixtures("key")
def test_google_has_no_such_region() -> None:
    with pytest.raises(NotThereError, match="no machines in mars-1"):
        google(*H3_PARTS, region="mars-1")


def test_google_asks_for_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GOOGLE_API_KEY", raising=False)
    with pytest.raises(NoKeyError, match="set GOOGLE_API_KEY to that key"):
        list(GcpPriceList().prices("us-central1", {H3}))


@pytest.mark.usefixtures("key")
@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ((400, b'{"error": {"message": "API key not valid."}}', None), "responded with 400 .*; check the API key"),
        ((503, b"", None), "responded with 503 .*; try again later"),
        ((200, b"<html>", None), "is not JSON"),
        ((200, b"[]", None), "is not a JSON object"),
        ((200, b'{"skus": []}', 5), "lost the connection"),
    ],
)
def test_what_goes_wrong_is_one_sentence_without_the_key(answer: Answer, said: str) -> None:
    with price_server(lambda asked: answer) as (address, _), pytest.raises(PriceListError, match=said) as failed:
        list(GcpPriceList(address).prices("us-central1", {H3}))
    assert "\n" not in str(failed.value)


def test_a_packed_list_is_unpacked() -> None:
    with price_server(lambda asked: (200, gzip.compress(aws_text(aws_row(**C7I))), None)) as (address, asked):
        assert len(list(AwsPriceList(address).prices("us-east-2", {"c7i.large"}))) == 1
    assert asked[0][2]["Accept-Encoding"] == "gzip"


@pytest.mark.parametrize("packed", [False, True])
def test_a_connection_that_ends_midway_is_no_shorter_list(packed: bool) -> None:
    text = aws_text(*(aws_row(**C7I, SKU=str(number)) for number in range(1000)))
    text = gzip.compress(text) if packed else text
    with (
        price_server(lambda asked: (200, text, len(text) // 2)) as (address, _),
        pytest.raises(PriceListError, match="lost the connection"),
    ):
        list(AwsPriceList(address).prices("us-east-2", {"c7i.large"}))
