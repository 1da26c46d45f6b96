"""What a cloud's network offers by itself, and the configuration that leads hosts to it."""

from ipaddress import IPv4Address

import pytest

from hpc_components.boot.name_service import name_files
from hpc_components.rehearse.cluster.name_service import FORWARDER, adapt_names
from hpc_components.rehearse.cluster.network_services import network_services
from tests.rehearse.performing import described
from tests.rehearse.setups import setup_of

CLOUDS = ["aws"]


@pytest.mark.parametrize("cloud", CLOUDS)
def test_the_services_have_addresses_outside_the_clusters_network(cloud):
    services = network_services(cloud)
    assert services.name_server in services.addresses
    assert not any(IPv4Address(address) in setup_of("aws-cfd").network for address in services.addresses)


@pytest.mark.parametrize("cloud", CLOUDS)
def test_the_forwarder_asks_the_clouds_name_server_for_other_names(cloud):
    services, generated = network_services(cloud), name_files(described("aws-cfd"))
    files, changes = adapt_names(generated, services)
    assert f"\nserver={services.name_server}\n" in files[FORWARDER]
    assert {change.file for change in changes} == {"names.conf"}
    for change in changes:
        assert change.before in generated[FORWARDER].splitlines()
        assert change.after in files[FORWARDER].splitlines()
    assert {path for path in files if files[path] != generated[path]} == {FORWARDER}
