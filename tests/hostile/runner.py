"""Runs rows: hostile inputs of `kiln`, each with what must come of it. See rows/*.py for the rows, docs/reliability.md for what they cover.

A row names files, arguments and an environment; `exit`, `says` (standard error) and `out` (standard output) are what must
be. What no row may show is checked for every row: a signal, exit code 70, a hang, control characters, words of a library,
more than one error, results beside an error, files that were not there before, anything left in the temporary folder.
"""

import concurrent.futures
import dataclasses
import os
import pathlib
import re
import shutil
import signal
import stat
import subprocess
import sys
import time

LIBRARY_WORDS = re.compile(
    r"internal error|json\.exception|basic_string|filesystem error|filesystem::|terminate called|bad_alloc|std::|YAML::|"
    r"mu::|Parser|AddressSanitizer|runtime error:|Traceback|vector::|map::at|stoi|stod|bad optional|bad_variant", re.I)
CONTROL = re.compile(rb"[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80[\xa8-\xae]")
LONGEST_MESSAGE = 6000


class Link:
    """A file of a row that is a symbolic link."""

    def __init__(self, target):
        self.target = target

    def make(self, path):
        path.symlink_to(self.target)


class Fifo:
    """A file of a row that is a named pipe which nobody writes to."""

    def make(self, path):
        os.mkfifo(path)


class Folder:
    """A folder of a row, with a mode."""

    def __init__(self, mode=0o755):
        self.mode = mode

    def make(self, path):
        path.mkdir()
        path.chmod(self.mode)


class Sparse:
    """A file of `size` bytes that takes no room."""

    def __init__(self, size, begin=b""):
        self.size, self.begin = size, begin

    def make(self, path):
        path.write_bytes(self.begin)
        os.truncate(path, self.size)


@dataclasses.dataclass
class Row:
    name: str
    args: list
    exit: int = 2
    says: str = ""           # must be found in standard error
    out: str = ""            # must be found in standard output
    files: dict = dataclasses.field(default_factory=dict)
    env: dict = dataclasses.field(default_factory=dict)   # None: not set
    before: str = ""         # shell text before kiln starts, such as `ulimit -f 1`
    stdin: bytes = b""
    limit: float = 30        # seconds
    leaves: tuple = ()       # patterns of names that may be new or changed in the row's folder
    errors: int = 1          # lines that begin with "kiln: error:" where the exit code is 2 or 3
    never: str = ""          # must not be found in what it says
    needs_root: bool = False
    log: bool = False        # a compiler's log is part of the message: it may be long and have words of its own
    plain_out: bool = True   # standard output is to be free of control characters
    then: list = dataclasses.field(default_factory=list)  # further runs in the same folder, without `before`: (args, exit, pattern of all output)


def make_files(folder, files):
    for name, content in files.items():
        path = pathlib.Path(os.fsdecode(os.path.join(os.fsencode(folder), os.fsencode(name))))
        path.parent.mkdir(parents=True, exist_ok=True)
        if hasattr(content, "make"):
            content.make(path)
        elif isinstance(content, bytes):
            path.write_bytes(content)
        else:
            path.write_text(content, encoding="utf-8", newline="")


def snapshot(folder):
    """Name to what identifies the content, without following links."""
    found = {}
    for root, folders, names in os.walk(folder):
        for name in folders + names:
            path = os.path.join(root, name)
            info = os.lstat(path)
            is_folder = stat.S_ISDIR(info.st_mode)
            found[os.path.relpath(path, folder)] = (info.st_mode, 0 if is_folder else info.st_size,
                                                    0 if is_folder else info.st_mtime_ns, info.st_ino)
    return found


def matches(name, patterns):
    return any(pathlib.PurePath(name).match(pattern) or name.split("/")[0] == pattern for pattern in patterns)


