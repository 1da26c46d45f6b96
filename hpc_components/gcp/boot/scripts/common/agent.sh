# Google's guest agent: it stays, because it gives further network cards their addresses and the administrator an
# account, but it changes nothing that is the cluster's.
# shellcheck shell=bash

adapt_agent() {
  keep_host_name
  agent_settings
  administrators_of_agent
  # of the head node from which somebody has made the image
  systemctl disable -q hpc-reap.service hpc-import.service hpc-export.timer 2>/dev/null || true
}

# Google's hooks of the DHCP clients give a machine its name in Google Cloud at each renewal of its address, and write
# it into /etc/hosts. Source: guest-configs, google_set_hostname
keep_host_name() {
  local program=/usr/bin/google_set_hostname
  stands_aside $program google
  put $program 755 <<'END'
#!/bin/sh
# The name is the node's: hpc-boot keeps it.
END
}

# Host keys are those of the cluster. Administrators may log in to nodes without a job.
# Source: guest-agent, README, "Configuration"; its default groups are those of the agent's own source
agent_settings() {
  local file=/etc/default/instance_configs.cfg unit
  python3 - "$ADMINISTRATORS" <<'END' | put $file 644
import configparser, sys
read = configparser.ConfigParser(interpolation=None)
read.optionxform = str
read["Accounts"] = {"groups": "adm,dip,docker,lxd,plugdev,video"}
read.read(["/etc/default/instance_configs.cfg.distro", "/etc/default/instance_configs.cfg"])
groups = read["Accounts"]["groups"].split(",")
read["Accounts"]["groups"] = ",".join(groups if sys.argv[1] in groups else [*groups, sys.argv[1]])
read.read_dict({"InstanceSetup": {"set_host_keys": "false"}})
read.write(sys.stdout)
END
  for unit in google-guest-agent google-guest-agent-manager; do
    if systemctl is-active -q $unit; then systemctl restart $unit; fi
  done
}

administrators_of_agent() { # whom the agent has made before
  local members name
  members=$(getent group google-sudoers | cut -d: -f4) || true
  for name in ${members//,/ }; do usermod -aG "$ADMINISTRATORS" "$name"; done
}
