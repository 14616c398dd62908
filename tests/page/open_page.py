"""open_page.py PAGE FOLDER: opens a page of `kiln report --format html` in a headless Chromium, light and dark, as wide as a phone
and as a desk, leaves a screenshot of each in FOLDER and prints the marks of each plot as JSON. Exits with 1 and says why where the page has
a fault: something on the console, anything fetched, a plot without marks, a page that scrolls sideways, text without contrast.
Exits with 77 where there is no browser."""

import json
import pathlib
import sys

import devtools

THEMES = ("light", "dark")
SIZES = {"phone": (390, 844), "desk": (1280, 900)}
LEAST_TEXT = 10  # pixels, the height of a line of letters in a plot
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
        if plot["marks"] == 0 or plot["texts"] == 0:
            yield f"a plot without marks or text: {plot['label']}"
        elif plot["smallest"] < LEAST_TEXT:
            yield f"letters of {plot['smallest']} pixels: {plot['label']}"
    # A phone's window grows with a page that is too wide.
    if seen["needed"] > width:
        yield f"the page is {seen['needed']} wide in a window of {width}"
    for words in seen["faint"]:
        yield "too little contrast: " + words
    if (sum(seen["back"]) < 3 * 128) != (theme == "dark"):
        yield f"the background is {seen['back']}"
    if seen["numbersLeft"]:
        yield f"{seen['numbersLeft']} numbers of tables do not stand right"


def main():
    page, folder = pathlib.Path(sys.argv[1]).resolve().as_uri(), pathlib.Path(sys.argv[2])
    browser_path = devtools.find_browser()
    if not browser_path:
        print("skipped: no Chromium that starts and is no snap (package chromium-headless-shell)")
        return 77
    folder.mkdir(parents=True, exist_ok=True)
    look = (pathlib.Path(__file__).parent / "look.js").read_text(encoding="utf-8")
    problems, summary = [], {}
    with devtools.Browser(browser_path) as browser:
        for theme in THEMES:
            for size, (width, height) in SIZES.items():
                name = f"{size}_{theme}"
                events = browser.open(page, width, height, theme)
                seen = browser.evaluate(look)
                browser.screenshot(folder / f"{name}.png", TALLEST)
                # What the page did after it was loaded counts, too.
                events += list(browser.events)[len(events):]
                problems += [f"{name}: {text}" for text in [*complaints(events, page), *faults(seen, width, theme)]]
                summary[name] = {plot["label"]: plot["marks"] for plot in seen["plots"]}
    print(json.dumps(summary, indent=1))
    print("\n".join(dict.fromkeys(problems)), file=sys.stderr)
    return 1 if problems else 0


sys.exit(main())
