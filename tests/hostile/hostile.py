#!/usr/bin/env python3
"""hostile.py --kiln PROGRAM --work FOLDER [--jobs N] [--only PATTERN] CLASS...: runs the rows of rows/CLASS.py."""

import argparse
import importlib
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
sys.dont_write_bytecode = True

import runner  # noqa: E402


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--kiln", required=True)
    parser.add_argument("--work", required=True)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--only", default="")
    parser.add_argument("--strict", action="store_true", help="rows that wait for a mending count, too")
    parser.add_argument("--sanitized", action="store_true", help="kiln was built with a sanitizer")
    parser.add_argument("classes", nargs="*")
    arguments = parser.parse_args()
    folder = pathlib.Path(__file__).parent / "rows"
    classes = arguments.classes or sorted(path.stem for path in folder.glob("*.py") if path.stem not in ("base", "__init__"))
    work = pathlib.Path(arguments.work).resolve()
    good = True
    for name in classes:
        module = importlib.import_module("rows." + name)
        print(f"== {name}", flush=True)
        waiting = {} if arguments.strict else getattr(module, "NOT_MENDED", {})
        good = runner.run_rows(module.ROWS, str(pathlib.Path(arguments.kiln).resolve()), work / name, work / "cache", arguments.jobs,
                               arguments.only, arguments.sanitized, waiting) and good
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