class Runner:
    def __init__(self, kiln, work, cache):
        self.kiln, self.work, self.cache = kiln, pathlib.Path(work), pathlib.Path(cache)

    def environment(self, row, tmp):
        env = {"PATH": os.environ["PATH"], "HOME": str(tmp / "home"), "LC_ALL": "C.UTF-8", "TMPDIR": str(tmp / "tmp"),
               "KILN_CACHE_DIR": str(self.cache), "XDG_CACHE_HOME": str(tmp / "home/.cache"), "KILN_CPU_THREADS": "1"}
        for name in ("ASAN_OPTIONS", "LSAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS", "LD_LIBRARY_PATH"):
            if name in os.environ:
                env[name] = os.environ[name]
        env.update(row.env)
        return {name: value for name, value in env.items() if value is not None}

    def call(self, args, row, folder, tmp, first):
        command = [self.kiln] + args
        if row.before and first:
            command = ["sh", "-c", row.before + '\nexec "$0" "$@"'] + command
        process = subprocess.Popen(command, cwd=folder, env=self.environment(row, tmp), stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
        try:
            out, err = process.communicate(row.stdin, timeout=row.limit)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            out, err = process.communicate()
            return None, out, err
        return process.returncode, out, err

    def run(self, row):
        """Returns what was wrong, as lines."""
        place = self.work / re.sub(r"[^A-Za-z0-9_.=-]", "_", row.name)[:80]
        shutil.rmtree(place, ignore_errors=True)
        folder, tmp = place / "d", place / "t"
        for made in (folder, tmp / "home", tmp / "tmp"):
            made.mkdir(parents=True)
        make_files(folder, row.files)
        before = snapshot(folder)
        code, out, err = self.call([os.fsencode(word) for word in row.args], row, folder, tmp, True)
        wrong = self.judge(row, code, out, err)
        for args, exit_code, pattern in row.then:
            code, out, err = self.call([os.fsencode(word) for word in args], row, folder, tmp, False)
            text = (out + err).decode("utf-8", "replace")
            if code != exit_code or not re.search(pattern, text, re.S):
                wrong.append(f"then {args}: exit {code}, expected {exit_code} and /{pattern}/: {text[-600:]}")
        after = snapshot(folder)
        changed = [name for name in sorted(set(before) | set(after))
                   if before.get(name) != after.get(name) and not matches(name, row.leaves)]
        if changed:
            wrong.append(f"changed in its folder: {changed}")
        left = os.listdir(tmp / "tmp")
        if left:
            wrong.append(f"left in TMPDIR: {left}")
        if not wrong:
            subprocess.run(["chmod", "-R", "u+rwx", place], check=False, stderr=subprocess.DEVNULL)
            shutil.rmtree(place, ignore_errors=True)
        return wrong

    def judge(self, row, code, out, err):
        wrong = []
        text, said = out.decode("utf-8", "replace"), err.decode("utf-8", "replace")
        if code is None:
            return [f"did not end within {row.limit} s; said: {said[-400:]}"]
        if code != row.exit:
            wrong.append(f"exit {code}, expected {row.exit}")
        if row.says and not re.search(row.says, said, re.S):
            wrong.append(f"standard error lacks /{row.says}/")
        if row.out and not re.search(row.out, text, re.S):
            wrong.append(f"standard output lacks /{row.out}/: {text[:600]}")
        if row.never and re.search(row.never, text + said, re.S):
            wrong.append(f"says /{row.never}/")
        if not row.log and LIBRARY_WORDS.search(said):
            wrong.append(f"words of a library: {LIBRARY_WORDS.search(said).group(0)}")
        if CONTROL.search(err) or (row.plain_out and CONTROL.search(out.replace(b"\r\n", b"\n"))):
            wrong.append("control characters in the output")
        if code in (2, 3):
            errors = len(re.findall(r"^kiln: error:", said, re.M))
            if errors != row.errors:
                wrong.append(f"{errors} errors, expected {row.errors}")
            if out and not row.out:
                wrong.append(f"results beside an error: {text[:200]}")
            if not row.log and len(said) > LONGEST_MESSAGE * max(1, row.errors):
                wrong.append(f"a message of {len(said)} bytes")
        if wrong:
            wrong.append("it said: " + (said if len(said) < 1500 else said[:700] + " ... " + said[-700:]))
        return wrong


def may_run(row, sanitized):
    """A sanitizer needs more addresses than a limit leaves, and reports signals itself."""
    return not (sanitized and ("ulimit -v" in row.before or row.exit < 0)) and (not row.needs_root or os.geteuid() == 0)


def run_rows(rows, kiln, work, cache, jobs, only, sanitized, waiting=None):
    """`waiting`: names of rows whose defect is known and not mended yet; they are run, told, and count for nothing."""
    waiting = waiting or {}
    names = [row.name for row in rows]
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        sys.exit(f"two rows of one name: {sorted(twice)}")
    wanted = [row for row in rows if not only or re.search(only, row.name)]
    chosen = [row for row in wanted if may_run(row, sanitized)]
    runner = Runner(kiln, work, cache)
    begin = time.monotonic()
    failed = 0
    known = []
    mended = []
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for row, wrong in zip(chosen, pool.map(runner.run, chosen)):
            if wrong and row.name in waiting:
                known.append(f"{row.name} ({waiting[row.name]})")
            elif not wrong and row.name in waiting:
                mended.append(row.name)
            elif wrong:
                failed += 1
                print(f"\nFAILED {row.name}: kiln {' '.join(map(str, row.args))[:300]}\n  " + "\n  ".join(wrong))
    for text in known:
        print("not mended: " + text)
    for name in mended:
        print("holds now, to be taken out of NOT_MENDED: " + name)
    if len(chosen) < len(wanted):
        print(f"{len(wanted) - len(chosen)} rows cannot run here: no root, or a sanitizer")
    print(f"{len(chosen)} rows, {failed} failed, {time.monotonic() - begin:.1f} s")
    return failed == 0 and len(chosen) > 0
