"""The HTML pages in a real browser: their numbers against the JSON, no errors, no requests, any width and name."""

import functools
import json
import os
import unittest

import browser
import made_profile
import program

program.require_program(extension=False)
browser.require_browser()

WIDTHS = (390, 820, 1280)  # a phone, a tablet, a desk
LARGEST = 400_000
SECTIONS = ["first", "ledger", "conditions", "ranks", "collectives", "input", "layers", "machine", "method"]


class Browser(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = program.Folder()
        cls.driver, cls.browser = browser.start_browser()
        cls.write("r50", made_profile.made_profile())
        cls.write("hostile", made_profile.made_profile(name=made_profile.HOSTILE))

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()
        cls.driver.stop()
        cls.folder.close()

    @classmethod
    def write(cls, name, profile):
        (cls.folder.path / f"{name}.json").write_text(json.dumps(profile), encoding="utf-8")

    def call(self, *arguments):
        result = program.Run(*arguments, cwd=self.folder.path).finish(60)
        self.assertEqual(result.code, 0, result.err)
        return result

    def open(self, *arguments, width=1280, **context):
        """The page that a call writes, opened; whatever goes wrong in it fails the test."""
        path = self.folder.path / "page.html"
        self.call(*arguments, "--format", "html", "--out", path)
        self.assertLess(path.stat().st_size, LARGEST)
        opened = self.browser.new_context(viewport={"width": width, "height": 900}, **context)
        self.addCleanup(opened.close)
        page = opened.new_page()
        wrong = []
        page.on("console", lambda message: wrong.append(f"console: {message.text}"))
        page.on("pageerror", lambda error: wrong.append(f"error: {error}"))
        page.on("dialog", lambda dialog: (wrong.append(f"dialog: {dialog.message}"), dialog.dismiss()))
        page.on("request", lambda request: wrong.append(request.url) if request.url != path.as_uri() else None)
        page.goto(path.as_uri())
        self.addCleanup(functools.partial(self.assertEqual, wrong, []))
        return page

    @staticmethod
    def table(page, section, number=0):
        """{first cell: [what the others show]} of one of a section's tables, as a reader sees it."""
        rows = page.locator(f"#{section} table").nth(number).evaluate(
            "table => [...table.tBodies[0].rows].map(row => [...row.cells].map(cell => cell.textContent))")
        return {row[0]: row[1:] for row in rows}

    def test_sections_stand_in_their_order_and_every_chart_has_its_table(self):
        page = self.open("report", "r50.json")
        self.assertEqual(page.evaluate("[...document.querySelectorAll('section')].map(s => s.id)"), SECTIONS)
        for section in SECTIONS[1:7]:
            charts = page.locator(f"#{section} figure svg[role=img]").count()
            self.assertGreater(charts, 0, section)
            self.assertGreater(page.locator(f"#{section} table").count(), 0, section)
        labels = page.evaluate("[...document.querySelectorAll('svg[role=img]')].map(s => s.getAttribute('aria-label'))")
        self.assertTrue(all(labels), labels)

    def test_the_ledger_shows_what_the_json_says(self):
        found = self.call("report", "r50.json", "--format", "json", "--usd-per-hour", "24.48").json()
        page = self.open("report", "r50.json", "--usd-per-hour", "24.48")
        self.assertEqual(page.locator("h1").text_content(), found["verdict"])
        shown = self.table(page, "ledger")
        rows = {**found["ledger"]["parts"], "step": found["ledger"]["step"]}
        self.assertEqual(list(shown), list(rows))
        for name, part in rows.items():
            for cell, key in zip(shown[name], ("s", "low_s", "high_s")):
                self.assertAlmostEqual(float(cell), part[key] * 1e3, delta=0.051, msg=f"{name} {key}")
            self.assertAlmostEqual(float(shown[name][3]), part["s"] / rows["step"]["s"] * 100, delta=0.051)
            if name != "step" and part["differs_from_zero"]:
                self.assertAlmostEqual(float(shown[name][4]), part["usd_per_hour"], delta=0.0051)

    def test_bars_are_as_long_as_their_figures(self):
        found = self.call("report", "r50.json", "--format", "json").json()["ledger"]
        page = self.open("report", "r50.json")
        widths = page.evaluate("""[...document.querySelectorAll('#ledger svg[role=img]')[1].querySelectorAll('rect')]
            .map(rect => [rect.getAttribute('class'), rect.getBoundingClientRect().width])""")
        compute = dict(widths)["part-compute"]
        for name, width in widths:
            ratio = found["parts"][name.removeprefix("part-")]["s"] / found["parts"]["compute"]["s"]
            self.assertAlmostEqual(width / compute, ratio, delta=0.002, msg=name)

    def test_conditions_show_a_dot_for_every_window(self):
        profile = made_profile.made_profile()
        found = self.call("report", "r50.json", "--format", "json").json()["ledger"]["step_by_condition"]
        page = self.open("report", "r50.json")
        self.assertEqual(page.locator("#conditions circle").count(), len(profile["windows"]))
        for name, (ms, low, high, windows, _) in self.table(page, "conditions").items():
            self.assertAlmostEqual(float(ms), found[name]["s"] * 1e3, delta=0.051)
            self.assertAlmostEqual(float(low), found[name]["low_s"] * 1e3, delta=0.051)
            self.assertAlmostEqual(float(high), found[name]["high_s"] * 1e3, delta=0.051)
            self.assertEqual(int(windows), 8)

    def test_ranks_collectives_input_and_layers_show_what_the_profile_holds(self):
        page = self.open("report", "r50.json")
        self.assertIn("rank: 3", page.locator("#ranks p").first.text_content())
        ranks = self.table(page, "ranks")
        self.assertEqual(float(ranks["3"][-1]), 9.0)
        self.assertEqual(float(ranks["0"][-1]), 0.4)
        calls = page.locator("#collectives tbody tr td[data-value]").evaluate_all("cells => cells.map(c => +c.dataset.value)")
        self.assertIn(160, calls)  # 40 on each of four ranks
        links = self.table(page, "collectives", 1)
        self.assertRegex(links["inside resnet50-0"][-1], r"^100 GB/s \(p3.8xlarge\)$")
        self.assertGreater(page.locator("#collectives line.expected").count(), 0)
        self.assertEqual(self.table(page, "input")["0"][4:6], ["12.250", "4.500"])
        self.assertEqual(self.table(page, "layers")["fc"][1:3], ["1000.0", "9000.0"])
        self.assertIn("1,281,167", page.locator("#machine").text_content())

    def test_a_tip_shows_the_figures_of_the_mark_under_the_pointer(self):
        page = self.open("report", "r50.json")
        page.locator("#ledger figure > svg rect.part-network").first.hover()
        self.assertRegex(page.locator("#tip").text_content(), r"^network: \d+\.\d ms \(.* to .*\), \d+\.\d % of the step$")
        page.locator("h1").hover()
        self.assertFalse(page.locator("#tip").is_visible())

    def test_at_1200_px_the_price_column_of_predictions_is_not_cut_off(self):
        page = self.open("predict", "--model", "vgg11", "--batch", "32", "--on", "p3.8xlarge,p3.16xlarge,p4d.24xlarge",
                         "--nodes", "1,2", "--samples", "1281167", width=1200)
        shown, needed = page.locator("#predicted .scroll").evaluate("table => [table.clientWidth, table.scrollWidth]")
        self.assertLessEqual(needed, shown)
        self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), 1200)

    def test_what_more_would_be_worth_is_listed_under_its_machine(self):
        page = self.open("predict", "--model", "vgg11", "--batch", "32", "--on", "p3.8xlarge,p3.16xlarge", "--nodes", "2")
        machines = page.locator("#worth > ul > li")
        self.assertEqual(machines.count(), 2)
        for i in range(2):
            self.assertGreater(machines.nth(i).locator("> ul > li").count(), 0)

    def test_any_width_has_no_sideways_scroll_in_light_dark_and_print(self):
        for width in WIDTHS:
            for scheme in ("light", "dark"):
                for name in ("r50", "hostile"):
                    page = self.open("report", f"{name}.json", width=width, color_scheme=scheme)
                    self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), width, (width, name))
        page.emulate_media(media="print")
        self.assertFalse(page.locator("nav").is_visible())

    def test_text_can_be_told_from_its_ground(self):
        for scheme in ("light", "dark"):
            page = self.open("report", "r50.json", color_scheme=scheme)
            for selector in ("h1", ".quiet", "caption", "nav a", "svg .tick"):
                self.assertGreater(contrast(page, selector), 4.5, (scheme, selector))  # WCAG AA

    def test_the_keyboard_reaches_links_tables_and_details(self):
        page = self.open("report", "r50.json")
        reached = set()
        for _ in range(60):
            page.keyboard.press("Tab")
            reached.add(page.evaluate("document.activeElement.tagName"))
        self.assertLessEqual({"A", "DIV", "SUMMARY"}, reached)
        summary = page.locator("#layers summary").first
        summary.focus()
        page.keyboard.press("Enter")
        self.assertTrue(page.locator("#layers table").is_visible())

    def test_hostile_names_are_text(self):
        page = self.open("report", "hostile.json")
        self.assertEqual(page.locator("main script, main img, header img").count(), 0)
        self.assertIn("<script>alert(1)</script>", page.locator("#machine").text_content())
        self.assertNotIn("\u202e", page.content())

    def test_predictions_show_ledgers_side_by_side(self):
        arguments = ("predict", "--model", "resnet50", "--batch", "64", "--samples", "1281167", "--on",
                     "p3.2xlarge,p3.16xlarge,p2.xlarge", "--nodes", "1,2")
        found = self.call(*arguments, "--format", "json").json()["predictions"]
        page = self.open(*arguments)
        shown = list(self.table(page, "predicted").values())
        self.assertEqual(len(shown), len(found))
        for cells, prediction in zip(shown, found):
            self.assertAlmostEqual(float(cells[7]), prediction["ledger"]["step"]["s"] * 1e3, delta=0.51)
            self.assertAlmostEqual(float(cells[11]), prediction["usd_per_hour"], delta=0.0051)

    def test_plans_are_pictures_of_layers_over_devices_at_any_width(self):
        gpt = "gpt:layers=48,hidden=8192,heads=64,seq=2048"
        for arguments in (("--model", "resnet50", "--on", "4xV100+4xT4", "--network", "25Gbit/s"),
                          ("--model", gpt, "--on", "p4d.24xlarge", "--nodes", "64")):
            for width in WIDTHS:
                page = self.open("plan", *arguments, width=width)
                self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), width)
                self.assertGreater(page.locator("figure svg rect.series-1").count(), 1)

    def test_a_replayed_fleet_shows_policies_load_and_machines_at_any_width(self):
        rows = "".join(f"{i},{3000 + 2000 * (i % 30 == 2)}\n" for i in range(240))
        (self.folder.path / "load.csv").write_text("minute,requests\n" + rows, encoding="utf-8")
        arguments = ("fleet", "replay", "--trace", "load.csv", "--market", "mark-inception", "--objective", "500ms",
                     "--policy", "mark,peak")
        found = self.call(*arguments, "--format", "json").json()
        for width in WIDTHS:
            page = self.open(*arguments, width=width)
            self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), width)
        self.assertEqual(page.locator("h1").text_content(), found["verdict"])
        shown = self.table(page, "policies")
        for policy in found["policies"]:
            self.assertAlmostEqual(float(shown[policy["name"]][0].strip("$")), policy["usd"], delta=0.0051)
        self.assertGreater(page.locator("#load path.curve").count(), 0)
        self.assertEqual(page.locator("#machines svg[role=img]").count(), 2)
        fill = page.locator("#load path.curve").first.evaluate("path => getComputedStyle(path).fill")
        self.assertEqual(fill, "none")

    def test_a_planned_fleet_says_why_each_machine_is_there_at_any_width(self):
        rows = "".join(f"{i},{3000 + 2000 * (i % 30 == 2)}\n" for i in range(240))
        (self.folder.path / "load.csv").write_text("minute,requests\n" + rows, encoding="utf-8")
        arguments = ("fleet", "plan", "--trace", "load.csv", "--market", "mark-inception", "--objective", "500ms")
        result = self.call(*arguments, "--format", "json")
        if "coinor-libcbc3" in result.err:
            self.skipTest("the solver CBC is not installed")
        found = result.json()
        for width in WIDTHS:
            page = self.open(*arguments, width=width)
            self.assertLessEqual(page.evaluate("document.documentElement.scrollWidth"), width)
        self.assertEqual(page.locator("h1").text_content(), found["verdict"])
        shown = self.table(page, "types")
        for machine in found["machines"]:
            self.assertEqual(shown[machine["name"]][-1], machine["why"])
        self.assertEqual(len(self.table(page, "next")), len(found["next_dollar"]))
        self.assertGreater(page.locator("#load path.band").count(), 0)
        self.assertGreater(page.locator("#load path.curve").count(), 1)
        self.assertGreater(page.locator("#machines svg[role=img]").count(), 0)

    def test_advice_marks_the_front_and_the_best(self):
        arguments = ("advise", "--model", "resnet50", "--batch", "64", "--epochs", "90", "--samples", "1281167",
                     "--cloud", "aws")
        found = self.call(*arguments, "--format", "json").json()
        page = self.open(*arguments)
        self.assertEqual(page.locator("h1").text_content(), found["verdict"])
        self.assertEqual(page.locator("#advice circle.series-2").count(), 1)
        front = sum(option["on_front"] for option in found["predictions"])
        self.assertEqual(page.locator("#advice circle.series-1").count(), front - found["predictions"][0]["on_front"])

    def battery(self):
        for name, batch in (("resnet50", 64), ("resnet18", 32)):
            profile = made_profile.made_profile(name=name)
            profile["job"]["batch"] = batch
            path = self.folder.path / "vm" / "cases" / f"{name}.json"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps(profile), encoding="utf-8")
        return "vm"

    def test_a_battery_shows_every_case(self):
        folder = self.battery()
        cases = self.call("report", folder, "--format", "json").json()["cases"]
        page = self.open("report", folder)
        shown = self.table(page, "stalls")
        self.assertEqual(len(shown), len(cases))
        for cells, case in zip(shown.values(), cases):
            self.assertAlmostEqual(float(cells[0]), case["ledger"]["step"]["s"] * 1e3, delta=0.0051)
            self.assertAlmostEqual(float(cells[6]), case["ledger"]["parts"]["network"]["ratio"] * 100, delta=0.051)
        for section in ("stalls", "epochs"):
            self.assertGreater(page.locator(f"#{section} figure svg rect").count(), 6)

    def test_a_comparison_shows_machines_and_costs(self):
        folder = self.battery()
        arguments = ("compare", folder, folder, "--epochs", "3", "--on", "p3.8xlarge")
        costs = self.call(*arguments, "--format", "json").json()["costs"]
        page = self.open(*arguments)
        self.assertEqual(page.locator("#models figure").count(), 2)
        self.assertEqual(page.locator("#costs tbody tr").count(), len(costs))

    def test_screenshots_can_be_looked_at(self):
        folder = os.environ.get("STASH_SCREENSHOTS")
        if not folder:
            self.skipTest("STASH_SCREENSHOTS names no folder")
        for width in WIDTHS:
            for scheme in ("light", "dark"):
                page = self.open("report", "r50.json", "--usd-per-hour", "24.48", width=width, color_scheme=scheme)
                page.screenshot(path=f"{folder}/report-{width}-{scheme}.png", full_page=True)


def contrast(page, selector):
    """As WCAG counts it: of an element's text against the page."""
    colors = page.locator(selector).first.evaluate(
        "e => [e instanceof SVGElement ? getComputedStyle(e).fill : getComputedStyle(e).color,"
        " getComputedStyle(document.body).backgroundColor]")

    def luminance(color):
        channels = [int(part) / 255 for part in color[color.index("(") + 1:-1].split(",")[:3]]
        linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
        return sum(weight * c for weight, c in zip((0.2126, 0.7152, 0.0722), linear))

    light, dark = sorted(map(luminance, colors), reverse=True)
    return (light + 0.05) / (dark + 0.05)


if __name__ == "__main__":
    unittest.main()
