# shellcheck shell=bash
# Speaking, locking and explaining failures for ./stash and ./test. $root is the checkout.

say() { printf 'stash: %s\n' "$*" >&2; }

die() { # exit-code message
  say "${*:2}"
  exit "$1"
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

# Ends with what a log says went wrong: in a sentence where the cause is known, else with its last lines.
die_of() { # log message
  local text
  text=$(tail -c 100000 -- "$1" 2>/dev/null) || text=
  case $text in
    *'No space left on device'*) die 1 "the disk is full: free 3 GB for $root, then call again (log: $1)" ;;
    *'name resolution'* | *'Network is unreachable'* | *'Failed to establish a new connection'* | *'Connection timed out'*)
      die 1 "$2: the package index cannot be reached; check the network, then call again (log: $1)" ;;
  esac
  tail -n 25 -- "$1" >&2
  die 1 "$2 (above; log: $1)"
}
