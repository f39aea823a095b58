"""A checkout for tests of the set-up: the real scripts around a program that builds in a second."""

import os
import pathlib
import shutil
import subprocess
import tempfile

ROOT = pathlib.Path(os.environ.get("STASH_ROOT", pathlib.Path(__file__).parents[2]))

CMAKE = """cmake_minimum_required(VERSION 3.25)
project(stash VERSION 7.8.9 LANGUAGES CXX)
add_executable(stash src/main.cpp)
set_target_properties(stash PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
add_executable(stash_first src/main.cpp)
set_target_properties(stash_first PROPERTIES OUTPUT_NAME stash RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/first)
"""
MAIN = """#include <cstdio>
#include <cstdlib>
int main(int count, char** arguments) {
  const char* python = std::getenv("STASH_PYTHON");
  std::printf("%s\\n%s\\n%s\\n", "first", std::getenv("STASH_ROOT"), python ? python : "-");
  for (int i = 1; i < count; ++i) std::printf("%s\\n", arguments[i]);
  if (std::getenv("STASH_PROGRAM")) std::printf("STASH_PROGRAM is for ./stash alone\\n");
}
"""
SLOW = "#include <regex>\nstatic const std::regex slow(\"a+\");\n"  # a few seconds to compile

# Makes an environment, or installs into one, by writing a version file; `pip` is noted with its arguments.
PYTHON = """#!/bin/bash
echo "${{0##*/}} $*" >>'{log}'
[[ "$1 $2" != '-m venv' ]] || {{ mkdir -p "$4/bin" && cp "$0" "$4/bin/python"; }}
[[ "$1 $2" != '-m pip' ]] || {{
  {before_install}
  folder=$(dirname "$0")/../lib/python3.11/site-packages/torch && mkdir -p "$folder" &&
  echo "__version__ = '2.13.0'" >"$folder/version.py"; }}
"""


class Checkout:
    """Remove it with close(). Every tool that is run through PATH can be noted or replaced."""

    def __init__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="stash set up "))
        self.root = self.folder / "check out"
        self.tools = self.folder / "tools"
        self.log = self.folder / "log"
        self.tools.mkdir()
        shutil.copytree(ROOT / "scripts", self.root / "scripts")
        for name in ("stash", "test"):
            shutil.copy(ROOT / name, self.root / name)
        shutil.copytree(ROOT / "docs/cli/help", self.root / "docs/cli/help")
        self.write("cmake/empty.cmake", "")
        self.write("catalog/empty.csv", "")
        self.write("data/empty.csv", "")
        self.write("python/requirements.txt", (ROOT / "python/requirements.txt").read_text())
        self.write("CMakeLists.txt", CMAKE)
        self.write("src/main.cpp", MAIN)
        oldest = "src/stash/launch/extension/oldest_torch.h"
        self.write(oldest, (ROOT / oldest).read_text())
        self.make_environment(self.root / ".venv", "2.13.0")
        shutil.copy(self.root / "python/requirements.txt", self.root / ".venv/stamp")
        for name in ("cmake", "ninja", "c++", "pip", "apt-get"):
            real = shutil.which(name)
            self.tool(name, f'echo "{name} $*" >>"{self.log}"\nexec "{real}" "$@"' if real else "exit 1")
        self.install_python()
        # As though an earlier build had tried the compiler, which takes most of a second.
        self.write("build/compiler", f"100 {self.tools}/c++\n")

    def close(self):
        shutil.rmtree(self.folder)

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def tool(self, name, script, folder=None):
        path = (folder or self.tools) / name
        path.write_text(script if script.startswith("#!") else f"#!/bin/bash\n{script}\n")
        path.chmod(0o755)

    def install_python(self, before_install=":"):
        self.tool("python3", PYTHON.format(log=self.log, before_install=before_install))

    def make_environment(self, folder, torch):
        """An environment whose torch, if any, has this version."""
        (folder / "bin").mkdir(parents=True)
        (folder / "pyvenv.cfg").write_text("")
        self.tool("python", f'echo "{folder}/python $*" >>"{self.log}"\necho "Python 3 "', folder / "bin")
        if torch:
            version = folder / "lib/python3.11/site-packages/torch/version.py"
            version.parent.mkdir(parents=True)
            version.write_text(f"__version__ = '{torch}'\n")

    def command(self, *arguments, program=None, **variables):
        environment = {name: value for name, value in os.environ.items()
                       if name not in ("VIRTUAL_ENV", "CONDA_PREFIX", "CXX", "STASH_PYTHON", "STASH_ROOT")}
        environment["PATH"] = f"{self.tools}:{environment['PATH']}"
        environment.update({name: str(value) for name, value in variables.items()})
        return {"args": [str(program or self.root / "stash"), *map(str, arguments)], "env": environment,
                "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "stdin": subprocess.DEVNULL}

    def call(self, *arguments, cwd=None, **options):
        return subprocess.run(**self.command(*arguments, **options), cwd=cwd, timeout=120)

    def logged(self):
        """What was started since the last look."""
        lines = self.log.read_text().splitlines() if self.log.exists() else []
        self.log.unlink(missing_ok=True)
        return lines
