# The maximum size of each user's files on the file system of /home, which is Lustre.
# shellcheck shell=bash

QUOTA_SET=/var/lib/hpc/home_quota # on the state volume, because a new head node must know that there was one

# It is Lustre's default for users: it holds for new users too, not for root, and not for those to whom an administrator
# gives a quota of their own. Source: lfs-setquota(1), Lustre 2.12 and newer
home_quota() {
  if [[ -e head/home_quota ]]; then
    touch $QUOTA_SET
    lfs setquota -U -b 0 -B "$(<head/home_quota)" -i 0 -I 0 /home >/dev/null
  elif [[ -e $QUOTA_SET ]]; then
    lfs setquota -U -b 0 -B 0 -i 0 -I 0 /home >/dev/null
    rm $QUOTA_SET
  fi
}
