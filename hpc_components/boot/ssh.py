"""Configures SSH between the nodes of a cluster: users neither confirm host keys nor bring a key of their own.

Each node has a host certificate, signed by an authority whose key all nodes derive from the munge key
(scripts/common/host_authority.py). Clients recognize nodes by these certificates. Compute nodes admit users of other
nodes by these certificates too (host-based login), or by keys that the head node makes for the people of the
description. PAM then refuses users without a job on that node.

A certificate contains the address of its node, and sshd compares it with the address of the connection. So reverse
lookups don't matter, and running nodes admit users of nodes that are added later.
"""

from collections.abc import Iterator
from ipaddress import IPv4Network

from hpc_components.boot.name_service import domain_of
from hpc_components.people.node.personal_keys import KEY, PUBLIC_KEY
from hpc_components.spec.addresses import network_range
from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.people import People, SshBetweenNodes

_CLIENT = """\
# Nodes of this cluster are recognized by their host certificates; /etc/ssh/ssh_known_hosts2 has the authority's key.
"""

_CERTIFIED = """\
  StrictHostKeyChecking yes
  UserKnownHostsFile /dev/null
"""

_HOST_BASED = """\
  HostbasedAuthentication yes
  HostbasedAcceptedAlgorithms ssh-ed25519-cert-v01@openssh.com
"""
"""One algorithm, because every attempt counts towards MaxAuthTries of the server. Source: sshd_config(5)."""

_IDENTITIES = f"""\
  IdentityFile ~/{KEY}
  IdentityFile ~/.ssh/id_ed25519
  IdentityFile ~/.ssh/id_ecdsa
  IdentityFile ~/.ssh/id_rsa
"""
"""ssh's default keys no longer count when a file is named. Source: ssh_config(5)."""

_SERVER = {
    "host_based": """\
# Users of other nodes are admitted by the host certificate of the node that they come from. PAM then refuses users
# without a job here. Without UseDNS and HostbasedUsesNameFromPacketOnly, sshd looks for the connection's address in
# the certificate.
UseDNS no
IgnoreUserKnownHosts yes
""",
    "personal_keys": """\
# Users of other nodes are admitted by keys that the head node makes. PAM then refuses users without a job here.
HostbasedAuthentication no
""",
}

_PENALTIES = """\
# People share the addresses of login nodes: failed logins of one person must not keep the others out.
PerSourcePenaltyExemptList 127.0.0.0/8,::1,{network}
"""
"""From OpenSSH 9.8, a few failed logins within seconds make sshd refuse an address for 15 s to 10 minutes. Source:
sshd_config(5), PerSourcePenalties. Session Manager comes from the machine itself."""

_CHECKS = """\
  HostbasedUsesNameFromPacketOnly no
  IgnoreRhosts yes
"""

_KEY_FILES = f"""\
  AuthorizedKeysFile .ssh/authorized_keys .ssh/authorized_keys2 /etc/hpc/keys/%u {PUBLIC_KEY}
"""


def ssh_between_nodes(cluster: ClusterSpec) -> SshBetweenNodes:
    """Return how compute nodes recognize users who come from another node."""
    return (cluster.people or People()).ssh_between_nodes


def ssh_files(cluster: ClusterSpec) -> dict[str, str]:
    """Return the configuration files of ssh and sshd, as a mapping from path in the config bucket to text.

    The lines of `common/ssh_known_hosts` lack the authority's key, which only nodes know.
    """
    network = network_range(cluster)
    short = ",".join(["head", "login-*", *(f"{queue.name}-*" for queue in cluster.queues), "!*.*"])
    full = f"*.{domain_of(cluster)}"
    authority_of = (short, ",".join([full, *_address_patterns(network)]))
    return {
        "common/ssh.conf": _client(cluster, short, full),
        "common/ssh_known_hosts": "".join(f"@cert-authority {names}\n" for names in authority_of),
        "common/sshd_penalties.conf": _PENALTIES.format(network=network),
        "compute/sshd.conf": _server(cluster, network),
    }


# Users' keys count in both ways of login, because compute nodes keep the way that they booted with: after a change,
# users still reach the nodes of running jobs.


def _client(cluster: ClusterSpec, *names: str) -> str:
    host_based = ssh_between_nodes(cluster) == "host_based"
    settings = _CERTIFIED + (_HOST_BASED if host_based else "") + (_IDENTITIES if cluster.people else "")
    blocks = (f"Match host {each}\n{settings}" for each in names)
    return _CLIENT + ("EnableSSHKeysign yes\n" if host_based else "") + "".join(blocks)


def _server(cluster: ClusterSpec, network: IPv4Network) -> str:
    way = ssh_between_nodes(cluster)
    settings = (_HOST_BASED + _CHECKS if way == "host_based" else "") + (_KEY_FILES if cluster.people else "")
    return f"{_SERVER[way]}Match Address {network}\n{settings}"


def _address_patterns(network: IPv4Network) -> Iterator[str]:
    """Yield patterns that together match all addresses of `network`: `10.20.*` for 10.20.0.0/16."""
    octets = -(-network.prefixlen // 8)
    for part in network.subnets(new_prefix=8 * octets):
        known = str(part.network_address).split(".")[:octets]
        yield ".".join(known if octets == 4 else [*known, "*"])
