"""Links between Lustre directories and buckets. In FSx, a link is called a data repository association."""
