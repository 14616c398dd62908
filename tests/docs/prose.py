#!/usr/bin/env python3
"""Usage: prose.py ROOT [--lengths] [FILE...]: checks the language of documents, help texts and comments.

Each Markdown document has at most MEAN_WORDS words a sentence in the mean, and no document, message or comment has a phrase of
BANNED. Prints each place, its phrase and what to write instead. FILE (a path in ROOT) checks these files alone. --lengths prints the mean of each document.
"""

import argparse
import pathlib
import re
import sys

MEAN_WORDS = 25
# A document of fewer sentences has no mean worth a check.
FEWEST_SENTENCES = 5
# (text, sentences, words) that lengths_of must find: it counts prose, and neither tables, code nor figures.
COUNTED = [
    ("One two three. Four five\nsix seven.", 2, 7),
    ("# A heading of words\n\n| a table | of words |\n\n```sh\na block of code\n```\n\nOnly this sentence counts.", 1, 4),
    ("- An item of words\n- Another item `with code` in it\n\n- 1.5 GB/s, 2.5 GB/s, 3.5 GB/s", 2, 9),
    ("A value of 2.5 is e.g. no end of a sentence, nor is `x. Y`.", 1, 14),
]

# Each: a regular expression (case does not matter, a space is any white space), and the plain form.
BANNED = [
    (r"\bthe same of\b", "the same NOUN of"),
    (r"(?<!users\s)(?<!person\s)\bwho (has|have|is|was|needs?|wants?|holds?|gives?|takes?|calls?|makes?|knows?|asks?|waits?|evicts?|compiles?|writes?|reads?|uses|runs|says|must|may|can)\b", "the process, thread, caller or user that ..."),
    (r"\bwh(oever|om)\b", "the process, thread, caller or user that ..."),
    (r"\b(some|no|any)body\b", "no process, another thread, a caller"),
    (r"\btold\b", "given, reported, known"),
    (r"\btells\b", "reports, shows, says"),
    (r"\b(tell|spoken) of\b", "report, mention"),
    (r"\bthose of\b", "the NOUN of"),
    (r"\b(as|that|where|which)( \S+){1,4} ha(s|ve) it\b", "as in NOUN, that NOUN has"),
    (r"\bnothing (tells|says|speaks)\b", "if unknown"),
    (r"(?<!there\s)\b(is|are) none\b", "is not a NOUN"),
    (r"\bof (ours|theirs|hers|his)\b", "our, their NOUN"),
    (r"\bloans? of an? (H|A)\d|\bfrom loan to loan\b|\b(another|two|three) loans?\b", "the machine and the date"),
    (r"\.\./shared\b|/work/main\b|/work/shared\b", "no path beside the repository"),
]
PHRASES = [(re.compile(pattern.replace(" ", r"\s+"), re.IGNORECASE), instead) for pattern, instead in BANNED]

# (kind, text, phrases) that phrases_of must find. A line break may part a phrase; code, names and other literals have none.
FOUND = [
    (".md", "The buffers and those\nof the step, `those of`.", ["those of"]),
    (".md", "There is none. It could tell the time. The ones that read it, and what it has.", []),
    (".cpp", "// Whoever\nint told = 1;  // as the driver has it\nconst char* x = \"it tells\";", ["Whoever", "as the driver has it", "tells"]),
    (".cpp", "int x;  // the same\n        // of the kernel\nf(told); // the same\nint of;", ["the same of"]),
    (".sh", "told=1 # what is told\necho told", ["told"]),
]

# Documents whose text is a record of the past or is made from one.
DOCUMENTS_LEFT_OUT = {"CHANGELOG.md"}
# The text of a kernel, comments included, is part of its cache key and of the source digest in wisdom files.
KERNEL_TEXTS = ("kernels_src/", "src/compile/portable/", "src/compile/cpu/shim/", "src/trial/kernels/")

COMMENT_SUFFIXES = {".h": "//", ".cpp": "//", ".c": "//", ".cu": "//", ".cuh": "//", ".sh": "#", ".py": "#", ".yaml": "#", ".cmake": "#"}
SOURCE_FOLDERS = ("src", "include", "tests", "tools", "cmake", "configs", "kernels_src", "examples", "python")
# This file quotes the phrases.
SOURCES_LEFT_OUT = {"tests/docs/prose.py"}
# Their string literals are help texts and messages.
MESSAGE_FOLDERS = ("src/",)


def blank(match):
    """The match with nothing left but its line breaks, so that lines keep their numbers."""
    return re.sub(r"[^\n]", " ", match[0])


def prose_of_markdown(text):
    """The text without front matter, code blocks and comments; code in a line becomes one word."""
    text = re.sub(r"\A---\n.*?\n---\n", blank, text, flags=re.DOTALL)
    text = re.sub(r"^ *```.*?^ *```[ ]*$", blank, text, flags=re.DOTALL | re.MULTILINE)
    text = re.sub(r"<!--.*?-->", blank, text, flags=re.DOTALL)
    text = re.sub(r"`[^`]+`", lambda match: "code" + "\n" * match[0].count("\n"), text)
    return re.sub(r"\]\([^)\s]*\)", blank, text)


def blocks_of_markdown(text):
    """Paragraphs and list items. Headings and tables are none of them."""
    block = []
    for line in prose_of_markdown(text).splitlines() + [""]:
        stripped = line.strip()
        starts_item = re.match(r"([-*+]|\d+\.)\s", stripped)
        ends = not stripped or stripped.startswith(("|", "#", "<"))
        if (ends or starts_item) and block:
            yield " ".join(block)
            block = []
        if not ends:
            block.append(re.sub(r"^([-*+>]|\d+\.)\s+", "", stripped))


