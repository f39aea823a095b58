# shellcheck shell=bash
# Help and version before there is a program: docs/cli/help holds what it prints (tests/cli/help_test.py compares).

readonly help_folder=${root:?}/docs/cli/help

print_version() {
  local version=
  [[ $(<"$root/CMakeLists.txt") =~ project\(stash\ VERSION\ ([0-9.]+) ]] && version=${BASH_REMATCH[1]}
  local revision
  revision=$(bash "$root/scripts/revision.sh")
  printf 'stash %s%s\n' "$version" "${revision:+ ($revision)}"
}

# Sets REPLY to "profile, run, …", in the order of the help.
list_verbs() {
  local names
  mapfile -t names < <(sed -n '/^Verbs:/,/^$/s/^  \([a-z]\+\) .*/\1/p' "$help_folder/stash.txt")
  printf -v REPLY '%s, ' "${names[@]}"
  REPLY=${REPLY%, }
}

# Answers a call that asks for help or the version, that names no verb or one that does not exist; fails for every other.
answer_without_program() { # arguments
  local words=() asks=no argument file
  if (($# == 0)); then
    cat -- "$help_folder/stash.txt" >&2
    die 2 "no verb given; to begin with: stash profile"
  fi
  if [[ ! -x $program && $1 != -* && ($1 == */* || ! -f $help_folder/$1.txt) ]]; then
    list_verbs
    die 2 "unknown verb '$1'; known are $REPLY"
  fi
  for argument; do
    case $argument in
      --) break ;;
      --version) ((${#words[@]})) || { print_version && return; } ;;
      -h | --help) asks=yes ;;
      -*) ;;
      *) words+=("$argument") ;;
    esac
  done
  [[ $asks == yes ]] || return 1
  for file in "${words[0]:-stash}${words[1]:+-${words[1]}}" "${words[0]:-stash}"; do
    [[ $file != */* && -f $help_folder/$file.txt ]] || continue
    cat -- "$help_folder/$file.txt"
    return
  done
  return 1
}
