"""Rules of clusters on Azure."""
