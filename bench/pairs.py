"""Two ways to make a step, compared pair by pair."""

import math
import os
import random
import statistics
import tempfile

TRIM = 0.1


def trimmed_mean(values):
    """The mean without the extreme tenths, and half its 95 % interval (Yuen)."""
    ordered = sorted(values)
    cut = int(TRIM * len(ordered))
    kept = ordered[cut:len(ordered) - cut]
    winsorized = [kept[0]] * cut + kept + [kept[-1]] * cut
    error = statistics.stdev(winsorized) / ((1 - 2 * TRIM) * math.sqrt(len(ordered)))
    return statistics.fmean(kept), statistics.NormalDist().inv_cdf(0.975) * error


def compare(step, names, pairs):
    """(seconds of the first, seconds that the second takes more, half the interval of that); `step(name)` makes one."""
    order, differences, first_s = random.Random(1), [], []
    for _ in range(10):
        for name in names:
            step(name)
    for _ in range(pairs):
        shuffled = list(names)
        order.shuffle(shuffled)
        seen = {name: step(name) for name in shuffled}
        differences.append(seen[names[1]] - seen[names[0]])
        first_s.append(seen[names[0]])
    more_s, half_s = trimmed_mean(differences)
    return trimmed_mean(first_s)[0], more_s, half_s


def start_ranks(run, count, *arguments):
    """`run(rank, count, file that they meet over, *arguments)` in `count` processes."""
    import torch.multiprocessing as mp

    with tempfile.TemporaryDirectory() as folder:
        mp.spawn(run, args=(count, os.path.join(folder, "store"), *arguments), nprocs=count)


def describe(what, step_s, more_s, half_s, pairs):
    return (f"step {step_s * 1e3:.2f} ms, {pairs} pairs; {what} {more_s / step_s * 100:+.2f} % "
            f"± {half_s / step_s * 100:.2f} % of the step ({more_s * 1e6:+.0f} ± {half_s * 1e6:.0f} µs)")
