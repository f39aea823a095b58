#!/usr/bin/env python3
"""Makes the pictures in this folder from pages that `stash report --format html` writes, in headless Chromium.

    .venv/bin/python docs/pictures/make.py [--batteries DIR] [--stash ./stash] [--out docs/pictures]

The pictures of reports come from docs/profiles. Those of batteries need the folders that the commands in docs/study.md
write; --batteries names the folder that holds them, and a battery that is not there keeps its picture. Needs Debian's
chromium and the playwright of tests/requirements.txt; `./test` installs both.
"""

import argparse
import dataclasses
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "support"))
import browser  # noqa: E402

WIDTH = 900  # the width of a README on a forge; text must be readable at it
SCALE = 2  # sharp on dense screens
MARGIN = 12
UNUSED = "nav, #first details { display: none } h2 { margin-top: 1rem }"  # links and closed tables say nothing here


@dataclasses.dataclass
class Picture:
    name: str
    source: pathlib.Path  # a profile, or the folder of a battery
    chart: str  # the picture ends with it
    whole_top: bool  # from the top of the page on; else the chart alone
    flags: tuple = ()  # of stash report
    below: int = MARGIN  # room under the chart


def report(name, profile, chart, below=MARGIN):
    return Picture(name, ROOT / "docs" / "profiles" / profile, chart, whole_top=True, flags=("--usd-per-hour", "3.99"),
                   below=below)


def battery(folder):
    return Picture(f"battery-{folder.name}.png", folder, chart="#stalls figure", whole_top=False)


def pictures(batteries):
    yield report("report-h200.png", "h200-resnet50-4-workers.json", "#ledger figure svg[role=img]", below=0)
    yield report("report-h200-6-workers.png", "h200-resnet50-6-workers.json", "#ledger figure")
    for name in ("h200", "k80-nodes") if batteries else ():
        if (batteries / name).is_dir():
            yield battery(batteries / name)


def write_page(stash, picture, page):
    subprocess.run([stash, "report", picture.source, *picture.flags, "--format", "html", "--out", page], check=True)


def take(chromium, page, picture, out):
    context = chromium.new_context(viewport={"width": WIDTH, "height": WIDTH}, device_scale_factor=SCALE,
                                   color_scheme="light")
    tab = context.new_page()
    tab.goto(page.as_uri())
    tab.add_style_tag(content=UNUSED)
    chart = tab.locator(picture.chart).first.bounding_box()
    top = 0 if picture.whole_top else chart["y"] - MARGIN
    bottom = chart["y"] + chart["height"] + picture.below
    tab.screenshot(path=out / picture.name, full_page=True,
                   clip={"x": 0, "y": top, "width": WIDTH, "height": bottom - top})
    context.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--batteries", type=pathlib.Path, help="folder that holds the batteries of docs/study.md")
    parser.add_argument("--stash", default=str(ROOT / "stash"), help="the program")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path(__file__).parent, help="where pictures go")
    options = parser.parse_args()
    browser.require_browser()
    driver, chromium = browser.start_browser()
    with tempfile.TemporaryDirectory() as folder:
        page = pathlib.Path(folder, "page.html")
        for picture in pictures(options.batteries):
            write_page(options.stash, picture, page)
            take(chromium, page, picture, options.out)
            print(options.out / picture.name)
    chromium.close()
    driver.stop()


if __name__ == "__main__":
    main()
