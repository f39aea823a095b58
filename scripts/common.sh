# shellcheck shell=bash
# Speaking, timing and locking for ./stash and ./test. $root is the checkout.

say() { printf 'stash: %s\n' "$*" >&2; }

die() { # exit-code message
  say "${*:2}"
  exit "$1"
}

# Runs a command with its output in a file; shows the file's end when the command fails.
quietly() { # log command...
  local log=$1 status=0
  shift
  "$@" >"$log" 2>&1 || status=$?
  ((status == 0)) || tail -n 25 -- "$log" >&2
  return "$status"
}

# One set-up at a time. Children inherit the lock, so that a compiler or pip which outlives a killed script is waited for.
lock_setup() {
  mkdir -p -- "${root:?}/build" 2>/dev/null || true
  [[ -w $root/build ]] ||
    die 1 "cannot write to $root/build; make it writable or copy the checkout to where you may write"
  exec {setup_lock}>"$root/build/.lock"
  flock -n "$setup_lock" && return
  say "another call is setting up $root; waiting for it"
  flock "$setup_lock"
}

unlock_setup() { exec {setup_lock}>&-; }
