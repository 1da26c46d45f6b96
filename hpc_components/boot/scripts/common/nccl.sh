# NCCL, which programs on GPUs communicate by: the plugin that uses the fast fabric, and its settings. docs/software.md
# shellcheck shell=bash

NCCL_CONF=/etc/nccl.conf # read by NCCL in all programs. Source: NCCL user guide, Environment Variables
NCCL_LIBRARIES=/etc/ld.so.conf.d/hpc-nccl.conf
NCCL_MODULE=/opt/hpc/modulefiles/nccl

nccl() {
  local said=""
  if [[ $(queue gpus) != 0 && $(queue fabric) == yes ]]; then said=$(nccl_plugin); fi
  nccl_settings "$said"
  if [[ -n $said ]]; then
    nccl_module "$said" | put $NCCL_MODULE 644
    sed -n 's/^libraries //p' <<<"$said" | put $NCCL_LIBRARIES 644
    ldconfig
  elif [[ -e $NCCL_LIBRARIES ]]; then # the image was made from another node
    rm -f $NCCL_LIBRARIES $NCCL_MODULE
    ldconfig
  fi
}

nccl_settings() { # <what the verb said>: our lines, among those of the image
  local ours
  ours=$(grep '^NCCL_' <<<"$1" || true)
  if [[ -z $ours ]] && ! grep -qs '^# hpc begin' $NCCL_CONF; then return; fi
  {
    if [[ -e $NCCL_CONF ]]; then sed '/^# hpc begin/,/^# hpc end/d' $NCCL_CONF; fi
    if [[ -n $ours ]]; then printf '# hpc begin\n%s\n# hpc end\n' "$ours"; fi
  } | put $NCCL_CONF 644
}

nccl_module() { # <what the verb said>: for containers, which see none of this node's files
  printf '#%%Module1.0\nmodule-whatis {Settings of NCCL for the fast fabric, as variables}\n'
  sed -nE 's/^libraries (.*)/prepend-path LD_LIBRARY_PATH \1/p; s/^(NCCL_[A-Z0-9_]+)=(.*)/setenv \1 {\2}/p' <<<"$1"
}
