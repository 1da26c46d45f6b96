"""Metrics, alerts and dashboards of a cluster: the files for Prometheus and Alertmanager on its head node."""
