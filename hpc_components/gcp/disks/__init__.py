"""Creates and checks nodes' disks, which are Persistent Disks or Hyperdisks."""
