"""`python -m hpc_components.elastic`, the same as `hpc-elastic`."""

from hpc_components.elastic.command import main

raise SystemExit(main())
