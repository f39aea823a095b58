"""Debian's Chromium, driven by Playwright; leaves the test where either is missing."""

import os
import shutil
import sys

import program

CHROMIUM = shutil.which("chromium")
try:
    from playwright.sync_api import sync_playwright
except ImportError:
    sync_playwright = None


def require_browser():
    if not CHROMIUM or not sync_playwright:
        print("needs Debian's chromium and the playwright of tests/requirements.txt")
        sys.exit(program.SKIPPED)


def start_browser():
    """A driver to stop, and its browser to close."""
    driver = sync_playwright().start()
    sandbox = [] if os.getuid() else ["--no-sandbox"]  # Chromium's does not run for root
    return driver, driver.chromium.launch(executable_path=CHROMIUM, args=sandbox)
