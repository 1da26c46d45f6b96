# The machine on which an image is made, and the one on which it is tested.
# shellcheck shell=bash

IMAGE=/opt/hpc/image.json

undisturbed() { # nothing else may change packages meanwhile, least of all the kernel
  source common/system.sh
  if [[ $HPC_IMAGE_ROLES == compute ]]; then
    quiet "${UPDATES[@]}" # for good: nothing may change under a running job
  else
    systemctl stop "${UPDATES[@]}" 2>/dev/null || true
  fi
  system_settings
  adapt_image
}

new_machine() { # whether it is another machine than the one on which the image was made, with the same kernel
  local file kernel
  for file in /etc/machine-id /etc/ssh/ssh_host_*_key; do
    [[ -s $file && $file -nt $IMAGE ]] || die "$file is missing or older than the image: a machine must make its own"
  done
  [[ ! -s /etc/munge/munge.key || /etc/munge/munge.key -nt $IMAGE ]] || die "the image has a munge key"
  if [[ $HPC_IMAGE_LUSTRE == no && $HPC_IMAGE_FABRIC != *image* && -z $HPC_IMAGE_NVIDIA ]]; then return; fi
  kernel=$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["kernel"])' "$IMAGE")
  [[ $(uname -r) == "$kernel" ]] ||
    die "this machine runs kernel $(uname -r), but the image's modules are for $kernel: make it anew from a base whose newest kernel runs"
}
