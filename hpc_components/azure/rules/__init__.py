"""Rules that hold on Azure."""
