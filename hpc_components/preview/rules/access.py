from collections.abc import Iterator

from hpc_components.preview.clouds import reader_of_type
from hpc_components.preview.resource_finding import ResourceFinding
from hpc_components.preview.resources import Resource
from hpc_components.spec.findings import Level
from hpc_components.spec.plan_rule import resource_rule

_SSH = 22
_INSIDE = {
    111: "NFS",
    988: "Lustre",
    2049: "NFS",
    3306: "the accounting database",
    6817: "slurmctld",
    6818: "slurmd",
    6819: "slurmdbd",
    6820: "slurmrestd",
}
"""Maps ports to the services that listen on them. Source: Slurm documentation, "Network Configuration Guide"; RFC
7530 3.1 (NFS); Lustre Operations Manual (988); IANA port registry."""


@resource_rule("HPC-PLN-001", Level.WARNING, said_by="HPC-NET-004")
def ssh_from_everywhere(resource: Resource) -> Iterator[ResourceFinding]:
    """Network rules must not open port 22 to the whole internet.

    Bots that guess passwords find any public address within minutes. This rule checks all network rules in the stack,
    whichever component or code creates them.

    Source: Center for Internet Security, benchmarks for each cloud, "no ingress from 0.0.0.0/0 to remote server
    administration ports".
    """
    for rule in reader_of_type(resource.type).ingress(resource):
        if rule.admits(_SSH) and rule.world:
            yield ResourceFinding(
                resource=resource,
                path=rule.path,
                value=", ".join(rule.world),
                reason=f"port 22 is open to {', '.join(rule.world)}",
                remedy="allow only your site's address ranges, or use the cloud's shell service, which needs no "
                "open port",
            )


@resource_rule("HPC-PLN-002", Level.ERROR)
def services_from_everywhere(resource: Resource) -> Iterator[ResourceFinding]:
    """A cluster's services (Slurm, NFS, Lustre, accounting database) must not be reachable from the internet.

    NFS and Lustre trust the user id that a client sends, so anyone who can reach these services can read and change
    all files. Source: RFC 7530, "Security Considerations" (AUTH_SYS); Lustre Operations Manual, "Managing Security";
    Slurm documentation, "Authentication Plugins".
    """
    for rule in reader_of_type(resource.type).ingress(resource):
        open_ports = [port for port in _INSIDE if rule.admits(port)]
        if rule.world and open_ports:
            services = ", ".join(dict.fromkeys(_INSIDE[port] for port in open_ports))
            yield ResourceFinding(
                resource=resource,
                path=rule.path,
                value=", ".join(rule.world),
                reason=f"{services} can be reached from the whole internet ({', '.join(rule.world)})",
                remedy="allow access only from the cluster's own network, and only to the required ports",
            )


@resource_rule("HPC-PLN-003", Level.WARNING)
def wildcard_permissions(resource: Resource) -> Iterator[ResourceFinding]:
    """Permissions must list the allowed actions instead of using wildcards.

    A job that breaks out of its user account gains its machine's permissions, and a wildcard permits more with every
    action that the cloud adds. Source: NIST SP 800-53, AC-6, "Least privilege"; the clouds' own permission guides.
    """
    for action in reader_of_type(resource.type).wildcard_actions(resource):
        yield ResourceFinding(
            resource=resource,
            path="",
            value=action,
            reason=f"it allows {action}",
            remedy="list only the required actions",
        )
