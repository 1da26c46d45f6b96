"""The files by which nodes find EESSI: those of CernVM-FS's client, and those of the proxy on the head node."""

import shlex
from collections.abc import Mapping
from urllib.parse import urlsplit

from hpc_components.catalog.eessi import (
    cvmfs_release_package,
    eessi_key,
    eessi_servers,
)
from hpc_components.spec.addresses import head_address, network_range
from hpc_components.spec.cluster import ClusterSpec
from hpc_components.spec.software import Eessi

PROXY_PORT = 6828
"""Port of the proxy on the head node. Networks admit nodes to the head node's ports 6817 to 6829; Slurm's daemons use
the first four."""

# Source: cvmfs/doc-cvmfs, cpt-squid.rst. Destinations are limited, so that the proxy is not a way out of the network
_SQUID = """\
http_port {port}
acl cluster src {network}
acl servers dstdomain {hosts}
acl reads method GET HEAD
acl contents urlpath_regex ^/cvmfs/
http_access deny !servers
http_access deny !reads
http_access deny !contents
http_access allow cluster
http_access allow localhost
http_access deny all
minimum_expiry_time 0
maximum_object_size 1024 MB
maximum_object_size_in_memory 128 KB
cache_mem 256 MB
cache_dir ufs /var/spool/squid {mib} 16 256
collapsed_forwarding on
"""


def eessi_files(cluster: ClusterSpec, eessi: Eessi) -> dict[str, str]:
    """Return the files for the config bucket, as a mapping from path to text."""
    proxy = f"http://{head_address(cluster)}:{PROXY_PORT}"
    facts = {
        "VERSION": eessi.loaded,
        "CACHE_MIB": _mib(eessi),
        "PROXY": f"{proxy};DIRECT" if nodes_reach_internet(cluster) else proxy,
    }
    servers = ";".join(eessi_servers())
    hosts = " ".join(sorted({str(urlsplit(url).hostname) for url in eessi_servers()}))
    return {
        "common/eessi/facts.env": release_fact(cluster) + _env(facts),
        "common/eessi/eessi.io.pub": eessi_key(),
        "common/eessi/eessi.io.conf": f'CVMFS_SERVER_URL="{servers}"\n'
        'CVMFS_KEYS_DIR="/etc/cvmfs/keys/eessi.io"\nCVMFS_USE_GEOAPI=yes\n',
        "head/squid.conf": _SQUID.format(
            port=PROXY_PORT, network=network_range(cluster), hosts=hosts, mib=_mib(eessi)
        ),
    }


def release_fact(cluster: ClusterSpec) -> str:
    """Return the fact that the installation of the client needs, as a line of shell."""
    return _env({"RELEASE_PACKAGE": cvmfs_release_package(cluster.os) or ""})


def _env(facts: Mapping[str, object]) -> str:
    return "".join(f"EESSI_{key}={shlex.quote(str(value))}\n" for key, value in facts.items())


def nodes_reach_internet(cluster: ClusterSpec) -> bool:
    """Return whether compute nodes reach the internet by themselves. In an existing network, they are taken to."""
    return cluster.network.cidr is None or cluster.network.nat != "none"


def _mib(eessi: Eessi) -> int:
    return eessi.cache.bytes // 2**20
