"""The picture: what it shows, and that nothing in it overlaps or spills, whatever the cluster."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from preview_sample import Program, cfd, fleet, network

from hpc_components.cloud import CLOUDS, cloud_named
from hpc_components.preview.picture.cards import Card
from hpc_components.preview.picture.layout import NARROW, WIDE, Box, Picture, Text, draw
from hpc_components.preview.picture.lettering import SIZES, fit, measure, wrap
from hpc_components.preview.picture.scene import Scene, Zone, describe, scene_of

words = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), min_size=1, max_size=40)
few_words = st.lists(words, max_size=3)
steps = st.none() | st.integers(1, 9)
frames = st.none() | words


@st.composite
def cards(draw: st.DrawFn, kind: str = "server") -> Card:
    fewest = draw(st.integers(0, 20))
    return Card(
        kind=kind,
        title=draw(words),
        lines=tuple(draw(few_words)),
        chips=tuple(draw(few_words)),
        nodes=(fewest, fewest + draw(st.integers(0, 1000))) if kind == "fleet" else None,
        frame=draw(frames) if kind == "fleet" else None,
        step=draw(steps),
    )


servers = st.lists(cards(), max_size=3)
single = st.lists(cards(), max_size=1)
fleets = st.lists(cards("fleet"), max_size=3)
logins = st.lists(cards("login"), max_size=3)
people = st.none() | cards("users") | cards("campus")
public_cidrs = st.none() | st.just("10.20.8.0/22")
private_cidrs = st.none() | st.just("10.20.64.0/19")


@st.composite
def scenes(draw: st.DrawFn) -> Scene:
    buckets = [Card(kind="bucket", title=f"bucket-{index}") for index in range(draw(st.integers(0, 5)))]
    titles = [card.title for card in buckets]

    def file_systems(most: int) -> tuple[Card, ...]:
        some = []
        for index in range(draw(st.integers(0, most))):
            links = draw(st.lists(st.sampled_from(titles), unique=True, max_size=8)) if titles else []
            step = draw(steps)
            some.append(Card(kind="lustre", title=f"/fs{index}", lines=("Lustre",), links=tuple(links), step=step))
        return tuple(some)

    zones = tuple(
        Zone(
            id=f"use2-az{number + 1}",
            public_cidr=draw(public_cidrs),
            private_cidr=draw(private_cidrs),
            public=tuple(draw(servers)),
            private=tuple(draw(fleets) + draw(single)),
            file_systems=file_systems(3),
        )
        for number in range(draw(st.integers(1, 6)))
    )
    return Scene(
        region=draw(words),
        network=draw(words),
        gateway=draw(words),
        users=draw(people),
        across=tuple(draw(logins)),
        zones=zones,
        wide=tuple(draw(st.lists(cards("fleet"), max_size=5))),
        file_systems=file_systems(8),
        services=(*buckets, *draw(st.lists(cards("secret"), max_size=4))),
    )


def every(boxes: tuple[Box, ...]) -> Iterator[Box]:
    for box in boxes:
        yield box
        yield from every(box.boxes)


def assert_well_placed(picture: Picture) -> None:
    whole = Box(kind="all", width=picture.width, height=picture.height, boxes=picture.boxes)
    for box in every((whole,)):
        for index, first in enumerate(box.boxes):
            assert first.width > 0
            assert first.height > 0
            assert first.x >= box.x - 0.01, (first, "left of", box.kind)
            assert first.y >= box.y - 0.01, (first, "above", box.kind)
            assert first.x + first.width <= box.x + box.width + 0.01, (first, "right of", box.kind)
            assert first.y + first.height <= box.y + box.height + 0.01, (first, "below", box.kind)
            for second in box.boxes[index + 1 :]:
                apart = (
                    first.x + first.width <= second.x + 0.01
                    or second.x + second.width <= first.x + 0.01
                    or first.y + first.height <= second.y + 0.01
                    or second.y + second.height <= first.y + 0.01
                )
                assert apart, (first, second)
        for text in box.texts:
            assert text.x >= box.x
            assert text.x + measure(text.text, text.kind) <= box.x + box.width + 0.01, (text, box.kind)
            assert box.y <= text.y - SIZES[text.kind]
            assert text.y <= box.y + box.height


Rectangle = tuple[float, float, float, float]


def extent(text: Text) -> Rectangle:
    """Left, top, right and bottom of a text, with letters that go below its baseline."""
    size = SIZES[text.kind]
    return text.x, text.y - size, text.x + measure(text.text, text.kind), text.y + size / 4


def crosses(one: Rectangle, other: Rectangle) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def assert_texts_apart(picture: Picture) -> None:
    placed = [(box, text, extent(text)) for box in every(picture.boxes) for text in box.texts]
    for index, (box, text, here) in enumerate(placed):
        for _, other, there in placed[index + 1 :]:
            assert not crosses(here, there), (text, other)
        for inner in box.boxes:
            covered = inner.x, inner.y, inner.x + inner.width, inner.y + inner.height
            assert not crosses(here, covered), (text, inner.kind)


@given(scene=scenes(), width=st.sampled_from([NARROW, WIDE, 320, 719, 720]))
@settings(max_examples=150, deadline=None)
def test_no_text_lies_over_another_or_over_a_box(scene: Scene, width: int) -> None:
    assert_texts_apart(draw(scene, width))


@pytest.mark.parametrize("cloud", CLOUDS)
@pytest.mark.parametrize("width", [320, NARROW, 719, 720, WIDE])
def test_gateway_has_the_word_of_its_cloud_beside_any_network_name(cloud: str, width: int) -> None:
    word = cloud_named(cloud).words.internet
    users = Card(kind="users", title="Internet", lines=("SSH from 203.0.113.0/24",))
    for name in ("n", "Virtual network 10.20.0.0/16", "A network with a name that is far too long " * 3):
        picture = draw(replace(scene(), network=name, gateway=word, users=users), width)
        assert_well_placed(picture)
        assert_texts_apart(picture)
        assert word in [text.text for box in every(picture.boxes) for text in box.texts if text.kind == "chip"]


def test_scene_takes_the_word_for_the_gateway_from_the_cloud() -> None:
    for cloud in CLOUDS:
        assert scene_of(Program().resources, cloud, "somewhere").gateway == cloud_named(cloud).words.internet


@given(scene=scenes(), width=st.sampled_from([NARROW, WIDE, 320, 719, 720]))
@settings(max_examples=150, deadline=None)
def test_nothing_overlaps_and_every_text_stays_in_its_box(scene: Scene, width: int) -> None:
    picture = draw(scene, width)
    assert picture.width == width
    assert_well_placed(picture)


@pytest.mark.parametrize("queues", [1, 2, 7, 50])
@pytest.mark.parametrize("width", [NARROW, WIDE])
def test_a_picture_holds_any_number_of_queues(queues: int, width: int) -> None:
    program = Program()
    subnets = network(program, ("use2-az1", "use2-az2", "use2-az3"))
    for index in range(queues):
        zone = f"use2-az{index % 3 + 1}"
        fleet(program, f"queue-{index}", ["hpc6a.48xlarge"], subnets, zones=[zone], placementStrategy="cluster")
    picture = draw(scene_of(program.resources, "aws", "us-east-2"), width)
    assert_well_placed(picture)
    assert sum(box.kind == "fleet" for box in every(picture.boxes)) == queues
    titles = {text.text for box in every(picture.boxes) if box.kind == "fleet" for text in box.texts}
    assert {f"queue-{index}" for index in range(queues)} <= titles


@given(scene=scenes())
@settings(max_examples=50, deadline=None)
def test_links_run_between_the_network_and_a_bucket(scene: Scene) -> None:
    picture = draw(scene, WIDE)
    services = [box for box in every(picture.boxes) if box.icon in ("bucket", "secret")]
    for link in picture.links:
        assert link.x1 == link.x2 or link.y1 == link.y2
        left, right = sorted((link.x1, link.x2))
        top, bottom = sorted((link.y1, link.y2))
        for box in services:
            crosses_wide = box.x < right and left < box.x + box.width
            crosses_high = box.y < bottom and top < box.y + box.height
            assert not (crosses_wide and crosses_high), (link, box)


def scene() -> Scene:
    return scene_of(cfd().resources, "aws", "us-east-2")


def test_the_head_node_stands_in_the_subnet_of_its_address() -> None:
    [zone] = scene().zones
    assert (zone.id, zone.public_cidr, zone.private_cidr) == ("use2-az2", "10.20.8.0/22", "10.20.64.0/19")
    [head] = [card for card in zone.public if card.kind == "head"]
    assert head.lines == ("c6i.xlarge", "10.20.8.20")
    assert head.chips == ("public address",)
    assert {card.kind for card in zone.public} == {"head", "nat", "balancer"}
    assert [card.title for card in zone.private] == ["Login nodes", "compute-queue", "gpu", "spot"]


def test_a_queue_shows_machines_counts_and_what_they_carry() -> None:
    by_title = {card.title: card for card in scene().zones[0].private}
    compute, gpu, spot = (by_title[name] for name in ("compute-queue", "gpu", "spot"))
    assert compute.lines == ("hpc6a.48xlarge", "0 to 16 nodes, 1,536 cores")
    assert compute.frame == "cluster placement group"
    assert gpu.chips == ("8 × H100", "32 × EFA, 3,200 Gb/s", "capacity block")
    assert gpu.nodes == (1, 8)
    assert spot.lines[1] == "or c6i.32xlarge"
    assert spot.chips == ("spot",)
    assert spot.frame is None


def test_a_queue_in_several_zones_spans_them() -> None:
    seen = scene_of(cfd(zones=("use2-az1", "use2-az2", "use2-az3")).resources, "aws", "us-east-2")
    assert [zone.id for zone in seen.zones] == ["use2-az1", "use2-az2", "use2-az3"]
    assert [card.title for card in seen.wide] == ["spot"]
    assert seen.wide[0].lines[-1] == "use2-az1 · use2-az2 · use2-az3"


def test_lustre_is_linked_to_its_bucket() -> None:
    seen = scene()
    [zone] = seen.zones
    home, lustre = zone.file_systems
    assert (lustre.title, home.title) == ("/fsx", "/home")
    assert seen.file_systems == ()
    assert lustre.links == ("my-hpc-data-bucket",)
    assert lustre.chips == ("retained on destroy",)
    picture = draw(seen, WIDE)
    [bucket] = [box for box in every(picture.boxes) if box.texts and box.texts[0].text == "my-hpc-data-bucket"]
    assert any(link.x2 == bucket.x and bucket.y < link.y2 < bucket.y + bucket.height for link in picture.links)


def test_what_stands_in_several_zones_says_so() -> None:
    program = Program()
    subnets = network(program, ("use2-az1", "use2-az2"))
    both = (subnets["public use2-az1"], subnets["public use2-az2"])
    program.add("aws:lb/loadBalancer:LoadBalancer", "front", None, both, loadBalancerType="network")
    fleet(program, "q", ["hpc6a.48xlarge"], subnets)
    seen = scene_of(program.resources, "aws", "us-east-2")
    one, two = seen.zones
    assert [card.title for card in one.public] == ["NAT gateway"]
    assert two.public == ()
    [balancer] = seen.across
    assert balancer.lines == ("open to the internet", "use2-az1 · use2-az2")


def test_file_systems_stand_in_their_zone_or_under_all() -> None:
    program = Program()
    subnets = network(program, ("use2-az1", "use2-az2"))
    private = (subnets["private use2-az1"], subnets["private use2-az2"])
    program.add("aws:fsx/openZfsFileSystem:OpenZfsFileSystem", "one", None, private[:1], deploymentType="SINGLE_AZ_1")
    program.add("aws:fsx/openZfsFileSystem:OpenZfsFileSystem", "both", None, private, deploymentType="MULTI_AZ_1")
    program.add("aws:efs/fileSystem:FileSystem", "regional")
    seen = scene_of(program.resources, "aws", "us-east-2")
    assert [[card.title for card in zone.file_systems] for zone in seen.zones] == [["one"], []]
    assert [card.title for card in seen.file_systems] == ["both", "regional"]


def test_a_zone_with_nothing_in_it_is_a_low_box() -> None:
    program = Program()
    subnets = network(program, ("use2-az1", "use2-az2", "use2-az3"))
    fleet(program, "q", ["hpc6a.48xlarge"], subnets)
    seen = scene_of(program.resources, "aws", "us-east-2")
    assert [zone.is_bare for zone in seen.zones] == [False, False, True]  # NAT, nodes, nothing
    boxes = {box.texts[0].text: box for box in every(draw(seen, WIDE).boxes) if box.kind == "zone"}
    assert boxes["Zone use2-az3"].y > boxes["Zone use2-az2"].y + boxes["Zone use2-az2"].height
    assert boxes["Zone use2-az3"].height < 120
    assert [text.text for text in boxes["Zone use2-az3"].texts[1:]] == [
        "public 10.20.12.0/22",
        "private 10.20.96.0/19",
    ]


def test_the_way_of_a_job_is_numbered_from_people_to_data() -> None:
    seen = scene()
    [zone] = seen.zones
    cards = [seen.users, *zone.public, *zone.private, *zone.file_systems]
    steps = {card.kind: card.step for card in cards if card}
    assert steps == {"users": 1, "balancer": 2, "login": 3, "head": 4, "fleet": 5, "lustre": 6, "nfs": 6, "nat": None}
    assert len(seen.steps) == 6
    numbers = [box.texts[0].text for box in every(draw(seen, WIDE).boxes) if box.kind == "step"]
    assert sorted(numbers) == ["1", "2", "3", "4", "5", "5", "5", "6", "6"]


def test_what_is_not_there_has_no_number() -> None:
    program = Program()
    program.add("hpc:aws:EfaComputeFleet", "q", queue="q", machines=["hpc6a.48xlarge"], max=2, zones=["use2-az2"])
    seen = scene_of(program.resources, "aws", "us-east-2")
    assert [card.step for card in seen.zones[0].private] == [1]
    assert len(seen.steps) == 1


def test_own_networks_are_not_the_internet() -> None:
    program = Program()
    network(program)
    for index, source in enumerate(("10.0.0.0/12", "10.20.0.0/16", "<unknown>", "2001:db8::/32")):
        program.add(
            "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule", f"ssh-{index}",
            fromPort=22, toPort=22, ipProtocol="tcp", cidrIpv4=source,
        )  # fmt: skip
    users = scene_of(program.resources, "aws", "us-east-2").users
    assert users is not None
    assert users.kind == "users"
    assert users.lines == ("SSH from 2001:db8::/32, 203.0.113.0/24", "and from private networks 10.0.0.0/12")


def test_nobody_comes_through_the_gateway_where_only_own_networks_may() -> None:
    program = Program()
    subnets = network(program)
    program.made = [each for each in program.made if each.inputs.get("fromPort") != 22]
    program.add(
        "aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule", "ssh",
        fromPort=22, toPort=22, ipProtocol="tcp", cidrIpv4="10.0.0.0/12",
    )  # fmt: skip
    fleet(program, "q", ["hpc6a.48xlarge"], subnets)
    seen = scene_of(program.resources, "aws", "us-east-2")
    assert seen.users is not None
    assert (seen.users.kind, seen.users.lines) == ("campus", ("SSH from 10.0.0.0/12", "via VPN or peering"))
    picture = draw(seen, WIDE)
    assert "internet gateway" not in [text.text for box in every(picture.boxes) for text in box.texts]
    [way_in] = picture.links
    [frame] = [box for box in every(picture.boxes) if box.kind == "network"]
    assert way_in.y2 == frame.y


def test_without_a_way_in_there_are_no_people() -> None:
    program = Program()
    network(program)
    program.made = [each for each in program.made if each.inputs.get("fromPort") != 22]
    seen = scene_of(program.resources, "aws", "us-east-2")
    assert seen.users is None
    assert draw(seen, WIDE).links == ()


def test_shards_of_one_data_set_are_one_card() -> None:
    program = Program()
    data = program.add("hpc:aws:ExpressDataBucket", "training")
    for index in range(8):
        program.add("aws:s3/directoryBucket:DirectoryBucket", f"training-{index}", data, bucket=f"t-{index}")
    [card] = scene_of(program.resources, "aws", "us-east-2").services
    assert (card.title, card.lines) == ("training", ("S3 Express One Zone, 8 buckets",))


def test_a_fleet_without_words_of_its_own_is_read_off_its_launch_templates() -> None:
    program = Program()
    network(program)
    group = program.add("aws:ec2/placementGroup:PlacementGroup", "pg", strategy="spread")
    made = program.add("hpc:aws:EfaComputeFleet", "q", queue="q", machines=["p5.48xlarge"], max=2, zones=["use2-az2"])
    program.add(
        "aws:ec2/launchTemplate:LaunchTemplate", "q-p5", made, (group,), instanceType="p5.48xlarge",
        instanceMarketOptions={"marketType": "capacity-block"},
        networkInterfaces=[{"interfaceType": None}, {"interfaceType": "efa-only"}],
    )  # fmt: skip
    [card] = scene_of(program.resources, "aws", "us-east-2").zones[0].private
    assert card.frame == "spread placement group"
    assert card.chips == ("8 × H100", "32 × EFA, 3,200 Gb/s", "capacity block")


def test_an_existing_network_has_zones_but_no_ranges() -> None:
    program = Program()
    program.add("hpc:aws:EfaComputeFleet", "q", queue="q", machines=["hpc6a.48xlarge"], max=2, zones=["use2-az2"])
    seen = scene_of(program.resources, "aws", "us-east-2")
    assert seen.network == "existing VPC"
    assert seen.users is None
    [zone] = seen.zones
    assert (zone.id, zone.private_cidr, [card.title for card in zone.private]) == ("use2-az2", None, ["q"])


def test_an_empty_stack_can_be_drawn() -> None:
    assert_well_placed(draw(scene_of(Program().resources, "aws", "us-east-2"), WIDE))


def test_the_picture_in_words_names_everything() -> None:
    said = describe(scene())
    for name in ("us-east-2", "10.20.0.0/16", "compute-queue", "hpc6a.48xlarge", "/fsx", "my-hpc-data-bucket"):
        assert name in said


@given(text=words, width=st.floats(20, 400), kind=st.sampled_from(sorted(SIZES)))
def test_text_is_cut_or_broken_to_its_width(text: str, width: float, kind: str) -> None:
    for line in (fit(text, width, kind), *wrap(text, width, kind)):
        assert measure(line, kind) <= width
    if measure(text, kind) <= width:
        assert fit(text, width, kind) == text
