"""The cluster's network, either new or existing."""
