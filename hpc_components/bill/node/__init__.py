"""The program `hpc-bill`, which tells people on head and login nodes what their jobs may cost."""
