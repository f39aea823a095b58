"""What a profile's traces must agree with: their windows, and the file that a viewer opens."""

import json

import program

ROUNDING_US = 2
WITHOUT_COLLECTIVES = ("solo", "apart")


def window_of(profile, trace):
    """The window that was traced."""
    return next(window for window in profile["windows"]
                if (window["round"], window["condition"]) == (trace["round"], trace["condition"]))


def of_kind(spans, *kinds):
    return [span for span in spans if span[0] in kinds]


def sum_s(spans):
    return sum(span[2] for span in spans) * 1e-6


def check_apart(case, spans):
    """In the order of their starts, and none before the one before it has ended."""
    for before, after in zip(spans, spans[1:]):
        case.assertGreaterEqual(after[1], before[1] + before[2], f"{before} and {after} overlap")


def check_rank(case, trace, rank, sample, steps, slack_s):
    """One rank's spans against the sums that its window has."""
    host = rank["host"]
    own_steps = of_kind(host, "step")
    case.assertEqual(rank["left_out"], 0)
    case.assertEqual(len(own_steps), steps)
    start_us = own_steps[0][1]
    case.assertAlmostEqual(sum_s(own_steps), sample["wall_s"], delta=ROUNDING_US * 1e-6)
    for before, after in zip(own_steps, own_steps[1:]):
        case.assertEqual(after[1], before[1] + before[2], "a step begins where the last one ended")
    for span in host + rank["device"]:
        case.assertGreaterEqual(span[1], start_us, span)
        case.assertLessEqual(span[1] + span[2], start_us + sample["wall_s"] * 1e6 + ROUNDING_US, span)
    check_apart(case, [span for span in host if span[0] not in ("step", "collective")])
    check_apart(case, [span for span in rank["device"] if span[0] != "collective"])
    waited_s = sum_s(of_kind(host, "input_wait"))
    case.assertAlmostEqual(waited_s, sample["input_wait_s"], delta=0.02 * sample["input_wait_s"] + slack_s * steps)
    collectives = of_kind(host + rank["device"], "collective")
    # A backend's thread may count the last one only after the window's end, where it belongs to the next.
    late_s = max((sum_s([span]) for span in collectives), default=0)
    case.assertAlmostEqual(sum_s(collectives), sample["collective_s"],
                           delta=0.02 * sample["collective_s"] + slack_s * steps + late_s)
    if trace["condition"] in WITHOUT_COLLECTIVES:
        case.assertEqual(collectives, [])


def check_traces(case, profile, slack_s=2e-5):
    """Every condition has a trace with all ranks that took part, and each agrees with its window."""
    conditions = {window["condition"] for window in profile["windows"]}
    case.assertEqual({trace["condition"] for trace in profile["traces"]}, conditions)
    case.assertEqual(len(profile["traces"]), len(conditions))
    for trace in profile["traces"]:
        window = window_of(profile, trace)
        took_part = [rank for rank, sample in enumerate(window["ranks"]) if sample is not None]
        case.assertEqual([rank["rank"] for rank in trace["ranks"]], took_part, trace["condition"])
        case.assertEqual(min(rank["host"][0][1] for rank in trace["ranks"]), 0, "the first rank starts at 0")
        for rank in trace["ranks"]:
            with case.subTest(condition=trace["condition"], rank=rank["rank"]):
                check_rank(case, trace, rank, window["ranks"][rank["rank"]], window["steps"], slack_s)


def nests(events):
    """Whether every event of a thread is in another one or beside it, as a viewer wants it."""
    open_until = []
    for event in sorted(events, key=lambda event: (event["ts"], -event["dur"])):
        while open_until and open_until[-1] <= event["ts"]:
            open_until.pop()
        if open_until and event["ts"] + event["dur"] > open_until[-1]:
            return False
        open_until.append(event["ts"] + event["dur"])
    return True


def check_file(case, profile, path):
    """`stash report FILE --format trace`: every span, on threads where spans nest."""
    out = path.with_suffix(".trace.json")
    result = program.stash("report", path, "--format", "trace", "--out", out)
    case.assertEqual(result.code, 0, result.err)
    case.assertLess(out.stat().st_size, 20e6)
    events = json.loads(out.read_text())["traceEvents"]
    threads = {}
    for event in events:
        case.assertIn(event["ph"], ("X", "M"))
        for key in ("pid", "tid", "ts"):
            case.assertIsInstance(event[key], int)
        if event["ph"] == "X":
            threads.setdefault((event["pid"], event["tid"]), []).append(event)
    named = {(event["pid"], event["tid"]) for event in events if event["name"] == "thread_name"}
    case.assertEqual(set(threads), named)
    for thread in threads.values():
        case.assertTrue(nests(thread))
    spans = sum(len(rank["host"]) + len(rank["device"]) for trace in profile["traces"] for rank in trace["ranks"])
    case.assertEqual(sum(len(thread) for thread in threads.values()), spans)
