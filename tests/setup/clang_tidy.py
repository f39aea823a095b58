"""clang-tidy over many files, within a budget of CPU time.

usage: python3 tests/setup/clang_tidy.py [FILE...]; without files, those that the last commits changed
"""

import concurrent.futures
import importlib.util
import os
import pathlib
import shutil
import subprocess
import sys
import sysconfig
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts"))

from repository import repository_files

COMMAND = "python3 tests/setup/clang_tidy.py"
COMMITS = 5  # the last commits, whose files ./test looks at
QUICK_S = 12  # of CPU time, for them: ./test has some twelve minutes on two cores
SLOWEST_FILE_S = 600
MEASURE = "src/stash/measure/"


def git(root, *arguments):
    """Lines that git prints; None where there is no git or no history."""
    ended = subprocess.run(["git", "-c", f"safe.directory={root}", "-C", str(root), *arguments], capture_output=True,
                           text=True) if shutil.which("git") else None
    return ended.stdout.splitlines() if ended and ended.returncode == 0 else None


def all_sources(root):
    return sorted(str(path.relative_to(root)) for path in repository_files(root)
                  if path.suffix == ".cpp" and path.relative_to(root).parts[0] in ("src", "tests", "bench"))


def changed_sources(root):
    """Sources that were changed since the last commit or by the last ones, the latest first; None without git. Files that
    include torch take half a minute each and are left to the whole tree."""
    edited = git(root, "diff", "--name-only", "HEAD", "--", "*.cpp")
    committed = git(root, "log", f"-{COMMITS}", "--format=", "--name-only", "--", "*.cpp")
    if edited is None or committed is None:
        return None
    return [name for name in dict.fromkeys(edited + committed) if (root / name).exists() and not name.startswith(MEASURE)]


def flags(root, name):
    """What the compiler is told, but for warnings; None for a file that needs a torch which is not there."""
    found = ["-std=c++20", f"-I{root / 'src'}", f"-I{root / 'tests'}", f"-I{root / 'bench'}",
             f"-I{root / 'tests/predict'}", f"-I{root}",
             f'-DSTASH_ROOT="{root}"', "-w"]
    if not name.startswith(MEASURE):
        return found
    spec = importlib.util.find_spec("torch")
    if spec is None or not spec.origin:
        return None
    include = pathlib.Path(spec.origin).parent / "include"
    return [*found, "-DFMT_HEADER_ONLY=1", "-isystem", str(include), "-isystem", str(include / "torch/csrc/api/include"),
            "-isystem", sysconfig.get_path("include")]


def cpu_s():
    times = os.times()
    return times.children_user + times.children_system


def findings(root, program, names, budget_s=None):
    """What it finds, and the files that were left out: beyond the budget, or in want of torch."""
    begun_s, faults, left_out, lock = cpu_s(), [], [], threading.Lock()

    def look_at(name):
        given = flags(root, name)
        if given is None or (budget_s is not None and cpu_s() - begun_s > budget_s):
            with lock:
                left_out.append(name)
            return
        ended = subprocess.run([program, "--quiet", str(root / name), "--", *given], cwd=root, capture_output=True,
                               text=True, timeout=SLOWEST_FILE_S)
        if ended.returncode:
            with lock:
                faults.append(f"{name}:\n{ended.stdout[-4000:]}")

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(look_at, names))
    return sorted(faults), sorted(left_out)


def main():
    root = pathlib.Path(__file__).resolve().parents[2]
    started = time.monotonic()
    program = shutil.which("clang-tidy", path=f"{root / '.venv/bin'}{os.pathsep}{os.environ.get('PATH', '')}")
    if program is None:
        sys.exit("clang-tidy is not installed: pip install -r tests/requirements.txt")
    names = sys.argv[1:] or changed_sources(root) or []
    faults, left_out = findings(root, program, names)
    print(*faults, sep="\n")
    print(f"{len(names) - len(left_out)} files in {time.monotonic() - started:.0f} s, {len(faults)} with findings")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main()
