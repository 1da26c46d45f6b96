"""The cluster's network, either created for it or an existing one."""
