"""Writes what the documentation takes from the program: docs/cli/help/*.txt, and in the pages every region

    <!-- generated: NAME -->
    <!-- end generated -->

NAME is one that `stash reference` prints (flags of a verb, its exit codes, keys of a document), or
`lines FILE FIRST-LAST`: these lines of a file of the repository.

usage: python3 scripts/update_docs.py [PROGRAM]
"""

import pathlib
import re
import subprocess
import sys

from repository import repository_files

ROOT = pathlib.Path(__file__).resolve().parents[1]
PROGRAM = ROOT / "build" / "release" / "bin" / "stash"
DOCS = ROOT / "docs"
HELP = DOCS / "cli" / "help"
COMMAND = "python3 scripts/update_docs.py"
REGION = re.compile(r"^<!-- generated: (.+?) -->\n(.*?)<!-- end generated -->\n", re.DOTALL | re.MULTILINE)
OPEN = re.compile(r"^<!-- generated: ", re.MULTILINE)
VERBS = re.compile(r"^(?:Verbs|Subcommands):\n((?:  +.*\n)+)", re.MULTILINE)
LINES = re.compile(r"lines (\S+) (\d+)-(\d+)")


def printed(program, *words):
    return subprocess.run([program, *words], capture_output=True, text=True, check=True).stdout


def verbs_in(text):
    return [match.group(1) for group in VERBS.findall(text) for match in re.finditer(r"^  (\w+)", group, re.MULTILINE)]


def help_texts(program):
    """What --help prints, by the name of its file, of the program, its verbs and their verbs."""
    found = {"stash": printed(program, "--help")}
    for verb in verbs_in(found["stash"]):
        found[verb] = printed(program, verb, "--help")
        for inner in verbs_in(found[verb]):
            found[f"{verb}-{inner}"] = printed(program, verb, inner, "--help")
    return found


def regions(text):
    """Content by name."""
    return {match.group(1): match.group(2) for match in REGION.finditer(text)}


def pages():
    """The pages at the root and under docs/ that are in the repository."""
    found = [path for path in repository_files(ROOT) if path.suffix == ".md"]
    return sorted(path for path in found if path.parent == ROOT) + sorted(path for path in found if DOCS in path.parents)


def quoted_lines(name):
    """The lines that a region names, as a block of text; None where it names none."""
    match = LINES.fullmatch(name)
    if not match:
        return None
    lines = (ROOT / match.group(1)).read_text().splitlines()[int(match.group(2)) - 1:int(match.group(3))]
    return "\n".join(["```text", *lines, "```", ""])


def wanted(program):
    """{path: text} of every file that is generated or holds a region, and the faults that no update can fix."""
    reference, used, faults = regions(printed(program, "reference")), set(), []
    files = {HELP / f"{name}.txt": text for name, text in help_texts(program).items()}
    for page in pages():

        def renewed(match, page=page):
            name = match.group(1)
            used.add(name)
            content = reference.get(name, quoted_lines(name))
            if content is None:
                faults.append(f"{page.relative_to(ROOT)}: 'stash reference' prints no region '{name}'")
                return match.group()
            return f"<!-- generated: {name} -->\n{content}<!-- end generated -->\n"

        text = REGION.sub(renewed, page.read_text())
        if len(OPEN.findall(text)) != len(REGION.findall(text)):
            faults.append(f"{page.relative_to(ROOT)}: a generated region is not closed")
        files[page] = text
    faults += [f"no page has the region '<!-- generated: {name} -->'" for name in reference if name not in used]
    return files, faults


def stale(files):
    """The files that an update would change."""
    kept = {path: path.read_text() for path in (*HELP.glob("*.txt"), *files) if path.exists()}
    changed = [path for path in kept.keys() | files.keys() if kept.get(path) != files.get(path)]
    return sorted(str(path.relative_to(ROOT)) for path in changed)


def main():
    files, faults = wanted(str(pathlib.Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else PROGRAM))
    changed = stale(files)
    HELP.mkdir(exist_ok=True)
    for name in changed:
        path = ROOT / name
        if path in files:
            path.write_text(files[path])
        else:
            path.unlink()
        print(f"updated {name}")
    sys.exit("\n".join(faults))


if __name__ == "__main__":
    main()
