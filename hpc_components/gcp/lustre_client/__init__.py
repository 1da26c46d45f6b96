"""Google's Lustre client on nodes."""
