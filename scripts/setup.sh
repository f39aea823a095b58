# shellcheck shell=bash
# All of the set-up that ./stash and ./test share. The caller sets $root to the checkout.

# shellcheck source=scripts/common.sh
source "${root:?}/scripts/common.sh"
# shellcheck source=scripts/packages.sh
source "$root/scripts/packages.sh"
# shellcheck source=scripts/build.sh
source "$root/scripts/build.sh"
# shellcheck source=scripts/python.sh
source "$root/scripts/python.sh"
# shellcheck source=scripts/help.sh
source "$root/scripts/help.sh"
# shellcheck source=scripts/progress.sh
source "$root/scripts/progress.sh"

# The program compiles while PyTorch is installed; the torch extension, which needs both, comes after that.
set_up() { # needs-venv: yes or no
  local started=$SECONDS tasks=no afterwards=0
  if [[ $1 == yes ]]; then lock_setup; else lock_setup program_is_fresh || return 0; fi
  trap 'stop_tasks; exit 130' INT
  trap 'stop_tasks; exit 143' TERM HUP
  if ! program_is_fresh; then # the call that was waited for may have built it
    ensure_packages program
    probe_compiler
    start_task program build_checkout "$program_target"
    tasks=yes
  fi
  if [[ $1 == yes ]] && ! venv_is_fresh; then
    ensure_base_python
    start_task torch make_venv "$REPLY"
    tasks=yes
  fi
  if [[ $tasks == yes ]]; then
    [[ $1 == no ]] || ! extension_is_missing || { expected_s "$extension_cpu_s" && afterwards=$REPLY; }
    await_tasks "$afterwards" || explain_failed_task
    say "set up in $((SECONDS - started)) s"
  fi
  trap - INT TERM HUP
  unlock_setup
}

# Whether the extension for the pinned torch is to be built: the cache has none for it at all.
extension_is_missing() {
  local cache=${STASH_CACHE_DIR:-${XDG_CACHE_HOME:-${HOME:-/nowhere}/.cache}/stash} version
  version=$(sed -n 's/^torch==//p' "$requirements")
  ! compgen -G "$cache/extensions/torch-$version*" >/dev/null
}

explain_failed_task() {
  case $failed in
    torch)
      die_of "${task_log[$failed]}" "pip could not install PyTorch" "name an interpreter that has torch with --python FILE" ;;
    *) die_of "${task_log[$failed]}" "the build failed" ;;
  esac
}
