"""Which quotas a plan needs."""

from typing import Any

from preview_sample import Program, cfd, fleet, network

from hpc_components.preview.quota import quotas_of


def quotas(program: Program) -> dict[str, dict[str, Any]]:
    return {each["name"]: each for each in quotas_of(program.resources, "aws", "us-east-2")}


def test_vcpus_count_by_class_and_purchase() -> None:
    found = quotas(cfd())
    hpc = found["Running On-Demand HPC instances"]
    assert (hpc["need"], hpc["default"], hpc["ask"], hpc["code"]) == (16 * 96, 0, True, "L-F7808C92")
    spot = found["All Standard (A, C, D, H, I, M, R, T, Z) Spot Instance Requests"]
    assert (spot["need"], spot["code"]) == (200 * 192, "L-34B43A08")
    standard = found["Running On-Demand Standard (A, C, D, H, I, M, R, T, Z) instances"]
    assert standard["need"] == 4 + 4 * 2  # head node and login nodes
    assert [part["need"] for part in standard["for"]] == [8, 4]


def test_a_capacity_block_counts_as_on_demand() -> None:
    assert quotas(cfd())["Running On-Demand P instances"]["need"] == 8 * 192


def test_machines_that_stand_in_for_one_another_count_once() -> None:
    program = Program()
    machines = ["c6i.32xlarge", "c7i.48xlarge", "hpc6a.48xlarge"]
    fleet(program, "flex", machines, network(program), max=10, efa=False)
    found = quotas(program)
    assert found["Running On-Demand Standard (A, C, D, H, I, M, R, T, Z) instances"]["need"] == 10 * 192
    assert found["Running On-Demand HPC instances"]["need"] == 10 * 96  # another class: both must be there


def test_queues_of_one_class_add_up() -> None:
    program = Program()
    subnets = network(program)
    for name, most in (("a", 3), ("b", 5)):
        fleet(program, name, ["hpc6a.48xlarge"], subnets, max=most)
    assert quotas(program)["Running On-Demand HPC instances"]["need"] == 8 * 96


def test_interfaces_count_those_of_the_fabric() -> None:
    program = Program()
    fleet(program, "gpu", ["p5.48xlarge"], network(program), max=3)
    assert quotas(program)["Network interfaces per Region"]["need"] == 3 * 33  # one plain, 32 EFA


def test_network_and_storage_against_their_defaults() -> None:
    found = quotas(cfd())
    assert (found["EC2-VPC Elastic IPs"]["need"], found["EC2-VPC Elastic IPs"]["ask"]) == (2, False)
    assert found["VPCs per Region"]["need"] == 1
    assert found["Network Load Balancers per Region"]["need"] == 1
    assert found["Lustre Scratch storage capacity"]["need"] == 1200
    # root disks: (1 head + 4 login + 16 + 200 + 8) x 64 GiB, and 64 GiB of state
    assert found["Storage for General Purpose SSD (gp3) volumes, in TiB"]["need"] == 14.37


def test_those_to_ask_for_come_first_and_the_order_is_fixed() -> None:
    found = quotas_of(cfd().resources, "aws", "us-east-2")
    asked = [each["ask"] for each in found]
    assert asked == sorted(asked, reverse=True)
    assert found == quotas_of(cfd().resources, "aws", "us-east-2")
    assert all(each["source"] and each["as_of"] for each in found)


def test_six_addresses_are_one_too_many() -> None:
    program = Program()
    for index in range(6):
        program.add("aws:ec2/eip:Eip", f"address-{index}")
    assert quotas(program)["EC2-VPC Elastic IPs"]["ask"]
