"""Machine images for nodes."""
