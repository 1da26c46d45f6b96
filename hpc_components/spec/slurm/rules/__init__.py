"""Rules for Slurm's settings, accounts and limits. Each module covers one topic and registers its rules on import."""
