"""The bucket that holds a cluster's configuration, which nodes download at boot."""
