"""Machine images for nodes, and their purchase plans."""
