# shellcheck shell=bash
# Which interpreter the ranks run in: --python FILE, an active environment with a recent torch, or the project's own.

# The program knows it too.
readonly oldest_torch_file=${root:?}/src/stash/launch/extension/oldest_torch.h
readonly venv=$root/.venv
readonly requirements=$root/python/requirements.txt

# True for a verb whose help has --python: it starts ranks (a script under run or watch brings its own interpreter).
takes_python() { # verb
  local file
  for file in "$root/docs/cli/help/$1.txt" "$root/docs/cli/help/$1"-*.txt; do
    [[ $1 != */* && -f $file && $(<"$file") == *$'\n  --python FILE'* ]] && return
  done
  return 1
}

# True for a verb that starts ranks, unless it is only asked for its help or to read.
needs_torch() { # arguments
  local verb='' device=''
  while (($#)) && [[ $1 != -- ]]; do
    case $1 in
      --device=*) device=${1#*=} ;;
      --device) device=${2-} && shift ;; # its value is not the verb
      -h | --help | --version) return 1 ;;
      --from | --from=*) return 1 ;; # a study of profiles that are there
      --topology | --topology=*) return 1 ;; # a matrix that was saved
      --python) shift ;; # its value is not the verb
      -*) ;;
      *) verb=${verb:-$1} ;;
    esac
    shift || break
  done
  # Emulated devices, which are the default there, need no worker.
  [[ $verb != serve || $device == cpu || $device == cuda* ]] || return 1
  [[ -n $verb ]] && takes_python "$verb"
}

# Sets REPLY to the last --python among the arguments before `--`; fails when there is none.
python_argument() {
  REPLY=
  while (($#)) && [[ $1 != -- ]]; do
    case $1 in
      --python=*) REPLY=${1#*=} ;;
      --python)
        (($# > 1)) || die 2 "--python needs a file: the interpreter that has torch, for example --python /usr/bin/python3"
        shift && REPLY=$1
        ;;
    esac
    shift
  done
  [[ -n $REPLY ]]
}

# Sets REPLY to the version of an interpreter's torch, without importing it; empty: it has none. Fails for what is no
# Python 3. In an environment's own folder it is one file; elsewhere the interpreter is asked.
torch_version() { # python
  local prefix=${1%/*}/.. files text
  files=("$prefix"/lib/python3*/site-packages/torch/version.py)
  if [[ -f $prefix/pyvenv.cfg && ${#files[@]} == 1 && -f ${files[0]} ]]; then
    text=$(<"${files[0]}")
  else
    text=$(timeout 60 "$1" -c 'if True:
      import importlib.util, os
      spec = importlib.util.find_spec("torch")
      path = os.path.join(os.path.dirname(spec.origin), "version.py") if spec and spec.origin else os.devnull
      print("Python 3", open(path).read())' 2>/dev/null </dev/null) && [[ $text == 'Python 3 '* ]] || return 1
  fi
  REPLY=
  [[ ! $text =~ __version__\ *=\ *[\'\"]([^\'\"]+) ]] || REPLY=${BASH_REMATCH[1]}
}

# Sets REPLY to the oldest torch that will do, "2.5".
oldest_torch() {
  [[ $(<"$oldest_torch_file") =~ kOldestTorch\{([0-9]+),\ ([0-9]+)\} ]] || die 1 "$oldest_torch_file names no version"
  REPLY=${BASH_REMATCH[1]}.${BASH_REMATCH[2]}
}

is_recent_torch() { # version
  local version=$1
  [[ $version =~ ^[0-9]+\.[0-9]+ ]] || return 1
  version=${BASH_REMATCH[0]}
  oldest_torch
  printf '%s\n' "$REPLY" "$version" | sort -C -V
}

# Sets REPLY to the absolute path of the interpreter named by --python, or ends with 2 and the reason.
check_python() { # file
  local file=$1
  [[ $file == */* ]] || file=$(type -P -- "$1") || die 2 "--python $1: no such program; give the path of an interpreter"
  [[ -e $file ]] || die 2 "--python $1: no such file; give the path of an interpreter that has torch"
  [[ -f $file && -x $file ]] || die 2 "--python $1: cannot be executed; give the path of an interpreter, bin/python3"
  [[ $file == /* ]] || file=$PWD/$file
  torch_version "$file" || die 2 "--python $1: not a working Python 3"
  [[ -n $REPLY ]] || die 2 "--python $1: has no torch; install it there: $1 -m pip install torch"
  local version=$REPLY
  is_recent_torch "$version" || { oldest_torch && die 2 "--python $1: has torch $version, but $REPLY or newer is needed"; }
  REPLY=$file
}

# Sets REPLY to the interpreter of an active environment that has a recent torch; fails when there is none.
active_python() {
  local folder
  for folder in "${VIRTUAL_ENV:-}" "${CONDA_PREFIX:-}"; do
    [[ -n $folder && -x $folder/bin/python && ! $folder -ef $venv ]] || continue
    if torch_version "$folder/bin/python" && is_recent_torch "$REPLY"; then
      REPLY=$folder/bin/python
      return
    fi
  done
  return 1
}

# The stamp is written last and holds the requirements, so that other requirements make another environment.
venv_is_fresh() {
  local files=("$venv"/lib/python3*/site-packages/torch/version.py)
  [[ -x $venv/bin/python && -f $venv/stamp && -f ${files[0]} && $(<"$venv/stamp") == "$(<"$requirements")" ]]
}

# Sets REPLY to an interpreter that can make environments, has its headers and is one that torch has wheels for.
base_python() {
  local name
  for name in python3 /usr/bin/python3 python3.13 python3.12 python3.11 python3.10; do
    REPLY=$(type -P -- "$name") && "$REPLY" -c 'if True:
      import ensurepip, os, sys, sysconfig, venv
      header = os.path.join(sysconfig.get_path("include"), "Python.h")
      sys.exit(not ((3, 10) <= sys.version_info < (3, 15) and os.path.exists(header)))' 2>/dev/null && return
  done
  return 1
}

# Sets REPLY to such an interpreter, after installing one where that is allowed.
ensure_base_python() {
  base_python || { install_packages python3 python3-venv python3-dev && base_python; } ||
    die 1 "no Python of 3.10 to 3.14 with its venv module and headers; name one that has torch with --python FILE"
}

# Files are not compiled ahead: importing torch needs a twentieth of them.
make_venv() { # base-python
  local pip=(-m pip install --disable-pip-version-check --no-input --no-compile)
  rm -rf -- "$venv" "$root/build/pip"
  mkdir -p -- "$root/build/pip"
  "$1" -m venv -- "$venv" && TMPDIR=$root/build/pip "$venv/bin/python" "${pip[@]}" -r "$requirements" &&
    cp -- "$requirements" "$venv/stamp.new" && mv -- "$venv/stamp.new" "$venv/stamp"
}

# What only the tests need, into the project's own environment; one that somebody brought is used as it is.
test_requirements_are_there() {
  local stamp=$venv/tests-stamp
  [[ -f $stamp && $(<"$stamp") == "$(<"$root/tests/requirements.txt")" ]]
}

install_test_requirements() {
  local wanted=$root/tests/requirements.txt
  TMPDIR=$root/build/pip "$venv/bin/python" -m pip install --disable-pip-version-check --no-input --no-compile \
    -r "$wanted" -c "$requirements" && cp -- "$wanted" "$venv/tests-stamp"
}

# Sets REPLY to the interpreter for the ranks and own to whether that is the project's, which may have to be made.
choose_python() { # arguments
  own=no
  if python_argument "$@"; then
    check_python "$REPLY"
    return
  fi
  ! active_python || return 0
  own=yes
  REPLY=$venv/bin/python
}
