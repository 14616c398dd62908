#!/usr/bin/env python3
"""Usage: versions.py ROOT: the version of Kiln is the same wherever it is written, and the changelog and the release notes begin with
it. CITATION.cff has the fields that its format requires, and the release's date."""

import pathlib
import re
import sys

# (file, pattern whose first group is the version)
PLACES = [
    ("CMakeLists.txt", r"^project\(kiln VERSION (\S+)"),
    ("python/CMakeLists.txt", r"^project\(kiln_python VERSION (\S+)"),
    ("python/pyproject.toml", r'^version = "(\S+)"'),
    ("CITATION.cff", r"^version: (\S+)"),
    ("CHANGELOG.md", r"^## \[(\S+)\] - "),
    ("docs/release_notes.md", r"^# Kiln (\S+)"),
    ("include/kiln.h", r"kiln_version\(void\); +/\* \"(\S+)\" \*/"),
    ("packaging/spack/spack_repo/kiln/packages/kiln/package.py", r'^    version\("(\d\S+)"\)'),
]
# Of the citation file format 1.2.0.
CITATION_FIELDS = ["cff-version", "message", "title", "authors", "version", "date-released", "license"]


def main():
    root = pathlib.Path(sys.argv[1])
    versions, problems = {}, []
    for name, pattern in PLACES:
        match = re.search(pattern, (root / name).read_text(), re.MULTILINE)
        if match is None:
            problems.append(f"{name}: no version; expected {pattern}")
        else:
            versions[name] = match[1]
    if len(set(versions.values())) > 1:
        problems += [f"{name}: version {version}" for name, version in versions.items()]
    citation = (root / "CITATION.cff").read_text()
    problems += [f"CITATION.cff: no {key}" for key in CITATION_FIELDS if not re.search(rf"^{key}: *", citation, re.MULTILINE)]
    dates = {match[1] for match in [re.search(r"^date-released: (\S+)", citation, re.MULTILINE)] if match}
    dates |= {match[1] for match in [re.search(r"^## \[\S+\] - (\S+)", (root / "CHANGELOG.md").read_text(), re.MULTILINE)] if match}
    if len(dates) != 1:
        problems.append(f"dates of CITATION.cff and CHANGELOG.md: {', '.join(sorted(dates))}; expected one")
    print("\n".join(problems) if problems else f"version {versions['CMakeLists.txt']} in {len(versions)} files")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
