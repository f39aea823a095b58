"""`stash watch`: counters of what goes by, and a script that is left alone."""

import unittest

import program
import script

program.require_program(extension=False)


class Watch(unittest.TestCase):
    def setUp(self):
        self.folder = program.Folder()
        self.addCleanup(self.folder.close)

    def watch(self, ranks, *arguments):
        metrics = self.folder.path / "stash.prom"
        call = program.Run("watch", "--metrics", metrics, "--", *script.ranks(ranks), script.SCRIPTS / "toy.py",
                           *arguments, CUDA_VISIBLE_DEVICES="", OMP_NUM_THREADS=1)
        result = call.finish()
        self.assertEqual(result.code, 0, result.err)
        self.assertEqual(call.survivors(), {})
        return result, metrics.read_text()

    def value(self, text, name, rank=0):
        lines = [line for line in text.splitlines() if line.startswith(f'{name}{{job="toy.py",rank="{rank}"')]
        self.assertTrue(lines, name)
        return sum(float(line.split()[-1]) for line in lines)

    def test_counts_and_times(self):
        result, text = self.watch(2, "--steps", 101, "--compute-ms", 5, "--workers", 0, "--sample-ms", 1, "--batch", 4)
        # Two ranks write to one pipe: Python hands over a line and its end apart where output is not buffered.
        self.assertEqual(sorted(result.out), sorted("done\ndone\n"))
        for rank in (0, 1):
            self.assertEqual(self.value(text, "stash_steps_total", rank), 100)
            seconds = self.value(text, "stash_step_seconds_total", rank)
            wait = self.value(text, "stash_input_wait_seconds_total", rank)
            self.assertGreater(seconds, 100 * (0.005 + 0.004))
            self.assertGreater(wait, 100 * 0.004)
            self.assertLess(wait, seconds)
            self.assertGreaterEqual(self.value(text, "stash_collectives_total", rank), 100)
        self.assertTrue(text.endswith("# EOF\n"))
        self.assertIn("per step", result.err)

    def test_losses_are_those_of_a_run_without(self):
        arguments = ("--steps", 20, "--print-losses")
        plain = program.Run(script.SCRIPTS / "toy.py", *arguments, program=script.PYTHON, CUDA_VISIBLE_DEVICES="").finish()
        watched, _ = self.watch(1, *arguments)
        self.assertEqual(watched.out, plain.out)


if __name__ == "__main__":
    unittest.main()
