# Programs that would fetch something fail: what the nodes of an image need must be in it.
# shellcheck shell=bash

refuse() { # <program>...
  local program at
  at=$PWD/offline
  mkdir "$at"
  for program in "$@"; do
    printf '#!/bin/bash\necho "not in the image, but needed: %s $*" >&2\nexit 1\n' "$program" >"$at/$program"
    chmod 755 "$at/$program"
  done
  export PATH=$at:$PATH
}
refuse apt-get curl dnf wget
touch "$RUN/updated" # or packages that are missing would be looked for in archives first
