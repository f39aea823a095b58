# shellcheck shell=bash
# Speaking, locking and explaining failures for ./stash and ./test. $root is the checkout.

say() { printf 'stash: %s\n' "$*" >&2; }

die() { # exit-code message
  say "${*:2}"
  exit "$1"
}

readonly least_free_kb=1024 # below it not even a log can be written

# True where the disk of a folder has no room left.
is_full() { # folder
  local free
  free=$(df --output=avail -k -- "$1" 2>/dev/null | tail -n 1) && [[ $free =~ ^\ *[0-9]+$ ]] && ((free < least_free_kb))
}

die_of_full_disk() { # hint
  die 1 "the disk is full: free 3 GB for ${root:?}, then call again$1"
}

# One set-up at a time. Children inherit the lock, so that a compiler or pip which outlives a killed script is waited for.
# Fails without the lock as soon as `enough` succeeds: then another call has set up all that this one needs.
lock_setup() { # [enough]
  mkdir -p -- "${root:?}/build" 2>/dev/null || true
  [[ -w $root/build ]] ||
    die 1 "cannot write to $root/build; make it writable or copy the checkout to where you may write"
  exec {setup_lock}>"$root/build/.lock"
  ! is_full "$root/build" || die_of_full_disk ''
  flock -n "$setup_lock" && return
  say "another call is setting up $root; waiting for it"
  until flock -w 1 "$setup_lock"; do
    if (($#)) && "$1"; then
      unlock_setup
      return 1
    fi
  done
}

unlock_setup() { exec {setup_lock}>&-; }

# Ends with what a log says went wrong: in a sentence where the cause is known, else with its last lines.
die_of() { # log message [what-else-can-be-done]
  local text
  text=$(tail -c 100000 -- "$1" 2>/dev/null) || text=
  case $text in
    *'No space left on device'*)
      [[ ! $text =~ "${TMPDIR:-/tmp}"/cc[[:alnum:]]+\.[a-z]+:\ No\ space ]] || # the compiler's own files
        die 1 "the disk of ${TMPDIR:-/tmp} is full: free 1 GB or name another folder with TMPDIR=DIR, then call again (log: $1)"
      die_of_full_disk " (log: $1)"
      ;;
    *'name resolution'* | *'Network is unreachable'* | *'Failed to establish a new connection'* | *'Connection timed out'*)
      die 1 "$2: the package index cannot be reached; check the network, then call again${3:+; or $3} (log: $1)" ;;
  esac
  ! is_full "$root/build" || die_of_full_disk ''
  tail -n 25 -- "$1" >&2
  die 1 "$2${3:+; $3} (see above; log: $1)"
}
