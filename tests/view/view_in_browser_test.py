"""`stash view` in a real browser: filter, updates, comparison; no error, and no request to anyone else."""

import json
import re
import signal
import unittest

import browser
import made_profile
import program

program.require_program(extension=False)
browser.require_browser()


class ViewInABrowser(unittest.TestCase):
    def setUp(self):
        self.folder = program.Folder()
        self.addCleanup(self.folder.close)
        self.write("first.json", seed=1)
        self.write("second.json", seed=2)
        self.write("<img src=x>.json", name=made_profile.HOSTILE)
        self.run_ = program.Run("view", self.folder.path)
        self.addCleanup(self.end)
        self.address = self.run_.process.stdout.readline().strip()
        driver, chromium = browser.start_browser()
        self.addCleanup(driver.stop)
        self.addCleanup(chromium.close)
        self.page = chromium.new_page()
        self.wrong = []
        self.page.on("console", lambda message: self.wrong.append(message.text))
        self.page.on("pageerror", lambda error: self.wrong.append(str(error)))
        self.page.on("request", lambda request: request.url.startswith((self.address, "data:")) or self.wrong.append(request.url))
        self.page.goto(self.address)

    def end(self):
        self.run_.process.send_signal(signal.SIGINT)
        self.assertEqual(self.run_.finish(20).code, 0)

    def write(self, file, **arguments):
        temporary = self.folder.path / ".new"
        temporary.write_text(json.dumps(made_profile.made_profile(**arguments)), encoding="utf-8")
        temporary.rename(self.folder.path / file)

    def row(self, file):
        return self.page.locator("#rows tr", has_text=file)

    def test_filters_updates_and_compares(self):
        page = self.page
        page.get_by_text("updates live").wait_for()
        page.fill("input[name=words]", "first")
        self.row("second.json").wait_for(state="detached")
        self.assertEqual(self.row("first.json").count(), 1)
        self.assertRegex(page.url, r"words=first")
        page.fill("input[name=words]", "")
        self.row("second.json").wait_for()
        self.row("first.json").locator("input[name=before]").check()
        self.write("third.json", seed=3, name="vgg11")
        self.row("third.json").wait_for()
        self.assertTrue(self.row("first.json").locator("input[name=before]").is_checked())
        (self.folder.path / "third.json").unlink()
        self.row("third.json").wait_for(state="detached")
        self.row("second.json").locator("input[name=after]").check()
        page.click("#compare button")
        page.wait_for_url(re.compile("/compare"))
        self.assertIn("before: first.json", page.inner_text("header"))
        page.go_back()
        page.click("text=second.json")
        page.wait_for_url(re.compile("/profile"))
        page.locator("#ledger").wait_for()
        self.assertEqual(self.wrong, [])

    def test_hostile_names_are_text_and_can_be_chosen(self):
        page = self.page
        hostile = self.row("<img src=x>.json")
        hostile.locator("input[name=before]").check()
        hostile.locator("input[name=after]").check()
        page.click("#compare button")
        page.wait_for_url(re.compile("/compare"))
        self.assertIn("<img src=x>.json", page.inner_text("header"))
        self.assertEqual(page.locator("img").count(), 0)
        self.assertEqual(self.wrong, [])


if __name__ == "__main__":
    unittest.main()
