#!/usr/bin/env python3
"""Scripts and built-in jobs of the same networks on one GPU, in under eight minutes:

    bench/h200_scripts.py --stash ./stash --folder h200

1. vgg11 on two Gloo ranks of the GPU: half the gradient bytes, tried with --try and really made by a hook.
2. resnet18, resnet50, bert_base and gpt2 as built-in job and as script: the measured compute, and the predicted steps on ten
   machines (targets: 2 % and 5 % apart).
3. From each script's fp32 profile, another batch and bf16 predicted and then measured (target: 8 % on average).
4. The same scripts compiled.

Profiles stay in --folder; a run that was interrupted goes on with those that are missing. What does not fit into the time
(--minutes) is left out and named.
"""

import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import time

LEAST_S = 90  # that a command may take, however late it is: the first builds the extension
SCRIPT = pathlib.Path(__file__).resolve().parent / "h200_networks.py"
BATCHES = {"resnet18": 64, "resnet50": 64, "bert_base": 16, "gpt2": 8}
MACHINES = ("p3.2xlarge", "p3.8xlarge", "p3.16xlarge", "p4d.24xlarge", "g4dn.xlarge", "g4dn.12xlarge", "g5.xlarge",
            "g5.12xlarge", "g6.12xlarge", "p5.48xlarge")


def without_input_s(ledger):
    """A step but for its input, which a script's prediction does not have."""
    return sum(part["s"] for name, part in ledger["parts"].items() if part and name not in ("copy", "prep", "fetch"))


