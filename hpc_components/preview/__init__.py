"""Records a stack's program without access to a cloud, and shows what it would create, cost and need."""
