"""The program `hpc-audit`: reads a node's audit trail, and keeps what is to be sent to the cloud's log service."""