class Bench:
    def __init__(self, options):
        self.options = options
        self.end = time.monotonic() + 60 * options.minutes
        options.folder.mkdir(parents=True, exist_ok=True)

    def call(self, *command):
        try:
            ran = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False,
                                 timeout=max(LEAST_S, self.end - time.monotonic() + LEAST_S))
        except subprocess.TimeoutExpired:
            return self.failed(command, "no time")
        return ran.stdout if ran.returncode == 0 else self.failed(command, ran.stderr)

    @staticmethod
    def failed(command, error):
        print(f"left out: {' '.join(map(str, command))}: {' '.join(error.strip().splitlines()[-3:])}", flush=True)

    def made(self, name, *command):
        """The profile of this name, made where it is missing and there is time."""
        out = self.options.folder / f"{name}.json"
        if out.exists():
            return out
        if time.monotonic() > self.end:
            print(f"left out: {name}: no time", flush=True)
            return None
        part = out.with_suffix(".part")  # what was interrupted is made again
        self.call(self.options.stash, command[0], "--out", part, *command[1:])
        if part.exists() and json.loads(part.read_text())["complete"]:
            part.rename(out)
        return out if out.exists() else None

    def script(self, name, model, batch, *more, dtype="fp32", launch=(), flags=()):
        time_flags = ("--conditions", "solo", "--max-time", self.options.max_time, "--precision", "1%")
        return self.made(name, "run", *(flags or time_flags), "--", self.options.python, *launch, SCRIPT, "--model", model,
                         "--batch", batch, "--dtype", dtype, *more)

    def builtin(self, name, model, batch):
        return self.made(name, "profile", "--model", model, "--batch", batch, "--device", "cuda", "--ranks", "1",
                         "--conditions", "solo", "--max-time", self.options.max_time, "--precision", "1%", "--python",
                         self.options.python)

    def report(self, profile):
        text = self.call(self.options.stash, "report", profile, "--format", "json")
        return json.loads(text) if text else None

    def compute_s(self, profile):
        report = self.report(profile) if profile else None
        part = report and report["ledger"]["parts"]["compute"]
        return part["s"] if part else None

    def steps_s(self, profile, *changes):
        """Predicted steps by machine."""
        text = self.call(self.options.stash, "predict", profile, "--on", ",".join(MACHINES), "--format", "json", *changes)
        found = json.loads(text)["predictions"] if text else []
        return {one["instance"]: without_input_s(one["ledger"]) for one in found}

    def here_s(self, profile, *changes):
        text = self.call(self.options.stash, "predict", profile, "--format", "json", *changes)
        found = json.loads(text)["predictions"] if text else []
        return found[0]["ledger"]["parts"]["compute"]["s"] if found else None

    def same_network(self):
        print("| network | built-in, ms | script, ms | | steps on ten machines |\n|---|---|---|---|---|")
        for model, batch in BATCHES.items():
            built_in, eager = self.builtin(f"{model}-builtin", model, batch), self.script(f"{model}-eager", model, batch)
            one, two = map(self.compute_s, (built_in, eager))
            if one and two:
                print(f"| {model} | {one * 1e3:.2f} | {two * 1e3:.2f} | {100 * (two / one - 1):+.1f} % | "
                      f"{self.most_apart(built_in, eager)} |", flush=True)

    def compiled(self):
        """Last, since compiling takes longest."""
        print("\n| network | script, ms | compiled, ms | steps of both on ten machines |\n|---|---|---|---|")
        for model, batch in BATCHES.items():
            eager = self.script(f"{model}-eager", model, batch)
            compiled = self.script(f"{model}-compiled", model, batch, "--compile")
            one, two = map(self.compute_s, (eager, compiled))
            if one and two:
                print(f"| {model} | {one * 1e3:.2f} | {two * 1e3:.2f} | {self.most_apart(eager, compiled)} |", flush=True)

    def most_apart(self, one, other):
        """Of the predicted steps, the largest difference."""
        before, after = self.steps_s(one), self.steps_s(other)
        apart = [after[name] / before[name] - 1 for name in before if name in after]
        return f"{100 * max(apart, key=abs):+.1f} % at most" if apart else "–"

    def other_batch_and_type(self):
        print("\n| network | change | predicted, ms | measured, ms | |\n|---|---|---|---|---|")
        errors = []
        for model, batch in BATCHES.items():
            start = self.options.folder / f"{model}-eager.json"
            for name, change, own in ((f"{model}-batch", f"batch={2 * batch}", (2 * batch, "fp32")),
                                      (f"{model}-bf16", "dtype=bf16", (batch, "bf16"))):
                if not start.exists():
                    continue
                predicted = self.here_s(start, "--set", change)
                measured = self.compute_s(self.script(name, model, own[0], dtype=own[1]))
                if predicted and measured:
                    errors.append(abs(predicted / measured - 1))
                    print(f"| {model} | {change} | {predicted * 1e3:.2f} | {measured * 1e3:.2f} | "
                          f"{100 * (predicted / measured - 1):+.1f} % |", flush=True)
        if errors:
            print(f"\nmean difference {100 * statistics.mean(errors):.1f} % (target 8 %)")

    def half_the_gradients(self):
        launch = ("-m", "torch.distributed.run", "--nproc-per-node", "2")
        flags = ("--conditions", "solo,apart,node", "--max-time", self.options.long_time, "--precision", "1%", "--no-work")
        tried = self.script("vgg11-try", "vgg11", 32, launch=launch, flags=("--try", *flags))
        hooked = self.script("vgg11-hook", "vgg11", 32, "--bf16-hook", launch=launch, flags=flags)
        if tried:
            print("\nvgg11, two Gloo ranks:")
            report, with_hook = self.report(tried), self.report(hooked) if hooked else None
            for row in report["tried"] if report else []:
                predicted = "–" if row["predicted_s"] is None else f"{row['predicted_s'] * 1e3:.1f}"
                print(f"  {row['fix']}: {predicted} ms predicted, {row['saved_s'] * 1e3:.1f} measured, of "
                      f"{row['of_s'] * 1e3:.1f}")
            if report and with_hook:
                steps = [one["ledger"]["step"]["s"] for one in (report, with_hook)]
                print(f"  step {steps[0] * 1e3:.1f} ms; with the hook of docs/scripts.md {steps[1] * 1e3:.1f} ms")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--stash", default="./stash")
    parser.add_argument("--folder", type=pathlib.Path, required=True)
    parser.add_argument("--python", default=sys.executable, help="whose torch is used")
    parser.add_argument("--max-time", default="3s", help="of each profile")
    parser.add_argument("--long-time", default="20s", help="of those on two ranks")
    parser.add_argument("--minutes", type=float, default=7)
    bench = Bench(parser.parse_args())
    bench.half_the_gradients()
    bench.same_network()
    bench.other_batch_and_type()
    bench.compiled()


if __name__ == "__main__":
    main()
