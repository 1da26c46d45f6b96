"""Creates and checks node disks (Persistent Disks and Hyperdisks)."""
