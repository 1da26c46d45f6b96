"""The Blob container with a cluster's configuration, which nodes download at boot."""
