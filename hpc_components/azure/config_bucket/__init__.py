"""The Blob container for a cluster's configuration, which nodes download at boot."""
