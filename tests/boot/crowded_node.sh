# A login node with users alice and bob and administrator carol; alice takes what she can get.
set -u
hostname login
ip link set lo up
ip address add 10.0.0.1/24 dev lo
echo '10.0.0.1 login' >/etc/hosts
ssh-keygen -A >/dev/null
ssh-keygen -q -t ed25519 -N '' -f /root/.ssh/id_ed25519
uid=12000
for name in alice bob carol; do
  echo "$name:x:$uid:$uid::/home/$name:/bin/bash" >>/etc/passwd
  echo "$name:x:$uid:" >>/etc/group
  echo "$name:*:20000:0:99999:7:::" >>/etc/shadow
  install -d -o $uid -g $uid /home/$name /home/$name/.ssh
  install -o $uid -g $uid -m 600 /root/.ssh/id_ed25519.pub /home/$name/.ssh/authorized_keys
  uid=$((uid + 1))
done
echo 'hpc-admins:x:1999:carol' >>/etc/group
install -d -o slurm -g slurm /var/lib/slurm
head -c 1024 /dev/urandom >/etc/munge/munge.key
chown munge /etc/munge/munge.key
chmod 400 /etc/munge/munge.key
systemctl start systemd-user-sessions munge slurmctld ssh

cd /opt/hpc/config || exit
export HPC_ROLE=login HPC_CONFIG=lab HPC_REGION=us-east-2
mkdir -p /run/hpc
alice=/sys/fs/cgroup/user.slice/user-12000.slice

step() { bash -Eeuo pipefail -c 'source common/node.sh; source "$1"; "$2"' hpc-boot "$1" "$2" </dev/null || echo "FAILED $2"; }
as() { ssh -o StrictHostKeyChecking=no -o LogLevel=ERROR "${@:2}" "$1@127.0.0.1" bash -l; } # its input are commands
mkfifo /pause
exec 3<>/pause
when() { # wait until a command succeeds; to start `sleep` would take this kernel longer than to sleep
  local try
  for ((try = 0; try < 600; try++)); do
    if "$@"; then return; fi
    read -rt 0.25 -u 3
  done
  echo "NEVER: $*"
}
timed() { # <title> <user>: the commands of stdin; what they say and how long they take
  local began=$EPOCHREALTIME
  as "$2" 2>&1 | sed "s/^/$1: /"
  echo "$1: $((${EPOCHREALTIME/./} - ${began/./})) us"
}
more_than() { [[ -e $1 ]] && read -r number <"$1" && ((number > $2)); }
is() { [[ -e $1 ]] && read -r number <"$1" && [[ $number == "$2" ]]; }
taking() { echo "python3 -c 'import time; kept = b\"x\" * (96 << 20); time.sleep($1)'"; }
squeue_timed=$'began=$EPOCHREALTIME\nsqueue && echo answered\necho "squeue $((${EPOCHREALTIME/./} - ${began/./})) us"'

taking 1000 | as alice -tt >/early.out 2>&1 &
when more_than $alice/memory.current 90000000
step common/administrators.sh administrators
step common/fair_use.sh fair_use
echo "early: $(pgrep -cu alice python3) $(cat $alice/memory.max) $(cat $alice/pids.max) $(cat $alice/../memory.max)"
pkill -u alice python3
when is $alice/memory.max 67108864
echo "later: $(cat $alice/memory.max)"

{ taking 0; echo 'sleep 9; exit'; } | as alice -tt >/hog.out 2>&1
timed 'bob after the hog' bob <<<"$squeue_timed"
sed 's/^/hog: /' /hog.out

echo 'b() { b | b & }; b' | as alice -tt >/bomb.out 2>&1 &
when more_than $alice/pids.current 40
timed 'bob beside the bomb' bob <<<"$squeue_timed"
timed 'carol beside the bomb' carol <<<'sudo id -un'
when grep -q 'could not start' /bomb.out
sed 's/^/bomb: /' /bomb.out
journalctl -q -o cat -t sudo --no-pager | sed 's/^/sudo: /'
