"""What a cloud's network offers by itself, and the configuration that leads hosts to it."""

import json
import time
import urllib.error
import urllib.request
from email.utils import parsedate_to_datetime
from http.server import ThreadingHTTPServer
from ipaddress import IPv4Address

import pytest

from hpc_components.azure import rehearse as azure
from hpc_components.boot.name_service import name_files
from hpc_components.elastic.drivers.contract import NoticeKind
from hpc_components.elastic.drivers.gcp.identity import Metadata
from hpc_components.elastic.drivers.gcp.notices import MetadataNotices
from hpc_components.gcp import rehearse as gcp
from hpc_components.rehearse.cluster.name_service import FORWARDER, adapt_names
from hpc_components.rehearse.cluster.network_services import network_services
from tests.rehearse.performing import described
from tests.rehearse.setups import setup_of

CLOUDS = ["aws", "azure", "gcp"]


@pytest.mark.parametrize("cloud", CLOUDS)
def test_the_services_have_addresses_outside_the_clusters_network(cloud):
    services = network_services(cloud)
    assert services.name_server in services.addresses
    assert not any(IPv4Address(address) in setup_of("aws-cfd").network for address in services.addresses)


@pytest.mark.parametrize("cloud", CLOUDS)
def test_the_forwarder_asks_the_clouds_name_server_for_other_names(cloud):
    services, generated = network_services(cloud), name_files(described("aws-cfd"))
    files, changes = adapt_names(generated, services)
    assert {change.file for change in changes} == {"names.conf"}
    forwarders = {FORWARDER, "head/names.conf"}
    for path in forwarders:
        assert f"\nserver={services.name_server}\n" in files[path]
        for change in changes:
            assert change.before in generated[path].splitlines()
            assert change.after in files[path].splitlines()
    assert {path for path in files if files[path] != generated[path]} == forwarders


@pytest.fixture
def scheduled_events(monkeypatch):
    """The services of a network of Azure, whose only machine is this one; and how it asks."""
    servers = []

    def server(address, handler):
        servers.append(ThreadingHTTPServer(("127.0.0.1", 0), handler))
        return servers[0]

    monkeypatch.setattr(azure, "_Server", server)
    services = network_services("azure")
    services.serve()

    def ask(path, **headers):
        url = f"http://127.0.0.1:{servers[0].server_port}/metadata/{path}"
        with urllib.request.urlopen(urllib.request.Request(url, headers=headers)) as reply:
            return json.loads(reply.read())

    yield services, ask
    servers[0].shutdown()
    servers[0].server_close()


def test_a_machine_of_azure_learns_of_its_end_and_of_others(scheduled_events):
    """Azure tells all machines of a scale set; each looks for its own name."""
    services, ask = scheduled_events
    services.add("127.0.0.1", "vm-7")
    services.add("10.20.0.8", "vm-8")
    assert ask("instance?api-version=2021-02-01", Metadata="true")["compute"]["vmId"] == "vm-7"
    events = "scheduledevents?api-version=2020-07-01"
    assert ask(events, Metadata="true") == {"DocumentIncarnation": 0, "Events": []}
    services.give_notice("10.20.0.8", 30)
    services.give_notice("127.0.0.1", 30)
    told = ask(events, Metadata="true")
    assert told["DocumentIncarnation"] == 2
    assert [(each["EventType"], each["Resources"]) for each in told["Events"]] == [
        ("Preempt", ["vm-8"]),
        ("Preempt", ["vm-7"]),
    ]
    for each in told["Events"]:
        assert 20 < parsedate_to_datetime(each["NotBefore"]).timestamp() - time.time() <= 30
    with pytest.raises(urllib.error.HTTPError, match="400"):
        ask(events)


def test_a_machine_of_google_cloud_learns_of_its_own_end(monkeypatch):
    """As the node's watcher asks for it; the end of another is not told."""
    servers = []

    def server(address, handler):
        servers.append(ThreadingHTTPServer(("127.0.0.1", 0), handler))
        return servers[0]

    monkeypatch.setattr(gcp, "_Server", server)
    services = network_services("gcp")
    services.serve()
    try:
        url = f"http://127.0.0.1:{servers[0].server_port}"
        notices = MetadataNotices(Metadata(url))
        services.add("127.0.0.1", "vm-7")
        services.add("10.20.0.8", "vm-8")
        services.give_notice("10.20.0.8", 30)
        assert list(notices.read()) == []
        services.give_notice("127.0.0.1", 30)
        assert [notice.kind for notice in notices.read()] == [NoticeKind.SPOT]
        with pytest.raises(urllib.error.HTTPError, match="403"):
            urllib.request.urlopen(f"{url}/computeMetadata/v1/instance/preempted")
    finally:
        servers[0].shutdown()
        servers[0].server_close()
