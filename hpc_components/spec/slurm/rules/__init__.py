"""Rules on Slurm's settings, accounts and limits. One module per topic; each registers its rules when imported."""
