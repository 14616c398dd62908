"""open_page.py PAGE FOLDER [use] [SIZE_THEME]: opens a page of `kiln report --format html` in a headless Chromium, light and dark, as wide as a
phone and as a desk, leaves a screenshot of each and the page as it prints in FOLDER and prints the marks of each plot as JSON. With
`use` it filters, sorts, shows a value by hover, tap and arrow keys, and prints. Exits with 1 and says why where the page has a fault:
something on the console, anything fetched, a plot without marks, a page that scrolls sideways, text without contrast, a control that
the Tab key does not reach, a filter that does nothing. Exits with 77 where there is no browser."""

import base64
import json
import pathlib
import sys

import devtools

THEMES = ("light", "dark")
SIZES = {"phone": (390, 844), "desk": (1280, 900)}
LEAST_TEXT = 10  # pixels, of letters in a plot
LEAST_INK = 0.002  # share of a plot's pixels
TALLEST = 16000  # of a screenshot


def complaints(events, page):
    """What the browser said and asked for while the page was opened."""
    for event in events:
        parameters = event.get("params", {})
        method = event.get("method")
        if method == "Log.entryAdded":
            yield "console: " + parameters["entry"]["text"]
        elif method == "Runtime.consoleAPICalled":
            yield "console: " + " ".join(str(value.get("value", value.get("description"))) for value in parameters["args"])
        elif method == "Runtime.exceptionThrown":
            yield "exception: " + parameters["exceptionDetails"]["text"]
        elif method == "Network.requestWillBeSent" and parameters["request"]["url"] != page:
            yield "fetched: " + parameters["request"]["url"]


def faults(seen, width, theme):
    if not seen["plots"]:
        yield "no plot"
    for plot in seen["plots"]:
        if plot["marks"] == 0 or plot["ink"] < LEAST_INK:
            yield f"a plot without marks: {plot['caption']}"
        elif plot["smallest"] < LEAST_TEXT:
            yield f"letters of {plot['smallest']} pixels: {plot['caption']}"
        if not plot["label"]:
            yield f"a plot without a label: {plot['caption']}"
    if seen["unreachable"]:
        yield f"{seen['unreachable']} controls cannot be reached by the Tab key"
    # A phone's window grows with a page that is too wide.
    if seen["needed"] > width:
        yield f"the page is {seen['needed']} wide in a window of {width}"
    for words in seen["faint"]:
        yield "too little contrast: " + words
    if (sum(seen["back"]) < 3 * 128) != (theme == "dark"):
        yield f"the background is {seen['back']}"
    if seen["numbersLeft"]:
        yield f"{seen['numbersLeft']} numbers of tables do not stand right"


def point_at(browser, canvas):
    """Where the first mark of a plot is, in the window."""
    return browser.evaluate(
        f"""(() => {{ const canvas = document.querySelector({canvas!r}); canvas.scrollIntoView({{block: "center"}});
        const box = canvas.getBoundingClientRect(); const mark = Chart.getChart(canvas).getDatasetMeta(0).data[0];
        return {{x: box.x + mark.x - 2, y: box.y + mark.y}}; }})()"""
    )


def use_faults(browser, folder):
    """What does not work when the page is used."""
    yield from browser.evaluate((pathlib.Path(__file__).parent / "use.js").read_text(encoding="utf-8"))
    shown = "Chart.getChart(document.querySelector('#times canvas')).tooltip.opacity > 0"
    place = point_at(browser, "#times canvas")
    browser.call("Input.dispatchMouseEvent", type="mouseMoved", **place)
    if not browser.settles(shown):
        yield "no value where the pointer is"
    browser.call("Input.dispatchMouseEvent", type="mouseMoved", x=1, y=1)
    if not browser.settles(f"!({shown})"):
        yield "a value stays when the pointer has left"
    browser.call("Input.dispatchTouchEvent", type="touchStart", touchPoints=[place])
    browser.call("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])
    if not browser.settles(shown):
        yield "no value on a tap"
    # Paper is light, whatever the theme.
    seen = browser.evaluate("dispatchEvent(new Event('beforeprint')); Chart.defaults.color")
    if seen != "#1a1d21":
        yield f"plots print with letters of {seen}"
    browser.evaluate("dispatchEvent(new Event('afterprint'))")
    paper = base64.b64decode(browser.call("Page.printToPDF", printBackground=True)["data"])
    (folder / "page.pdf").write_bytes(paper)
    if not paper.startswith(b"%PDF-"):
        yield "the page does not print"


def main():
    page, folder = pathlib.Path(sys.argv[1]).resolve().as_uri(), pathlib.Path(sys.argv[2])
    browser_path = devtools.find_browser()
    if not browser_path:
        print("skipped: no Chromium that starts and is no snap (package chromium-headless-shell)")
        return 77
    folder.mkdir(parents=True, exist_ok=True)
    look = (pathlib.Path(__file__).parent / "look.js").read_text(encoding="utf-8")
    problems, summary = [], {}
    only = set(sys.argv[3:]) - {"use"}
    with devtools.Browser(browser_path) as browser:
        for theme in THEMES:
            for size, (width, height) in SIZES.items():
                name = f"{size}_{theme}"
                if only and name not in only:
                    continue
                events = browser.open(page, width, height, theme)
                seen = browser.evaluate(look)
                browser.screenshot(folder / f"{name}.png", TALLEST)
                used = list(use_faults(browser, folder)) if "use" in sys.argv[3:] else []
                # What the page did after it was loaded counts, too.
                events += list(browser.events)[len(events):]
                problems += [f"{name}: {text}" for text in [*complaints(events, page), *faults(seen, width, theme), *used]]
                summary[name] = {plot["caption"]: plot["marks"] for plot in seen["plots"]}
    print(json.dumps(summary, indent=1))
    print("\n".join(dict.fromkeys(problems)), file=sys.stderr)
    return 1 if problems else 0


sys.exit(main())
