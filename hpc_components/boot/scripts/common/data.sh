# The cluster's buckets: their names, and access for users and jobs.
# shellcheck shell=bash

data() {
  put /etc/hpc/buckets 644 <common/buckets
  lend_bucket_access
}
