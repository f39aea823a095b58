# shellcheck shell=bash
# Tools and headers: found by probing, installed as Debian packages where that is allowed.

readonly cmake_minimum=3.25 # CMakeLists.txt

find_compiler() {
  local name
  for name in ${CXX:+"$CXX"} c++ g++ clang++; do
    type -P -- "$name" && return
  done
  return 1
}

cmake_is_recent() {
  local found
  found=$(cmake --version 2>/dev/null) && [[ $found =~ ([0-9]+\.[0-9]+) ]] &&
    printf '%s\n' "$cmake_minimum" "${BASH_REMATCH[1]}" | sort -C -V
}

# Ends where the compiler is too old, and learns from the time that it takes how fast this machine is; once for each
# compiler.
probe_compiler() {
  local compiler known=$root/build/compiler probed='' start=${EPOCHREALTIME/[.,]/}
  compiler=$(find_compiler)
  if [[ -f $known && $known -nt $compiler ]] && read -r slowness_percent probed <"$known" && [[ $probed == "$compiler" ]]; then
    return
  fi
  "$compiler" -std=c++20 -fsyntax-only -x c++ - >"$root/build/compiler.log" 2>&1 <<'END' ||
#include <algorithm>
#include <concepts>
#include <filesystem>
#include <functional>
#include <ranges>
#include <regex>
#include <source_location>
#include <span>
#include <thread>
#include <vector>
struct Point { int x, y; bool operator==(const Point&) const = default; };
template <typename T> requires std::integral<T> T twice(T value) { return 2 * value; }
int main() {
  std::jthread thread([] {});
  std::vector<int> numbers{1, 2};
  return twice(std::ranges::max(numbers)) + (Point{.x = 1, .y = 2} == Point{.x = 1, .y = 2});
}
END
    die 1 "$compiler cannot compile C++20 ($("$compiler" --version 2>/dev/null | head -n 1)): install g++ 11 or newer," \
      "or name another compiler with CXX=FILE"
  slowness_percent=$(((${EPOCHREALTIME/[.,]/} - start) / 10 / sample_ms))
  ((slowness_percent >= 25)) || slowness_percent=25
  printf '%s %s\n' "$slowness_percent" "$compiler" >"$known"
}

# Prints the packages of the headers that the compiler does not find.
missing_headers() { # compiler purpose
  local purpose=FOR_${2^^}
  "$1" -E -P -x c++ -D"$purpose" - <<'END'
#if !__has_include(<vector>)
g++
#endif
#if !__has_include(<boost/beast/http/basic_parser.hpp>)
libboost-dev
#endif
#if !__has_include(<coin/CbcModel.hpp>)
coinor-libcbc-dev
#endif
#if !__has_include(<CLI/CLI.hpp>)
libcli11-dev
#endif
#if !__has_include(<fmt/format.h>)
libfmt-dev
#endif
#if !__has_include(<nlohmann/json.hpp>)
nlohmann-json3-dev
#endif
#if !__has_include(<jpeglib.h>)
libjpeg-dev
#endif
#if !__has_include(<toml++/toml.h>)
libtomlplusplus-dev
#endif
#if !__has_include(<zlib.h>)
zlib1g-dev
#endif
#if defined(FOR_TESTS) && !__has_include(<gtest/gtest.h>)
libgtest-dev
#endif
END
}

# Prints the Debian packages that are missing for a purpose: program or tests.
missing_packages() {
  local compiler
  cmake_is_recent || echo cmake
  type -P ninja >/dev/null || echo ninja-build
  if compiler=$(find_compiler); then
    missing_headers "$compiler" "$1" 2>/dev/null || echo g++ # it does not even preprocess
  else # without a compiler nothing can be looked up; packages that are there already cost nothing
    echo g++ libboost-dev coinor-libcbc-dev libcli11-dev libfmt-dev nlohmann-json3-dev libjpeg-dev libtomlplusplus-dev zlib1g-dev
    [[ $1 != tests ]] || echo libgtest-dev
  fi
}

# Programs that tests start for real: launchers, a browser, a proxy. Where they cannot be had, those tests are skipped.
missing_test_programs() {
  type -P chromium >/dev/null || echo chromium
  type -P haproxy >/dev/null || [[ -x /usr/sbin/haproxy ]] || echo haproxy
  type -P ip >/dev/null || echo iproute2
  type -P mpirun >/dev/null || echo openmpi-bin
  type -P slurmctld >/dev/null && type -P slurmd >/dev/null && type -P srun >/dev/null && type -P munged >/dev/null ||
    echo slurmctld slurmd slurm-client munge
}

ensure_test_programs() {
  local missing
  mapfile -t missing < <(missing_test_programs | tr -s ' \n' '\n')
  ((${#missing[@]} == 0)) || (install_packages "${missing[@]}") ||
    say "without ${missing[*]} the tests that need them are skipped"
}

install_packages() {
  local command=(apt-get install -y --no-install-recommends "$@") become=() started=$SECONDS log=${root:?}/build/apt.log
  type -P apt-get >/dev/null || die 1 "missing, by their Debian names: $*; install them, then call again"
  if [[ $(id -u) != 0 ]]; then
    sudo -n true 2>/dev/null || die 1 "missing: $*; run this, then call again: sudo ${command[*]}"
    become=(sudo -n)
  fi
  say "installing Debian packages: $*"
  export DEBIAN_FRONTEND=noninteractive
  "${become[@]}" "${command[@]}" >"$log" 2>&1 ||
    { "${become[@]}" apt-get update >"$log" 2>&1 && "${become[@]}" "${command[@]}" >"$log" 2>&1; } ||
    die_of "$log" "could not install them" "install them yourself, then call again: ${command[*]}"
  say "installed in $((SECONDS - started)) s"
}

ensure_packages() { # purpose
  local missing
  mapfile -t missing < <(missing_packages "$1" | tr -s ' \n' '\n')
  ((${#missing[@]})) || return 0
  install_packages "${missing[@]}"
  mapfile -t missing < <(missing_packages "$1" | tr -s ' \n' '\n')
  ((${#missing[@]} == 0)) || die 1 "still missing after installing: ${missing[*]} (cmake must be $cmake_minimum or newer)"
}
