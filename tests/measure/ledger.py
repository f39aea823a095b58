"""Profiles a job on emulated accelerators and looks at its ledger."""

import json

import program


def small_job(ranks=2):
    """Small gradients and a step of some 15 ms, so that what is injected is most of the step."""
    return "--device", "emulated:V100", "--model", "squeezenet1_0", "--ranks", ranks


def profile(case, folder, *arguments):
    """(report, profile) of a run that must end well."""
    out = folder.path / "profile.json"
    result = program.stash("profile", *arguments, "--out", out, "--format", "json")
    case.assertEqual(result.code, 0, result.err)
    return result.json(), json.loads(out.read_text())


def check_sum(case, report):
    """The parts that are there sum to the step, to the last digits of a double."""
    ledger = report["ledger"]
    present = [part["s"] for part in ledger["parts"].values() if part is not None]
    case.assertAlmostEqual(sum(present), ledger["step"]["s"], delta=1e-9)


def largest_stall(report):
    parts = {name: part["s"] for name, part in report["ledger"]["parts"].items() if part and name != "compute"}
    return max(parts, key=parts.get)


def window_steps_s(profile, condition):
    """The seconds of a step in every window of a condition, on the slowest rank."""
    return [max(rank["wall_s"] for rank in window["ranks"] if rank) / window["steps"]
            for window in profile["windows"] if window["condition"] == condition]

