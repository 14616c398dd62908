#!/usr/bin/env python3
"""Builds the site of the documents with MkDocs, and checks every link of it.

    tools/site.py OUTPUT --kiln build/release/bin/kiln [--doxygen FOLDER]    needs packages mkdocs and mkdocs-material, or the same from PyPI

OUTPUT/html is the site: README, documents, the READMEs of workloads and examples, and what they link to, each at its path in the
repository. Pages are made of `kiln --help` (reference/cli), of the schemas (reference/schemas) and of the docstrings of the
package `kiln` (reference/python); FOLDER is the HTML of docs/doxygen (tests/docs/doxygen.sh makes it), which becomes part of the site.
Search needs a web server: `python3 -m http.server -d OUTPUT/html`. Exit codes: 0 done, 1 a warning of MkDocs or a link that leads
nowhere, 2 bad input.
"""

import argparse
import ast
import html.parser
import json
import pathlib
import re
import shutil
import subprocess
import sys
import urllib.parse

FENCE = re.compile(r"^( *```.*?^ *```[ ]*$)", re.DOTALL | re.MULTILINE)
CODE = re.compile(r"(`[^`\n]*`)")
LINK = re.compile(r"\]\(([^)\s]+)\)")
NAMED_FENCE = re.compile(r"^```(\w+) (\S+)$", re.MULTILINE)
FOREIGN = ("http://", "https://", "mailto:", "#")


class BadInput(Exception):
    """What the user gave cannot be used; the message says why."""


class Stage:
    """The folder that MkDocs reads: the pages and files that links lead to, at their paths in the repository."""

    def __init__(self, root, folder):
        self.root, self.folder, self.done = root, folder, set()

    def write(self, path, text):
        target = self.folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")

    def add(self, path):
        """A file of the repository and all that it links to."""
        if path in self.done:
            return
        self.done.add(path)
        source = self.root / path
        if path.suffix == ".md":
            self.write(path, self.page(path, source.read_text(encoding="utf-8")))
        else:
            (self.folder / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, self.folder / path)

    def page(self, path, text):
        """The text with links to folders led to a page; names behind a fence's language become its title."""
        text = NAMED_FENCE.sub(r'```\1 title="\2"', text)
        parts = FENCE.split(text)
        parts[::2] = ["".join(piece if piece.startswith("`") else LINK.sub(lambda link: self.link(path, link[1]), piece)
                              for piece in CODE.split(part)) for part in parts[::2]]
        return "".join(parts)

    def link(self, page, target):
        if target.startswith(FOREIGN):
            return f"]({target})"
        place, hash_sign, fragment = target.partition("#")
        try:
            path = (self.root / page.parent / place).resolve().relative_to(self.root)
        except ValueError as error:
            raise BadInput(f"{page}: the link to {target} leaves the repository") from error
        if (self.root / path).is_dir():
            place = place.rstrip("/") + "/README.md"
            path = path / "README.md"
            if not (self.root / path).exists():
                self.listing(path)
        if (self.root / path).exists():
            self.add(path)
        return f"]({place}{hash_sign}{fragment})"

    def listing(self, path):
        """A page of a folder that has none of its own."""
        if path in self.done:
            return
        self.done.add(path)
        lines = [f"# {path.parent}", ""]
        for file in sorted((self.root / path.parent).iterdir()):
            if file.is_file() and not file.name.startswith("."):
                self.add(path.parent / file.name)
                lines.append(f"- [{file.name}]({file.name})")
        self.write(path, "\n".join(lines) + "\n")


