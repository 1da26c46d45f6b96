"""Identities of nodes, users and jobs, and their roles."""
