#!/usr/bin/env python3
"""What `stash share` brings to three real trainings on one GPU: one bound by decoding, one by computing, one that reads
tokens. Needs a GPU and some cores; about seven minutes, or what --minutes says.

    bench/share_gpu.py --stash ./stash --python .venv/bin/python --minutes 4

First all three share, in windows that alternate with an even split: the gain (target +28.9 %). Then a series of six
jobs, two at a time, evenly and by need: the makespan (target 10 % shorter). The last line is all of it as JSON; what
there was no time for is null. `--device emulated:H200 --seconds 40` tries the script without a GPU.
"""

import argparse
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

REPORT = "500ms"
WINDOW_S = 8
SHORT_WINDOW_S = 5  # with --minutes below this many
SHORT_MINUTES = 6
# Of a run: starting interpreters and CUDA four times (a gain, and three pairs of jobs with either policy are seven), and data.
START_S = 10
STARTS = 8
# What a series of jobs of a second each takes, evenly and by need together, in seconds.
SERIES_S = 6.5
GAIN_SHARE = 0.45  # of the time that is left
IMAGE_SIZE = "1280x960"  # dear to decode, so that the decoding job leaves the GPU to the others
SERIES = ("decoding", "compute", "decoding", "tokens", "decoding", "compute")


def models(emulated):
    """Of each kind, flags of `stash share train`. An emulated accelerator has few cores beside it, so its jobs are
    small."""
    if emulated:
        return {"decoding": ["--model", "shufflenet_v2_x0_5", "--batch", 4],
                "compute": ["--model", "resnet152", "--batch", 2, "--image-size", 64],
                "tokens": ["--model", "gpt2", "--seq-len", 64, "--batch", 4]}
    return {"decoding": ["--model", "shufflenet_v2_x0_5", "--batch", 256, "--dtype", "bf16", "--channels-last"],
            "compute": ["--model", "resnet152", "--batch", 64, "--dtype", "fp32"],
            "tokens": ["--model", "gpt2", "--seq-len", 512, "--batch", 8, "--dtype", "bf16"]}


class Series:
    def __init__(self, options, folder):
        self.options = options
        self.folder = folder
        self.ends_s = time.monotonic() + 60 * (options.minutes or 0)
        self.cores = options.cores or len(os.sched_getaffinity(0))
        self.data = {"images": folder / "images", "tokens": folder / "tokens"}
        self.call("dataset", "make", "--images", options.images, "--size", options.image_size, self.data["images"])
        self.call("dataset", "make", "--tokens", 2_000_000, self.data["tokens"])

    def is_emulated(self):
        return self.options.device.startswith("emulated")

    def seconds_left(self):
        return None if self.options.minutes is None else self.ends_s - time.monotonic()

    def call(self, *arguments, limit_s=None):
        """What a command prints; None: it took longer than there was time, and was ended."""
        command = [str(self.options.stash), *map(str, arguments)]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        try:
            out, err = process.communicate(timeout=limit_s)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGINT)  # it ends its jobs
            process.communicate()
            return None
        done = subprocess.CompletedProcess(command, process.returncode, out, err)
        if done.returncode != 0:
            logs = "".join(f"{log.name}:\n{log.read_text()[-2000:]}\n" for log in self.folder.glob("logs/*.log"))
            sys.exit(f"{' '.join(map(str, arguments))}: {done.stderr}\n{logs}")
        return done.stdout

    def job(self, name, kind, *arguments):
        command = ["stash", "share", "train", "--python", self.options.python, "--device", self.options.device, "--ranks", 1,
                   "--timeout", "180s", "--data", self.data["tokens" if kind == "tokens" else "images"],
                   *models(self.is_emulated())[kind], *arguments]
        return f"[[job]]\nname = {json.dumps(name)}\ncommand = {json.dumps(list(map(str, command)))}\n"

    def run(self, jobs, *arguments):
        file = self.folder / "jobs.toml"
        file.write_text(jobs)
        out = self.call("share", "run", file, "--socket", self.folder / "pool", "--logs", self.folder / "logs",
                        "--cores", self.cores, "--workers-per-core", 4 if self.is_emulated() else 1, "--report-every", REPORT,
                        "--ignore-load", "--format", "json", *arguments, limit_s=self.seconds_left())
        return None if out is None else json.loads(out)

    def gain(self):
        limit = f"{self.options.seconds}s"
        jobs = "".join(self.job(kind, kind, "--max-time", limit) for kind in ("decoding", "compute", "tokens"))
        return self.run(jobs, "--measure-gain", f"{self.options.window}s")

    def makespan(self, policy, samples):
        jobs = "gpus = 2\n" + "".join(self.job(f"{kind}-{number}", kind, "--samples", samples[kind], "--max-time", "300s")
                                      for number, kind in enumerate(SERIES))
        state = self.run(jobs, "--policy", policy) if (self.seconds_left() or 1) > 0 else None
        return state and state["makespan_s"]


