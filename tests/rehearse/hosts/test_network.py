"""The network of the hosts."""

import os
import re
from ipaddress import IPv4Network
from pathlib import Path

import pytest

from hpc_components.rehearse.hosts.host import Host, Site
from tests.namespaces import namespaces


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root for namespaces")
def test_services_keep_their_address_when_other_hosts_boot_and_end() -> None:
    """Otherwise a host loses what it sends to them until its kernel asks again, ten seconds later."""
    with namespaces() as inside:
        site = Site(network=IPv4Network("10.0.0.0/8"), lower=Path("/"), cgroup="", inside=inside)
        site.open()
        first = site.boot("head", site.network[5])
        before = _bridge_as_seen_by(first, site)
        others = [site.boot(f"n-{number}", site.network[10 + number]) for number in range(8)]
        after = _bridge_as_seen_by(first, site)
        for host in [*others, first]:
            host.kill()
    assert before == after


def _bridge_as_seen_by(host: Host, site: Site) -> str:
    host.run("ip", "neigh", "flush", "all")
    bridge = str(site.network[1])
    host.run("bash", "-c", f"echo >/dev/udp/{bridge}/9; until ip neigh show {bridge} | grep -q lladdr; do :; done")
    (found,) = re.findall(r"lladdr (\S+)", host.run("ip", "neigh", "show", bridge))
    return found
