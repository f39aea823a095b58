"""A battery of ten cases that is killed ten times."""

import unittest

import killed_battery_test


class ManyKills(killed_battery_test.Battery):
    def test_a_battery_of_ten_cases_killed_ten_times_finishes_each_once(self):
        self.kill_at_random_moments(10, 5)


def load_tests(*_):
    """That one alone; the others are the base class's."""
    return unittest.TestSuite([ManyKills("test_a_battery_of_ten_cases_killed_ten_times_finishes_each_once")])


if __name__ == "__main__":
    unittest.main()
