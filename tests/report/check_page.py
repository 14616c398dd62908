"""Reads a page of `kiln report --format html` on standard input and prints what it holds as JSON; exits with 1 and says why
where the page is not whole: elements that do not balance, data that is no JSON, or anything from elsewhere."""

import html.parser
import json
import re
import sys

VOID = {"meta", "br", "hr", "img", "link", "input"}
REFERENCES = {"src", "href", "xlink:href", "data", "action", "poster", "srcset"}


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.problems, self.plots, self.tables, self.rows = [], [], [], 0, 0
        self.data, self.ids, self.targets = "", set(), set()

    def handle_starttag(self, tag, attributes):
        names = dict(attributes)
        for name in REFERENCES & names.keys():
            if names[name].startswith("#"):
                self.targets.add(names[name][1:])
            else:
                self.problems.append(f"<{tag}> refers to {names[name]}")
        if "id" in names:
            self.ids.add(names["id"])
        if any(name.startswith("on") for name in names) or tag in ("iframe", "link", "img", "object"):
            self.problems.append(f"<{tag}> brings in code or something from elsewhere")
        if "data-plots" in names:
            self.plots.append(names["data-plots"])
        self.in_data = names.get("id") == "data"
        self.tables += tag == "table"
        self.rows += tag == "tr"
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.problems.append(f"</{tag}> closes nothing, line {self.getpos()[0]}")

    def handle_data(self, data):
        if self.open and self.open[-1] == "script" and self.in_data:
            self.data += data


text = sys.stdin.read()
page = Page()
page.feed(text)
page.close()
page.problems += [f"<{tag}> is left open" for tag in page.open]
page.problems += [f"nothing has the id {target}" for target in sorted(page.targets - page.ids)]
if "connect-src 'none'" not in text:
    page.problems.append("no policy that forbids to fetch anything")
style = re.search(r"<style>(.*?)</style>", text, re.S)
if not style or re.search(r"url\(|@import", style[1]):
    page.problems.append("no style sheet, or one that refers elsewhere")
elif "prefers-color-scheme: dark" not in style[1]:
    page.problems.append("no dark theme")
if 'name="viewport"' not in text:
    page.problems.append("no viewport for phones")
print(json.dumps({"plots": page.plots, "tables": page.tables, "rows": page.rows, "data": json.loads(page.data)}))
if page.problems:
    sys.exit("\n".join(page.problems))
