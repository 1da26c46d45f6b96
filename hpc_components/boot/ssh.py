"""Configures SSH between the nodes of a cluster: users neither confirm host keys nor need a key of their own.

Each node has a host certificate, signed by an authority whose key all nodes derive from the munge key
(scripts/common/host_authority.py). Clients recognize nodes by these certificates, and compute nodes admit users of
other nodes by them (host-based login). PAM then refuses users without a job on that node.

A certificate contains the address of its node, and sshd compares it with the address of the connection. So reverse
lookups don't matter, and running nodes admit users of nodes that are added later.
"""

from collections.abc import Iterator
from ipaddress import IPv4Network

from hpc_components.boot.name_service import domain_of
from hpc_components.spec.addresses import network_range
from hpc_components.spec.cluster import ClusterSpec

_CERTIFICATE = "ssh-ed25519-cert-v01@openssh.com"

_NODES = """\
Match host {names}
  StrictHostKeyChecking yes
  UserKnownHostsFile /dev/null
  HostbasedAuthentication yes
  HostbasedAcceptedAlgorithms {certificate}
"""
"""One algorithm, because every attempt counts towards MaxAuthTries of the server. Source: sshd_config(5)."""

_CLIENT = """\
# Nodes of this cluster are recognized by their host certificates; /etc/ssh/ssh_known_hosts2 has the authority's key.
EnableSSHKeysign yes
"""

_SERVER = """\
# Users of other nodes are admitted by the host certificate of the node that they come from. PAM then refuses users
# without a job here. Without UseDNS and HostbasedUsesNameFromPacketOnly, sshd looks for the connection's address in
# the certificate.
UseDNS no
IgnoreUserKnownHosts yes
Match Address {network}
  HostbasedAuthentication yes
  HostbasedAcceptedAlgorithms {certificate}
  HostbasedUsesNameFromPacketOnly no
  IgnoreRhosts yes
"""


def ssh_files(cluster: ClusterSpec) -> dict[str, str]:
    """Return the configuration files of ssh and sshd, as a mapping from path in the config bucket to text.

    The lines of `common/ssh_known_hosts` lack the authority's key, which only nodes know.
    """
    network = network_range(cluster)
    short = ",".join(["head", "login-*", *(f"{queue.name}-*" for queue in cluster.queues), "!*.*"])
    full = f"*.{domain_of(cluster)}"
    blocks = [_NODES.format(names=names, certificate=_CERTIFICATE) for names in (short, full)]
    authority_of = (short, ",".join([full, *_address_patterns(network)]))
    return {
        "common/ssh.conf": _CLIENT + "".join(blocks),
        "common/ssh_known_hosts": "".join(f"@cert-authority {names}\n" for names in authority_of),
        "compute/sshd.conf": _SERVER.format(network=network, certificate=_CERTIFICATE),
    }


def _address_patterns(network: IPv4Network) -> Iterator[str]:
    """Yield patterns that together match all addresses of `network`: `10.20.*` for 10.20.0.0/16."""
    octets = -(-network.prefixlen // 8)
    for part in network.subnets(new_prefix=8 * octets):
        known = str(part.network_address).split(".")[:octets]
        yield ".".join(known if octets == 4 else [*known, "*"])
