"""Records a stack program without a cloud, and shows what it would make, cost and need."""
