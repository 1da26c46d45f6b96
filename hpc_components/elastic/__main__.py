from hpc_components.elastic.command import main

raise SystemExit(main())
