"""The driver of a rehearsal: its machines are hosts on this machine."""
