"""Whether what a command printed is what a page shows: figures may differ, words may not.

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


def normal(line):
    for pattern, name in KINDS:
        line = pattern.sub(name, line)
    return line.strip()


def matches(shown, printed):
    """Both are lists of lines."""
    pattern = ""
    for line in shown:
        if line.strip() == ANY:
            pattern += r"(?:.*\n)*?"
        else:
            pattern += ".*?".join(re.escape(normal(piece)) for piece in line.split(ANY)) + r"\n"
    text = "".join(normal(line) + "\n" for line in printed)
    return re.fullmatch(pattern.replace(r"\ .*?", r" ?.*?").replace(r".*?\ ", r".*? ?"), text) is not None


def difference(shown, printed):
    return "\n".join(difflib.unified_diff([normal(line) for line in shown], [normal(line) for line in printed],
                                          "shown", "printed", lineterm=""))
