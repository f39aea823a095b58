# shellcheck shell=bash
# Building a tree with CMake and Ninja so that a build which was killed, moved or half deleted is carried on or made anew.

readonly program=${root:?}/build/program/bin/stash
readonly program_stamp=$root/build/program/stamp

# The stamp holds the checkout's folder, so that a moved one is noticed, and the time at which its build began.
program_is_fresh() {
  local built_for=
  [[ -x $program && -f $program_stamp ]] && read -r built_for <"$program_stamp" && [[ $built_for == "$root" ]] &&
    [[ -z $(find "$root/CMakeLists.txt" "$root/src" -name measure -prune -o -newer "$program_stamp" -print -quit) ]]
}

tree_was_moved() { # dir
  [[ -f $1/CMakeCache.txt ]] && ! { grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$1/CMakeCache.txt" &&
    grep -qxF "CMAKE_CACHEFILE_DIR:INTERNAL=$1" "$1/CMakeCache.txt"; }
}

# What CMake remembers of a compiler or a library that is gone makes it fail; then it starts afresh, objects are kept.
# The trees have most objects in common, so that ccache, where it is, compiles them once.
configure_tree() { # dir cmake-options...
  local launcher=-DCMAKE_CXX_COMPILER_LAUNCHER log=$1/configure.log
  local command=(cmake -S "$root" -B "$1" -G Ninja "$launcher=$(type -P ccache)" "${@:2}")
  echo configure >"$1/unfinished"
  "${command[@]}" >"$log" 2>&1 || quietly "$log" "${command[@]}" --fresh
}

# Ninja draws its progress in one line on a terminal and is silent elsewhere.
compile_tree() { # dir target
  local quiet=()
  [[ -t 2 ]] || quiet=(-- --quiet)
  echo compile >"$1/unfinished"
  NINJA_STATUS='stash: [%f/%t, %e s] ' cmake --build "$1" --target "$2" "${quiet[@]}" >&2
}

# In the middle of compiling, Ninja's log knows what is half done. A tree that was left while configuring, and one that
# was left while compiling and cannot be carried on, is made anew.
build_tree() { # dir target cmake-options...
  local dir=$1 left_at=''
  [[ ! -f $dir/unfinished ]] || left_at=$(<"$dir/unfinished")
  if [[ $left_at == configure ]] || tree_was_moved "$dir"; then rm -rf -- "$dir"; fi
  attempt_tree "$@" && return
  [[ $left_at == compile ]] || return 1
  say "the build in $dir was interrupted and cannot be carried on; building it anew"
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

build_program() {
  local started=$SECONDS begun=$root/build/program.begun
  lock_setup
  if ! program_is_fresh; then # the call that was waited for may have built it
    ensure_packages program
    rm -f -- "$program_stamp"
    printf '%s\n' "$root" >"$begun"
    say "building the program in build/program (a minute or two the first time)"
    build_tree "$root/build/program" stash -DCMAKE_BUILD_TYPE=Release ||
      die 1 "the build failed (above); a compiler with C++20 is needed"
    mv -- "$begun" "$program_stamp" # keeps the time of the beginning: what changed meanwhile is newer
    say "built in $((SECONDS - started)) s"
  fi
  unlock_setup
}
