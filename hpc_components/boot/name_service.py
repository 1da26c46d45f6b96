"""Configures how nodes find each other by name: a name server on the head node, and a forwarder on every node.

The name server (dnsmasq) serves only the cluster's own domain: the head node, the nodes in the elastic daemon's table
(see `elastic.slurm.name_table`), and login nodes, whose names contain their addresses. The name server does not
forward queries.

The forwarder (also dnsmasq) keeps all other lookups away from the head node. systemd-resolved sends every query to
every "global" server, in addition to the network's servers. Therefore, the forwarder immediately replies that names
outside the cluster's domain are unknown. Because the forwarder's port is not 53, resolved omits the forwarder from
the list of servers that some programs (in containers, for example) query directly. Source:
systemd-resolved.service(8), "Protocols and routing"; resolved source code, resolved-resolv-conf.c.
"""

from hpc_components.spec.addresses import head_address, network_range
from hpc_components.spec.cluster import ClusterSpec

FORWARDER_PORT = 10053
"""Port of a node's forwarder on 127.0.0.1."""

LIFETIME = 2
"""Time to live of DNS responses, in seconds. It is short because a node gets a new address at every launch."""

TABLE = "/var/lib/hpc/names"
"""Directory on the head node that contains the table of registered nodes."""

OFF_TABLE = "/var/lib/hpc/names-off"
"""Directory that contains the table of powered-off nodes. Only the head node's own forwarder reads it."""

_SERVER = """\
# The names of this cluster, for its nodes. Queries for other names are not forwarded.
listen-address={head}
bind-interfaces
no-resolv
no-hosts
pid-file=
log-facility=-
cache-size=0
domain={domain}
local=/{domain}/
expand-hosts
hostsdir={table}
host-record=head.{domain},{head}
# login-10-20-0-7: a login node, which Slurm does not know
synth-domain={domain},{network},login-
local-ttl={lifetime}
"""

_FORWARDER = """\
# Asks the head node for the names of this cluster. All other names belong to the network's servers.
port={port}
listen-address=127.0.0.1
bind-interfaces
no-resolv
no-hosts
pid-file=
log-facility=-
server=/{domain}/{head}
address=/#/
cache-size=10000
dns-forward-max=2000
# retry after 200 ms, for 8 s: queries may be lost when many ranks look each other up at once
fast-dns-retry=200,8000
"""

_FORWARDER_OF_HEAD = """\
# Nodes that are off: slurmctld looks up their names, and hangs for 10 s if one is unknown. The address that
# they have here is unreachable, and connecting to it fails at once.
hostsdir={off_table}
expand-hosts
domain={domain}
"""

_RESOLVED = """\
# The names of this cluster come from the forwarder (/etc/hpc/names.conf), and need no suffix: debug-1 is
# debug-1.{domain}. All other names come from the network's servers, as before.
[Resolve]
DNS=127.0.0.1:{port}
Domains={domain}
# otherwise an unknown name is asked for by multicast, which takes seconds
LLMNR=no
MulticastDNS=no
# while the head node is down, use earlier answers (systemd 254 or newer)
CacheFromLocalhost=yes
StaleRetentionSec=1d
"""


def domain_of(cluster: ClusterSpec) -> str:
    """Return the domain of the cluster's nodes. `internal` is reserved for private use (ICANN, 2024-07-29)."""
    return f"{cluster.name.lower()}.hpc.internal"


def name_files(cluster: ClusterSpec) -> dict[str, str]:
    """Return the configuration files of the name server, the forwarder and resolved, as a mapping from path in the
    config bucket to text.
    """
    facts = {
        "head": head_address(cluster),
        "domain": domain_of(cluster),
        "network": network_range(cluster),
        "table": TABLE,
        "off_table": OFF_TABLE,
        "port": FORWARDER_PORT,
        "lifetime": LIFETIME,
    }
    texts = {
        "head/name-server.conf": _SERVER,
        "common/names.conf": _FORWARDER,
        "head/names.conf": _FORWARDER + _FORWARDER_OF_HEAD,
        "common/resolved.conf": _RESOLVED,
    }
    return {path: text.format(**facts) for path, text in texts.items()}
