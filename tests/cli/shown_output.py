"""Whether what a command printed is what a page shows: figures may differ, words may not. What is worked out from
docs/profiles alone is the same everywhere: there nothing may differ.

Numbers, durations, sizes, paths, the machine's name and bars match any other of their kind. A line that is only `…`
stands for any lines, `…` within a line for any text."""

import difflib
import re

ANY = "…"
NUMBER = r"[-+±~]?\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?"
# In this order: a path may hold numbers, a duration begins with one.
KINDS = [
    (re.compile(r"(?<![\w/])(?:~|\.{1,2})?/[\w./+-]+"), "PATH"),
    (re.compile(r"(?<=; )\S+ with \d+ cores of .+$"), "MACHINE"),
    (re.compile(rf"{NUMBER} ?(?:ns|µs|us|ms|s|min|h)\b"), "TIME"),
    (re.compile(rf"{NUMBER} ?(?:[kMGT]i?B|B|bytes)(?:/s)?\b"), "SIZE"),
    (re.compile(rf"(?<![\w.]){NUMBER}(?![A-Za-z])"), "NUMBER"),
    (re.compile(r"[█▓▒░▐▌▏▎▍▋▊▉]+"), "BAR"),
    (re.compile(r"\s+"), " "),
]


def is_exact(command):
    return "docs/profiles/" in command


def normal(line, exact=False):
    for pattern, name in KINDS[-1:] if exact else KINDS:
        line = pattern.sub(name, line)
    return line.strip()


def matches(shown, printed, exact=False):
    """Both are lists of lines. Exact: figures too."""
    pattern = ""
    for line in shown:
        if line.strip() == ANY:
            pattern += r"(?:.*\n)*?"
        else:
            pattern += ".*?".join(re.escape(normal(piece, exact)) for piece in line.split(ANY)) + r"\n"
    text = "".join(normal(line, exact) + "\n" for line in printed)
    return re.fullmatch(pattern.replace(r"\ .*?", r" ?.*?").replace(r".*?\ ", r".*? ?"), text) is not None


def difference(shown, printed, exact=False):
    return "\n".join(difflib.unified_diff([normal(line, exact) for line in shown],
                                          [normal(line, exact) for line in printed],
                                          "shown", "printed", lineterm=""))
