from collections.abc import Mapping
from typing import Any

from hpc_components.spec.monitoring import TOKEN_FILE, Monitoring, RemoteWrite


class AzureRemoteWrite(RemoteWrite):
    """An Azure Monitor workspace, to which the head node sends metrics as well. The service bills by sample."""

    workspace: str | None = None
    """Id of an existing Azure Monitor workspace, `/subscriptions/.../providers/Microsoft.Monitor/accounts/<name>`, in
    any region. Default: the stack makes one, which is protected unless `throw_away` is set."""

    def login(self) -> Mapping[str, Any]:
        """Return the file with a token of the head node's identity, which every release reads again for each request.

        Prometheus could request tokens by itself (`azuread`) from 2.45 on, but Debian 12 has 2.42, and a
        patch in the package of Ubuntu 24.04 drops the transport that adds them (Disable-OpenTelemetry, removed in
        2.45.6+ds-1). Sources: Prometheus, CHANGELOG.md, 2.45.0; prometheus/common, config/http_config.go,
        authorizationCredentialsRoundTripper; changelog of Debian's package.
        """
        return {"authorization": {"credentials_file": TOKEN_FILE}}


class AzureMonitoring(Monitoring):
    """Metrics of the cluster, which Prometheus keeps on the head node, and alerts."""

    remote_write: AzureRemoteWrite | None = None
    """An Azure Monitor workspace, to which metrics are sent as well. Default: metrics stay on the head node."""
