"""Rules for clusters on Azure."""