def help_of(kiln, words):
    done = subprocess.run([kiln, *words, "--help"], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise BadInput(f"{kiln} {' '.join(words)} --help: exit code {done.returncode}: {done.stderr.strip()}")
    return done.stdout


def commands_in(text):
    """The names below "Subcommands:"."""
    part = re.search(r"^Subcommands:\n(.*?)(?:\n\n|\Z)", text, re.DOTALL | re.MULTILINE)
    return re.findall(r"^  (\S+)", part[1], re.MULTILINE) if part else []


def cli_page(kiln):
    text = help_of(kiln, [])
    lines = ["# Command line", "", "What `--help` of each command prints.", "", "## kiln", "", "```text", text.rstrip(), "```"]

    def add(words):
        said = help_of(kiln, words)
        lines.extend(["", f"{'#' * (1 + len(words))} kiln {' '.join(words)}", "", "```text", said.rstrip(), "```"])
        for name in commands_in(said):
            add([*words, name])

    for name in commands_in(text):
        add([name])
    return "\n".join(lines) + "\n"


def schemas_page(stage):
    lines = ["# Schemas", "", "JSON schemas of the files that Kiln reads and writes. Editors complete and check a file whose first line names its schema.", ""]
    lines += ["| schema | describes |", "| --- | --- |"]
    for path in sorted((stage.root / "schemas").glob("*.json")):
        schema = json.loads(path.read_text(encoding="utf-8"))
        stage.add(path.relative_to(stage.root))
        what = schema.get("title") or schema.get("description") or ""
        if schema.get("title") and schema.get("description"):
            what += ": " + schema["description"]
        lines.append(f"| [{path.name}](../schemas/{path.name}) | {what} |")
    return "\n".join(lines) + "\n"


def signature_of(function):
    arguments = ast.unparse(function.args)
    arguments = re.sub(r"^(self|cls)(, )?", "", arguments)
    result = f" -> {ast.unparse(function.returns)}" if function.returns else ""
    return f"{function.name}({arguments}){result}"


def python_page(root):
    package = root / "python/kiln"
    entry = ast.parse((package / "__init__.py").read_text(encoding="utf-8"))
    exported = next(ast.literal_eval(node.value) for node in entry.body if isinstance(node, ast.Assign) and node.targets[0].id == "__all__")
    origin = {alias.asname or alias.name: node.module for node in entry.body if isinstance(node, ast.ImportFrom) for alias in node.names}
    lines = ["# Python", "", ast.get_docstring(entry), "", "[Kiln from Python](../docs/python.md) explains the package; this page has its docstrings.", ""]
    for name in sorted(exported, key=str.lower):
        module = origin.get(name)
        path = package / f"{module}.py"
        if module is None or name == "__version__":
            continue
        path = path if path.exists() else package / f"{module}.pyi"
        nodes = {node.name: node for node in ast.parse(path.read_text(encoding="utf-8")).body if isinstance(node, (ast.ClassDef, ast.FunctionDef))}
        node = nodes.get(name)
        if node is None or not ast.get_docstring(node):
            continue
        if isinstance(node, ast.FunctionDef):
            lines += [f"## {name}", "", "```python", signature_of(node), "```", "", ast.get_docstring(node), ""]
            continue
        lines += [f"## class {name}", "", ast.get_docstring(node), ""]
        for member in node.body:
            public = isinstance(member, ast.FunctionDef) and (not member.name.startswith("_") or member.name in ("__init__", "__call__", "__getitem__"))
            if public and ast.get_docstring(member):
                lines += ["```python", signature_of(member), "```", "", ast.get_docstring(member), ""]
    return "\n".join(lines) + "\n"


def cpp_page(has_doxygen):
    # A link that MkDocs does not see: Doxygen's pages come into the site after its build.
    link = '<a href="doxygen/index.html">The pages of the public headers</a>, made by Doxygen' if has_doxygen else "This site was built without Doxygen's pages of the public headers"
    return f"# C++ and C\n\n{link}. [Kiln inside a program](../docs/embedding.md) explains how they are used.\n"


class Page(html.parser.HTMLParser):
    """The links and the anchors of a page."""

    def __init__(self, path):
        super().__init__()
        self.links, self.anchors = [], set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        values = dict(attrs)
        self.anchors.update(values[key] for key in ("id", "name") if values.get(key))
        self.links += [values[key] for key in ("href", "src") if values.get(key)]


def dead_links(site):
    """Of MkDocs' pages; Doxygen checks its own."""
    pages, dead = {}, []

    def page_of(path):
        if path not in pages:
            pages[path] = Page(path)
        return pages[path]

    files = [path for path in sorted(site.rglob("*.html")) if "doxygen" not in path.relative_to(site).parts and path.name != "404.html"]
    for path in files:
        for link in page_of(path).links:
            target = urllib.parse.urlparse(link)
            if target.scheme or target.netloc or link.startswith("/"):
                continue
            place = (path.parent / urllib.parse.unquote(target.path)).resolve() if target.path else path
            place = place / "index.html" if place.is_dir() else place
            if not place.exists():
                dead.append(f"{path.relative_to(site)}: the link to {link} leads nowhere")
            elif target.fragment and place.suffix == ".html" and "doxygen" not in place.parts:
                if urllib.parse.unquote(target.fragment) not in page_of(place).anchors | {"__search", "__drawer", "__skip"}:
                    dead.append(f"{path.relative_to(site)}: {link}: the page has no such anchor")
    return len(files), dead


def build(options):
    root, output = options.root.resolve(), options.output.resolve()
    shutil.rmtree(output, ignore_errors=True)
    stage = Stage(root, output / "pages")
    for pattern in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "docs/*.md", "docs/tutorials/*.md", "docs/releases/*.md", "kernels_src/*/README.md"):
        for path in sorted(root.glob(pattern)):
            stage.add(path.relative_to(root))
    stage.write(pathlib.Path("reference/cli.md"), cli_page(options.kiln.resolve()))
    stage.write(pathlib.Path("reference/schemas.md"), schemas_page(stage))
    stage.write(pathlib.Path("reference/python.md"), python_page(root))
    stage.write(pathlib.Path("reference/cpp.md"), cpp_page(options.doxygen is not None))
    settings = (root / "docs/mkdocs.yml").read_text(encoding="utf-8")
    (output / "mkdocs.yml").write_text(settings + f"docs_dir: {output / 'pages'}\nsite_dir: {output / 'html'}\n", encoding="utf-8")
    done = subprocess.run([sys.executable, "-m", "mkdocs", "build", "--strict", "-f", output / "mkdocs.yml"], check=False, capture_output=True, text=True)
    if done.returncode != 0:
        return [line for line in (done.stdout + done.stderr).splitlines() if line.strip() and not line.startswith("INFO")]
    if options.doxygen:
        shutil.copytree(options.doxygen, output / "html/reference/doxygen")
    count, dead = dead_links(output / "html")
    if not dead:
        print(f"{count} pages: {output / 'html/index.html'}")
    return dead


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("output", type=pathlib.Path)
    parser.add_argument("--kiln", type=pathlib.Path, required=True)
    parser.add_argument("--doxygen", type=pathlib.Path)
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent)
    try:
        refused = build(parser.parse_args())
    except (BadInput, OSError) as error:
        print(f"site.py: error: {error}", file=sys.stderr)
        return 2
    print("\n".join(refused), end="\n" if refused else "")
    return 1 if refused else 0


if __name__ == "__main__":
    sys.exit(main())
