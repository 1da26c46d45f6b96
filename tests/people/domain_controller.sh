# A domain controller of Active Directory (Samba's), in namespaces that hold nothing else: domain_controller.sh
# <empty directory>. Prints `ready` and the domain's security identifier, and runs until it is killed.
# shellcheck shell=bash
set -euo pipefail
mount --make-rprivate /
mount -t tmpfs tmpfs "$1" # it keeps access rights in extended attributes, which not every file system has
mount -t proc proc /proc
ip link set lo up
echo "127.0.0.1 localhost dc.example.org dc" >"$1/hosts"
mount --bind "$1/hosts" /etc/hosts
dc=$1/dc
conf=$dc/etc/smb.conf

provision=(--server-role=dc --use-rfc2307 --realm=EXAMPLE.ORG --domain=EX --adminpass='Passw0rd-x' --dns-backend=NONE
  --host-name=dc --host-ip=127.0.0.1 --option=interfaces=lo "--option=bind interfaces only=yes")
samba-tool domain provision "${provision[@]}" --targetdir="$dc" >&2
tool() { samba-tool "$@" -s "$conf" -H "$dc/private/sam.ldb" >&2; }
tool user create ada 'Passw0rd-a' --given-name=Ada --surname=Lovelace --uid-number=3001 --gid-number=5000
tool user create Ben.Bo 'Passw0rd-b' --uid-number=3002 --gid-number=5000
tool user create eva 'Passw0rd-e' --uid-number=3003 --gid-number=5000
tool user create hpc 'Passw0rd-h'
tool group add cfd --gid-number=5001 --nis-domain=ex
tool group add 'HPC Admins'
tool group addmembers cfd ada,Ben.Bo,eva
tool group addmembers 'HPC Admins' Ben.Bo
tool user disable eva
# without winbindd, whose program is in a package of its own: samba ends if it can't be started
samba -i -s "$conf" --debug-stdout --option="server services=ldap, kdc, rpc, cldap" >&2 &
for _ in {1..120}; do
  if (: </dev/tcp/127.0.0.1/636) 2>/dev/null; then break; fi
  sleep 0.5
done
echo "ready $(ldbsearch -H "$dc/private/sam.ldb" -s base objectSid 2>/dev/null | sed -n 's/^objectSid: //p')"
wait
