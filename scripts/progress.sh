# shellcheck shell=bash
# Tasks that run side by side, and one line about what they do and how long they will take.

# What the stages cost on two cores of a shared AMD EPYC (bench/first_run.py), and how long its compiler took to check the
# sample of probe_compiler. A machine on which the sample takes twice as long is expected to need twice the time.
readonly first_cpu_s=150 program_cpu_s=290 tests_cpu_s=210 torch_s=20 extension_cpu_s=110 serial_s=20 sample_ms=950
readonly rebuild_s=15      # of a tree that holds a program, until Ninja has counted what changed
readonly report_every_s=30 # where the line cannot be redrawn
slowness_percent=100
rebuilds=no # the tree holds a program: only what changed is compiled
files_before=0 # what Ninja had made in the tree before this call

declare -A task_pid=() task_log=() task_start=()

# Runs a command beside the others, in a process group of its own, with its output in build/NAME.log.
start_task() { # name command...
  task_log[$1]=${root:?}/build/$1.log
  task_start[$1]=$SECONDS
  [[ ! -x ${program:?} ]] || rebuilds=yes
  files_before=$(sed 1d "${tree:?}/.ninja_log" 2>/dev/null | cut -f 4 | sort -u | wc -l) || true
  set -m
  ("${@:2}") >"${task_log[$1]}" 2>&1 </dev/null &
  task_pid[$1]=$!
  set +m
}

stop_tasks() {
  local name
  for name in "${!task_pid[@]}"; do kill -TERM -- "-${task_pid[$name]}" 2>/dev/null || true; done
}

# Sets REPLY to "1 min 20 s".
spell_seconds() { # seconds
  local rest=$(($1 % 60 / 10 * 10))
  if (($1 < 60)); then REPLY="$1 s"; else REPLY="$(($1 / 60)) min$( ((rest == 0)) || printf ' %d s' "$rest")"; fi
}

# Sets done and total to what Ninja's last line in a log says; 0 and 0 before the first one.
read_ninja() { # log
  local line
  done=0 total=0
  line=$(tail -c 2000 -- "$1" 2>/dev/null | grep -aoE '^\[[0-9]+/[0-9]+\]' | tail -n 1) || true
  [[ ! $line =~ ([0-9]+)/([0-9]+) ]] || { done=${BASH_REMATCH[1]} total=${BASH_REMATCH[2]}; }
}

# Sets REPLY to the seconds that are left of a task: first by what it costs elsewhere, from half of it on by its speed.
seconds_left() { # expected-s elapsed-s done total
  local percent=$(($4 ? 100 * $3 / $4 : 0)) trust whole=$1
  if ((percent == 0)); then
    REPLY=$(($1 > $2 + 3 ? $1 - $2 : 3))
    return
  fi
  trust=$((percent < 50 ? 2 * percent : 100))
  whole=$(((trust * (100 * $2 / percent) + (100 - trust) * $1) / 100))
  REPLY=$((whole * (100 - percent) / 100))
}

# Seconds of CPU elsewhere to seconds here. However many cores there are, one chain of files takes serial_s.
expected_s() { # cpu-s
  local wall=$(($1 / $(nproc)))
  REPLY=$(((wall > serial_s ? wall : serial_s) * slowness_percent / 100))
}

# Seconds of CPU for the files that Ninja counts, when all of them take cpu-s. After an interrupted build the others are
# there already; in a tree that was complete, all files were made before.
cpu_of_files() { # cpu-s total
  local whole=$((files_before + $2))
  [[ $rebuilds == no ]] || (($2 > files_before)) || whole=$files_before
  REPLY=$(($2 ? $1 * $2 / whole : $1))
}

# Sets what and left for a task that compiles.
look_at_compiling() { # name cpu-s what
  local elapsed=$((SECONDS - task_start[$1])) done='' total=''
  read_ninja "${task_log[$1]}"
  if [[ $rebuilds == yes ]] && ((total == 0)); then
    REPLY=$rebuild_s
  else
    cpu_of_files "$2" "$total" && expected_s "$REPLY"
  fi
  seconds_left "$REPLY" "$elapsed" "$done" "$total"
  left=$REPLY what="$3"
  ((total == 0)) || what+=" $done of $total"
}

# The first program, the whole one, or what the whole one has more than the first.
look_at_program() {
  local cpu_s=$program_cpu_s doing="compiling the program" done='' total=''
  if [[ $program_target == stash_first ]]; then
    cpu_s=$first_cpu_s
  elif [[ -x $tree/first/stash ]]; then
    doing="compiling the rest of the program"
    read_ninja "${task_log[program]}"
    ((total)) || cpu_s=$((program_cpu_s - first_cpu_s)) # Ninja counts what is left; before that nobody does
  fi
  look_at_compiling program "$cpu_s" "$doing"
}

# pip names the size of what it downloads; the folder that it downloads to tells how much is there.
look_at_pip() { # name
  local elapsed=$((SECONDS - task_start[$1])) size have
  what="installing PyTorch" left=$((torch_s * slowness_percent / 100))
  size=$(grep -aoE 'Downloading [^ ]+ \([0-9.]+ [MG]B' "${task_log[$1]}" 2>/dev/null |
    awk '{gsub(/\(/, "", $3); s += $4 == "GB" ? $3 * 1000 : $3} END {printf "%d", s}') || size=0
  have=$(du -sm -- "$root/build/pip" 2>/dev/null | cut -f 1) || have=0
  if ((${size:-0} > 0 && ${have:-0} > 0 && have < size)); then
    what="downloading PyTorch, $have of $size MB"
    left=$((left + (size - have) * elapsed / have))
  else
    left=$((left > elapsed + 3 ? left - elapsed : 3))
  fi
}

# Sets line to what all running tasks do, and how long it takes until the last of them is done and `afterwards` too.
describe_tasks() { # afterwards-s
  local name what left longest=0
  line=
  for name in "${!task_pid[@]}"; do
    kill -0 "${task_pid[$name]}" 2>/dev/null && [[ $(jobs -rp) == *"${task_pid[$name]}"* ]] || continue
    case $name in
      program) look_at_program ;;
      everything) look_at_compiling everything "$((program_cpu_s + tests_cpu_s))" "compiling the program and the tests" ;;
      torch) look_at_pip torch ;;
      *) what="installing test programs" left=10 ;;
    esac
    line+="${line:+, }$what"
    longest=$((left > longest ? left : longest))
  done
  spell_seconds $((longest + $1))
  local purpose='setting up, only this once'
  [[ $rebuilds == no || -v task_pid[torch] ]] || purpose='bringing the build up to date'
  line="$purpose: ${line:-nearly done}; about $REPLY left"
}

# Draws the line until every task has ended; fails when one of them did, with failed set to its name.
await_tasks() { # afterwards-s
  local line told=-$report_every_s name
  failed=
  while [[ -n $(jobs -rp) ]]; do
    describe_tasks "$1"
    if [[ -t 2 ]]; then
      printf '\r\033[Kstash: %s' "$line" >&2
    elif ((SECONDS - told >= report_every_s)); then
      say "$line" && told=$SECONDS
    fi
    sleep 0.2
  done
  [[ ! -t 2 ]] || printf '\r\033[K' >&2
  for name in "${!task_pid[@]}"; do
    wait "${task_pid[$name]}" || failed=$name
  done
  task_pid=()
  [[ -z $failed ]]
}
