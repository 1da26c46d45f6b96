# Sends the records of the audit trail since the last time, and those that could not be sent then. Run by hpc-audit.service.
# shellcheck shell=bash
source common/node.sh

exec 8>/run/hpc/audit.lock
flock 8
/opt/hpc/bin/hpc-audit collect
/opt/hpc/bin/hpc-audit waiting | while read -r file; do
  send_audit "$file"
  rm "$file"
done
