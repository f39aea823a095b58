"""What pip calls to build a wheel: scikit-build-core, told for which torch the wheel brings the extension.

That is the torch of the environment that pip belongs to, though pip hides it while it builds. Where there is none, pip
installs the pinned one for the build; STASH_WHEEL_TORCH=none makes a wheel without an extension instead.
"""

import importlib.util
import os
import pathlib
import subprocess
import sys

from scikit_build_core import build as original
from scikit_build_core.build import *  # noqa: F403  the hooks that are not changed here

ROOT = pathlib.Path(__file__).parents[1]
FIND = "import importlib.util, sys; sys.exit(importlib.util.find_spec('torch') is None)"


def wants_torch():
    return os.environ.get("STASH_WHEEL_TORCH", "") != "none"


def environment_has_torch():
    """Whether this interpreter has a torch where nothing hides it; -E ignores the variables by which pip does."""
    return subprocess.run([sys.executable, "-E", "-c", FIND], check=False).returncode == 0


def get_requires_for_build_wheel(config_settings=None):
    required = original.get_requires_for_build_wheel(config_settings)
    if wants_torch() and not environment_has_torch() and importlib.util.find_spec("torch") is None:
        required += (ROOT / "python" / "requirements.txt").read_text().split("\n")
    return [line for line in required if line]


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    settings = dict(config_settings or {})
    hidden = environment_has_torch()
    if wants_torch() and (hidden or importlib.util.find_spec("torch") is not None):
        settings["cmake.define.STASH_EXTENSION"] = "ON"
        settings["cmake.define.STASH_PYTHON"] = sys.executable
        settings["cmake.define.STASH_PYTHON_HIDDEN"] = "ON" if hidden else "OFF"
    return original.build_wheel(wheel_directory, settings, metadata_directory)


def build_sdist(sdist_directory, config_settings=None):
    """An archive has no git: its revision goes with it."""
    file = ROOT / "scripts" / "archive_revision"
    kept = file.read_text()
    revision = subprocess.run(["bash", str(ROOT / "scripts" / "revision.sh")], capture_output=True, text=True, check=False)
    try:
        file.write_text(revision.stdout or kept)
        return original.build_sdist(sdist_directory, config_settings)
    finally:
        file.write_text(kept)
