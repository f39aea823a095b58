#!/usr/bin/env bash
# Prints the git revision of this checkout's sources, with a + behind it when they were changed since; nothing where it
# is not known. A source archive has it in scripts/archive_revision.
set -uo pipefail
root=$(readlink -f -- "${BASH_SOURCE[0]}")
root=${root%/*/*}

if [[ -e $root/.git ]] && type -P git >/dev/null; then
  git=(git -c safe.directory="$root" -C "$root") # a checkout that belongs to another user has a revision too
  revision=$("${git[@]}" rev-parse --short=12 HEAD 2>/dev/null) || exit 0
  "${git[@]}" diff-index --quiet HEAD -- CMakeLists.txt cmake catalog src python 2>/dev/null || revision+=+
  printf '%s\n' "$revision"
elif read -r revision <"$root/scripts/archive_revision" && [[ $revision =~ ^[0-9a-f]{12} ]]; then
  printf '%s\n' "${revision:0:12}"
fi
