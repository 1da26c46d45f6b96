"""The Blob container that holds a cluster's configuration, which nodes download at boot."""
