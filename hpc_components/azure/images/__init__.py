"""Machine images of nodes, and their purchase plans."""
