"""Lists the systems that Google's Lustre client supports, and checks that nodes can use it."""
