"""Links between Lustre directories and buckets, which FSx calls data repository associations."""
