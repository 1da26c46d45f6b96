# The cluster's buckets: what they are called, and how people and jobs may use them.
# shellcheck shell=bash

data() {
  put /etc/hpc/buckets 644 <common/buckets
  lend_bucket_access
}
