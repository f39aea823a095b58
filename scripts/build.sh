# shellcheck shell=bash
# Building with CMake and Ninja so that a build which was killed, moved or half deleted is carried on or made anew.

# One tree for the program, the tests and what the torch extension shares with them.
readonly tree=${root:?}/build/release
readonly sources=("$root/CMakeLists.txt" "$root/cmake" "$root/catalog" "$root/data" "$root/src")
# The verbs of the first program (src/stash/cli/CMakeLists.txt): half of the sources, so that whoever wants to measure
# or predict waits for no more. The whole program has all verbs and takes its place once it is built.
readonly first_verbs='profile run watch report diff import predict advise links doctor catalog models dataset extension'

use_program() { # whole or first
  case $1 in
    whole) program=$tree/bin/stash program_stamp=$tree/program_stamp program_target=stash ;;
    first) program=$tree/first/stash program_stamp=$tree/first_stamp program_target=stash_first ;;
  esac
}
use_program whole

# Uses the whole program where it is up to date, or else the first one for the verbs that it has; fails where the one in
# use is to be built. The first program asks for the whole one by STASH_PROGRAM, when a verb needs more.
choose_program() { # arguments
  use_program whole
  ! program_is_fresh || return 0
  [[ ${STASH_PROGRAM-} != whole && " $first_verbs --version " == *" ${1-} "* ]] || return 1
  use_program first
  program_is_fresh
}

# Sets REPLY to what git has checked out, without starting git; empty where that is not known.
checked_out() {
  REPLY=
  [[ -f $root/.git/HEAD ]] || return 0
  read -r REPLY <"$root/.git/HEAD" || true
  local branch=$root/.git/${REPLY#ref: }
  [[ $REPLY != ref:* || ! -f $branch ]] || read -r REPLY <"$branch" || true
}

# The stamp holds the checkout's folder and revision, so that a moved or updated one is noticed, and the time at which
# its build began.
program_is_fresh() {
  local built_in='' built_from=''
  [[ -x $program && -f $program_stamp ]] || return 1
  { read -r built_in && read -r built_from; } <"$program_stamp" || true
  checked_out
  [[ $built_in == "$root" && $built_from == "$REPLY" ]] &&
    [[ -z $(find "${sources[@]}" -name measure -prune -o -newer "$program_stamp" -print -quit) ]]
}

tree_was_moved() {
  [[ -f $tree/CMakeCache.txt ]] && ! { grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$tree/CMakeCache.txt" &&
    grep -qxF "CMAKE_CACHEFILE_DIR:INTERNAL=$tree" "$tree/CMakeCache.txt"; }
}

# What CMake remembers of a compiler or a library that is gone makes it fail; then it starts afresh, objects are kept.
configure_tree() { # dir cmake-options...
  local command=(cmake -S "$root" -B "$1" -G Ninja "${@:2}")
  echo configure >"$1/unfinished"
  "${command[@]}" || "${command[@]}" --fresh
}

compile_tree() { # dir target
  echo compile >"$1/unfinished"
  NINJA_STATUS='[%f/%t] ' cmake --build "$1" --target "$2" -j "$(nproc)"
}

# In the middle of compiling, Ninja's log knows what is half done. A tree that was left while configuring, and one that
# was left while compiling and cannot be carried on, is made anew.
build_tree() { # dir target cmake-options...
  local dir=$1 left_at=''
  [[ ! -f $dir/unfinished ]] || left_at=$(<"$dir/unfinished")
  if [[ $left_at == configure ]] || { [[ $dir == "$tree" ]] && tree_was_moved; }; then rm -rf -- "$dir"; fi
  attempt_tree "$@" && return
  [[ $left_at == compile ]] || return 1
  echo "the build in $dir was interrupted and cannot be carried on; building it anew"
  rm -rf -- "$dir"
  attempt_tree "$@"
}

attempt_tree() { # dir target cmake-options...
  local status=0
  mkdir -p -- "$1"
  { configure_tree "$1" "${@:3}" && compile_tree "$1" "$2"; } || status=$?
  rm -f -- "$1/unfinished" # it came to its end, good or bad
  return "$status"
}

# Builds a target of which the program is part. The stamp keeps the time of the beginning: what changed meanwhile is
# newer.
build_checkout() { # target cmake-options...
  local begun=$root/build/program.begun
  rm -f -- "$program_stamp"
  checked_out
  printf '%s\n%s\n' "$root" "$REPLY" >"$begun"
  build_tree "$tree" "$1" -DCMAKE_BUILD_TYPE=Release "${@:2}" && mv -- "$begun" "$program_stamp"
}
