"""Shows which public images there are, and which image the nodes of a cluster boot from."""
