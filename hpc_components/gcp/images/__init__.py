"""Machine images of nodes."""
