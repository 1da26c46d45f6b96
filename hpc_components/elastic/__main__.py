"""Runs `hpc-elastic` as `python -m hpc_components.elastic`."""

from hpc_components.elastic.command import main

raise SystemExit(main())