def text_of(gain):
    if gain is None or gain["low_ratio"] is None:
        return "too few windows"
    return f"{100 * gain['ratio']:+.1f} % ({100 * gain['low_ratio']:+.1f} to {100 * gain['high_ratio']:+.1f} %)"


def set_times(options):
    options.window = WINDOW_S
    if options.minutes is not None:
        options.window = SHORT_WINDOW_S if options.minutes < SHORT_MINUTES else WINDOW_S
        spare_s = 60 * options.minutes - STARTS * START_S
        if spare_s < 60:
            sys.exit(f"--minutes {options.minutes:g} is too short: jobs take {STARTS * START_S} s to start, and a minute is needed")
        options.seconds = options.seconds or int(GAIN_SHARE * spare_s)
        options.job_seconds = options.job_seconds or (1 - GAIN_SHARE) * spare_s / SERIES_S
    options.seconds = options.seconds or 140
    options.job_seconds = options.job_seconds or 20


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--stash", default="./stash", type=lambda path: pathlib.Path(path).absolute())
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--cores", type=int, help="default: all that may be used")
    parser.add_argument("--images", type=int, default=300)
    parser.add_argument("--image-size", default=IMAGE_SIZE, help="width and height in pixels (%(default)s)")
    parser.add_argument("--minutes", type=float, help="end after this time: sets --seconds and --job-seconds")
    parser.add_argument("--seconds", type=int, help="of the jobs whose gain is measured (140)")
    parser.add_argument("--job-seconds", type=float, help="of each job of the series, with an even split (20)")
    options = parser.parse_args()
    set_times(options)
    with tempfile.TemporaryDirectory() as folder:
        series = Series(options, pathlib.Path(folder))
        state = series.gain()
        if state is None:
            sys.exit("the time was over before the gain was measured: give more --minutes")
        print(f"three trainings on {series.cores} cores: {text_of(state['gain'])} over an even split, "
              f"{state['gain']['pairs'] if state['gain'] else 0} pairs of windows; target +28.9 %", flush=True)
        samples = {}
        for job in state["jobs"]:
            if job["even_per_s"] is None:
                sys.exit(f"{job['name']} was not seen long enough: give more --seconds")
            print(f"  {job['name']}: {job['per_s']:.0f} samples per second at the end, {job['even_per_s']:.0f} predicted with "
                  f"an even split, ceiling {job['ceiling_per_s']:.0f}, {100 * job['waiting_ratio']:.0f} % of the time waiting", flush=True)
            samples[job["name"]] = max(int(job["even_per_s"] * options.job_seconds), 1)
        took = {policy: series.makespan(policy, samples) for policy in ("even", "need")}
        if None in took.values():
            print(f"makespan: there was no time left for {' and '.join(name for name in took if took[name] is None)}")
        else:
            print(f"makespan of {len(SERIES)} jobs, two at a time: {took['even']:.1f} s evenly, {took['need']:.1f} s by need: "
                  f"{100 * (1 - took['need'] / took['even']):.1f} % shorter; target 10 %")
        print(json.dumps({"cores": series.cores, "gain": state["gain"], "jobs": [
            {key: job[key] for key in ("name", "per_s", "even_per_s", "ceiling_per_s", "waiting_ratio")} for job in state["jobs"]],
            "makespan_s": took}))


if __name__ == "__main__":
    main()
