"""Which files belong to the repository: what lies beside them in somebody's folder is nobody's business here."""

import subprocess


def repository_files(root):
    """Files under version control; without git, all but the built ones."""
    listed = subprocess.run(["git", "-c", f"safe.directory={root}", "-C", str(root), "ls-files", "-z"],
                            capture_output=True, text=True)
    if listed.returncode == 0:
        names = [name for name in listed.stdout.split("\0") if name]
        return [root / name for name in names if (root / name).is_file()]
    return [path for path in root.rglob("*") if path.is_file() and not {"build", ".venv"} & set(path.parts)]
