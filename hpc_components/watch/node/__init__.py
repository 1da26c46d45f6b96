"""The program `hpc-metrics`, which writes what node_exporter lacks to a file that it reads (textfile collector)."""
