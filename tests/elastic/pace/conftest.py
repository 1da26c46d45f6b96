"""The fixtures of an emulated EC2 behind HTTP."""

from elastic.drivers.conftest import _server, client, clock, credentials, ec2, server

__all__ = ["_server", "client", "clock", "credentials", "ec2", "server"]
