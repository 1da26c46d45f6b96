"""A stand-in for a Pulumi provider plugin, which lets the real engine run without a cloud.

    python -m hpc_components.testing.provider --package aws --version 7.51.1 --state DIRECTORY

Like every plugin, it prints the port that it listens on, and serves requests until its parent process ends. The state
directory contains the resources it created and the requests it received. Tests read and control this directory
through `StandInCloud`. `Engine` installs the plugin.

The stand-in determines which changes require a replacement, invents ids and outputs that are the same on every run,
and refuses to delete resources that are in use. It doesn't validate values: only a real cloud can tell, for example,
whether an image exists or a machine type is suitable.
"""

import argparse
import os
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import grpc
from pulumi.runtime.proto.provider_pb2_grpc import add_ResourceProviderServicer_to_server

from hpc_components.testing._servicer import Provider
from hpc_components.testing.stand_in_cloud import JournalEntry, StandInCloud, Thing

__all__ = ["JournalEntry", "StandInCloud", "Thing", "main", "serve"]


def serve(provider: Provider) -> tuple[grpc.Server, int]:
    """Start a server on a free loopback port, and return the server and the port."""
    unlimited = [("grpc.max_receive_message_length", -1), ("grpc.max_send_message_length", -1)]
    server = grpc.server(ThreadPoolExecutor(max_workers=16), options=unlimited)
    add_ResourceProviderServicer_to_server(provider, server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    return server, port


def main(arguments: Sequence[str] | None = None) -> None:
    """Serve requests until the engine that started this process exits."""
    options = _parser().parse_args(arguments)
    state = options.state or Path(tempfile.mkdtemp(prefix="stand-in-"))
    server, port = serve(Provider(options.package, options.version, StandInCloud(state)))
    print(port, flush=True)
    parent = os.getppid()
    while os.getppid() == parent and server.wait_for_termination(timeout=1):
        pass
    server.stop(grace=None)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m hpc_components.testing.provider", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("engine", nargs="?", help="engine address, passed by Pulumi and ignored")
    parser.add_argument("--package", required=True, help="Pulumi package whose provider this program replaces")
    parser.add_argument("--version", required=True, help="version to report, which must be that of the installed SDK")
    parser.add_argument(
        "--state", type=Path, help="directory of the stand-in cloud (default: a new temporary directory)"
    )
    return parser


if __name__ == "__main__":
    main()
