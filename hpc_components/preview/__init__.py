"""Records a stack's program without cloud access, and shows what the stack would create, cost and need."""