def sentences_of(block):
    """Splits after . ! or ? before white space and what can begin a sentence."""
    block = re.sub(r"\b(e\.g|i\.e|et al|cf|vs|Fig|Figs|Sec|No|approx)\.", r"\1", block)
    block = re.sub(r"[*_]{1,2}(?=\S)|(?<=\S)[*_]{1,2}", "", block)
    return [s for s in re.split(r"(?<=[.!?])[)\"']*\s+(?=[\[(\"']*(?:[A-Z0-9]|code))", block) if s.strip()]


def words_of(sentence):
    return [word for word in sentence.split() if re.search(r"\w", word)]


def is_list_of_figures(words):
    """A line of numbers and units is data, whatever its length."""
    return sum(bool(re.match(r"[\[(]*[-+±~]?\d", word)) for word in words) * 3 > len(words)


def lengths_of(text):
    sentences = [words_of(s) for block in blocks_of_markdown(text) for s in sentences_of(block)]
    return [len(words) for words in sentences if len(words) > 2 and not is_list_of_figures(words)]


def phrases_of(text):
    """(line, phrase, instead) of each banned phrase in prose whose lines are those of its file."""
    for pattern, instead in PHRASES:
        for match in pattern.finditer(text):
            yield text.count("\n", 0, match.start()) + 1, " ".join(match[0].split()), instead


CPP_TOKEN = re.compile(r"//[^\n]*|/\*.*?\*/|R\"(?P<mark>\w*)\(.*?\)(?P=mark)\"|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])+'", re.DOTALL)


def prose_of_cpp(text, messages):
    """The comments, and the string literals where `messages`; all else is blank. A literal and a comment are not joined."""
    parts, end, before = [], 0, ""
    for match in CPP_TOKEN.finditer(text):
        gap, token = blank_text(text[end : match.start()]), match[0]
        is_comment = token.startswith(("//", "/*"))
        kept = is_comment or (messages and token.startswith('"'))
        token = re.sub(r"^(///?<?|/\*+)|\*/$", lambda m: " " * len(m[0]), token) if is_comment else token[1:-1].join("  ")
        joins = text[end : match.start()].isspace() or not text[end : match.start()]
        parts += [gap if joins else mark_of(gap), token if kept else blank_text(token)]
        end = match.end()
    return "".join(parts)


def blank_text(text):
    return re.sub(r"[^\n]", " ", text)


def mark_of(gap):
    """The gap with a stop in it, so that no phrase is found across code."""
    return gap.replace(" ", "|", 1) if " " in gap else gap + "|"


def prose_of_hash(text):
    """The comments of a shell script, YAML, CMake or Python."""
    lines = []
    for line in text.splitlines():
        match = re.search(r"(?:^|\s)#\s(.*)", line)
        lines.append(match[1] if match else "|")
    return "\n".join(lines)


def prose_of_source(path, text):
    if COMMENT_SUFFIXES.get(pathlib.PurePath(path).suffix, "#") == "//":  # CMakeLists.txt has no suffix of its own
        return prose_of_cpp(text, path.startswith(MESSAGE_FOLDERS))
    return prose_of_hash(text)


def check_itself():
    """The problems of this script with texts of known length and known phrases."""
    problems = []
    for text, sentences, words in COUNTED:
        found = lengths_of(text)
        if (len(found), sum(found)) != (sentences, words):
            problems.append(f"{text!r}: {found}, expected {sentences} sentences of {words} words")
    for suffix, text, expected in FOUND:
        prose = prose_of_markdown(text) if suffix == ".md" else prose_of_source("src/x" + suffix, text)
        found = [phrase for _, phrase, _ in sorted(phrases_of(prose))]
        if found != expected:
            problems.append(f"{text!r}: {found}, expected {expected}")
    return problems


def checked_files(root, given):
    """Documents and sources, as paths in `root`."""
    if given:
        return given
    found = [p for p in root.glob("*.md")]
    for folder in ("docs", *SOURCE_FOLDERS):
        found += [p for p in (root / folder).rglob("*") if p.is_file()]
    return sorted(str(p.relative_to(root)) for p in found if p.suffix == ".md" or p.suffix in COMMENT_SUFFIXES or p.name == "CMakeLists.txt")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("--lengths", action="store_true")
    parser.add_argument("files", nargs="*")
    arguments = parser.parse_intermixed_args()

    problems, documents, sources = check_itself(), 0, 0
    for name in checked_files(arguments.root, arguments.files):
        path = arguments.root / name
        text = path.read_text(errors="replace")
        if path.suffix == ".md":
            if name in DOCUMENTS_LEFT_OUT:
                continue
            documents += 1
            lengths = lengths_of(text)
            mean = sum(lengths) / len(lengths) if lengths else 0
            if arguments.lengths:
                print(f"{mean:5.1f} words in each of {len(lengths):3} sentences, {sum(n > 30 for n in lengths):3} longer than 30: {name}")
            if len(lengths) >= FEWEST_SENTENCES and mean > MEAN_WORDS:
                problems.append(f"{name}: {mean:.1f} words a sentence in the mean, expected at most {MEAN_WORDS}")
            prose = prose_of_markdown(text)
        else:
            if name in SOURCES_LEFT_OUT or name.startswith(KERNEL_TEXTS):
                continue
            sources += 1
            prose = prose_of_source(name, text)
        problems += [f'{name}:{line}: "{phrase}"; write: {instead}' for line, phrase, instead in sorted(phrases_of(prose))]
    print("\n".join(problems) if problems else f"{documents} documents and {sources} sources in plain English")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
