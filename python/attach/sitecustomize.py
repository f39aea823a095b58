"""Put in front of every Python process of a command by `stash run` and `stash watch`."""

import importlib.machinery
import importlib.util
import os
import sys


def run_hidden():
    """Only the first sitecustomize on the path runs by itself: the one that this hides is run from here."""
    here = os.path.dirname(os.path.abspath(__file__))
    others = [entry for entry in sys.path if os.path.abspath(entry or ".") != here]
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", others)
    if spec is not None and spec.loader is not None:
        module = importlib.util.module_from_spec(spec)
        sys.modules["sitecustomize"] = module
        spec.loader.exec_module(module)


try:
    from stash import shared_names

    if shared_names.RUN_FOLDER_VARIABLE in os.environ:
        from stash import attach

        attach.install()
except Exception as error:  # whatever it is, the script is not to suffer
    print(f"stash: not attached: {type(error).__name__}: {error}", file=sys.stderr)
run_hidden()
