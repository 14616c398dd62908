"""Kept results, settings files, studies and capsules: files that other programs, versions or crashes left."""

import json

from rows.base import JOB, WORKLOAD, folder
from runner import Fifo, Folder, Link, Row, Sparse

RECORD = {
    "format": 1, "run_id": "0123456789abcdef", "time": "2026-11-22T05:15:00.072Z", "kiln": {"version": "0.1.0", "revision": "abc"},
    "job_file": "j.yaml", "workload": "w", "source_digest": "d" * 64, "label": "n=64",
    "device": {"id": "cpu", "name": "Example", "backend": "cpu", "arch": "x86-64", "warp_size": 32, "compute_units": 1,
               "memory_bytes": 1024, "l2_bytes": 0, "driver": "", "driver_options": ""},
}
LINE = json.dumps(RECORD) + "\n"
CONTROL = "\x1b]0;own\x07"


def report(name, content, says, file="r/records.jsonl", args=(), **more):
    return Row("report/" + name, ["report", file, *args], says=r"^kiln: error: " + says, files={file: content}, **more)


def torn(name, content):
    """A line that is no JSON text up to its end is what a crash leaves: a warning, and the rest is read."""
    return Row("report/" + name, ["report", "r/records.jsonl"], files={"r/records.jsonl": content},
               says=r"kiln: warning: r/records\.jsonl:1: a crash cut this line off; it is left out")


REPORTS = [
    Row("report/missing", ["report", "nobody"], says=r"nobody.*(no such|there is no)"),
    Row("report/empty folder", ["report", "d"], says=r"d.*(none|no results|records\.jsonl)", files={"d": Folder()}),
    Row("report/empty name", ["report", ""], says=r"error"),
    Row("report/folder of control characters", ["report", "x\x1b[2J"], says=r"x\\x1b\[2J"),
    Row("report/FIFO", ["report", "p"], says=r"p", files={"p": Fifo()}, limit=10),
    Row("report/FIFO in a folder", ["report", "r"], says=r"r", files={"r/records.jsonl": Fifo()}, limit=10),
    Row("report/zero", ["report", "/dev/zero"], says=r"/dev/zero", limit=10, before="ulimit -v 4000000"),
    Row("report/link to a folder without results", ["report", "l"], says=r"l", files={"d/x": "", "l": Link("d")}),
    report("empty", "", r".*(no records|empty)"),
    report("blank lines", "\n\n\n", r".*r/records\.jsonl"),
    report("no JSON", "hello\n", r"r/records\.jsonl:1:.*"),
    report("JSON of another kind", "[]\n", r"r/records\.jsonl:1:.*"),
    report("an empty object", "{}\n", r"r/records\.jsonl:1:.*.*format"),
    report("null", "null\n", r"r/records\.jsonl:1:.*"),
    report("another format", json.dumps({**RECORD, "format": 999}) + "\n", r"r/records\.jsonl:1:.*.*(format|999)"),
    report("format a word", json.dumps({**RECORD, "format": "1"}) + "\n", r"r/records\.jsonl:1:.*.*format"),
    report("format beyond", LINE.replace('"format": 1,', '"format": 1e300,'), r"r/records\.jsonl:1:.*.*format"),
    report("a member missing", LINE, r"r/records\.jsonl:1:.*"),
    report("device a list", json.dumps({**RECORD, "device": []}) + "\n", r"r/records\.jsonl:1:.*.*device"),
    report("workload a number", json.dumps({**RECORD, "workload": 7}) + "\n", r"r/records\.jsonl:1:.*.*"),
    torn("torn in the middle", LINE[:100] + "\n" + LINE),
    torn("NUL bytes", b"\0" * 4096 + b"\n"),
    torn("not UTF-8", b'{"format": 1, "run_id": "\xff"}\n'),
    report("control characters", json.dumps({"format": CONTROL}) + "\n", r"r/records\.jsonl:1:.*"),
    report("a key of control characters", '{"\\u001b]0;own\\u0007": 1}\n', r"r/records\.jsonl:1:.*"),
    report("a line of 10 MB", '{"a": "' + "x" * 10_000_000 + '"}\n', r"r/records\.jsonl:1:.*"),
    report("100000 brackets", "[" * 100000 + "\n", r"r/records\.jsonl:1:.*"),
    report("two values on a line", "{} {}\n", r"r/records\.jsonl:1:.*"),
    torn("UTF-16", LINE.encode("utf-16")),
    report("study: no JSON", "hello\n", r"r/study\.jsonl:1:.*", file="r/study.jsonl"),
    report("study: another format", '{"kind": "study", "format": 99}\n', r"r/study\.jsonl:1:.*.*(format|99)", file="r/study.jsonl"),
    report("study: no header", '{"kind": "visit"}\n', r"r/study\.jsonl:1:.*", file="r/study.jsonl"),
    report("study: kind unknown", '{"kind": "\\u001b"}\n', r"r/study\.jsonl:1:.*", file="r/study.jsonl"),
    report("study: list", "[1]\n", r"r/study\.jsonl:1:.*", file="r/study.jsonl"),
    report("study: empty", "", r".*", file="r/study.jsonl"),
    report("reference missing", LINE, r".*", args=("--reference", "nobody")),
    Row("report/ceilings without html", ["report", "f", "--ceilings", "c"], says=r"--ceilings", files={"f": LINE, "c": "{}"}),
]


def resume(name, content, says, **more):
    return Row("resume/" + name, ["run", "j.yaml", "--device", "cpu", "--resume", "--output", "o"], says=says,
               files={**folder(), "o/records.jsonl": content}, **more)


RESUMES = [
    resume("no JSON", "hello\n", r"^kiln: error: o/records\.jsonl:1:.*"),
    resume("another format", json.dumps({**RECORD, "format": 999}) + "\n", r"^kiln: error: o/records\.jsonl:1:.*"),
    resume("a list", "[]\n", r"^kiln: error: o/records\.jsonl:1:.*"),
    resume("a FIFO", Fifo(), r"^kiln: error: .*o", limit=10),
    resume("a folder", Folder(), r"^kiln: error: .*o"),
]


def setting(name, text, says, **more):
    return Row("setting/" + name, ["settings", "--settings", "s.yaml"], says=r"^kiln: error: .*" + says, files={"s.yaml": text}, **more)


SETTINGS = [
    setting("unknown", "cache_dr: x\n", r"s\.yaml:1:1: unknown key 'cache_dr'; did you mean 'cache_dir'"),
    setting("unknown, of control characters", '"\\e[2J": x\n', r"s\.yaml:1:1: unknown key '\\x1b\[2J'"),
    setting("a list", "- a\n", r"s\.yaml:1:1: expected a map"),
    setting("a word", "hello\n", r"s\.yaml:1:1: expected a map"),
    setting("no YAML", "{", r"s\.yaml:\d+:\d+: YAML syntax"),
    setting("twice", "cache: on\ncache: off\n", r"s\.yaml:2:1: duplicate key 'cache'"),
    setting("switch", "cache: maybe\n", r"s\.yaml:1:\d+: .*'maybe'"),
    setting("number", "cpu_threads: -1\n", r"s\.yaml:1:\d+: .*-1"),
    setting("number of a list", "cpu_threads: [1]\n", r"s\.yaml:1:\d+: .*expected one value"),
    setting("number beyond", "cpu_threads: 99999999999999999999\n", r"s\.yaml:1:\d+: "),
    setting("time", "compile_time_limit: soon\n", r"s\.yaml:1:\d+: .*'?soon"),
    setting("size", "cache_max_size: -5 GB\n", r"s\.yaml:1:\d+: .*-5 GB"),
    setting("word", "log_level: lod\n", r"s\.yaml:1:\d+: .*lod"),
    setting("paths of a map", "workload_path: {a: b}\n", r"s\.yaml:1:\d+: "),
    setting("NUL", "cache_dir: a\0b\n", r"s\.yaml:1: a byte 0"),
    setting("a folder", Folder(), r"s\.yaml"),
    setting("a FIFO", Fifo(), r"s\.yaml", limit=10),
    Row("setting/missing", ["settings", "--settings", "nobody.yaml"], says=r"--settings: there is no settings file .*nobody\.yaml"),
    Row("setting/./kiln.yaml unknown key", ["settings"], says=r"kiln\.yaml:1:1: unknown key 'x'", files={"kiln.yaml": "x: 1\n"}),
    Row("setting/./kiln.yaml empty", ["settings"], exit=0, out="cache_dir", files={"kiln.yaml": ""}),
]


def study(name, text, says, args=(), **more):
    return Row("study/" + name, ["study", "s.yaml", "--dry-run", "--device", "cpu", *args], says=r"^kiln: error: .*" + says,
               files={**folder(), "s.yaml": text}, **more)


W = "workload: ./w\n"
STUDIES = [
    study("empty", "", r"s\.yaml.*workload"),
    study("unknown key", W + "constant: [n]\n", r"s\.yaml:2:1: unknown key 'constant'; did you mean 'constants'"),
    study("no such constant", W + "constants: [nn]\n", r"s\.yaml:2:\d+: .*nn"),
    study("constants a map", W + "constants: {a: 1}\n", r"s\.yaml:2:\d+: constants"),
    study("rounds too few", W + "measure: {rounds: 5}\n", r"s\.yaml:2:\d+: .*rounds.*5"),
    study("rounds a word", W + "measure: {rounds: many}\n", r"s\.yaml:2:\d+: .*rounds.*'many'"),
    study("samples beyond", W + "measure: {samples: 99999}\n", r"s\.yaml:2:\d+: .*samples"),
    study("compiles 0", W + "measure: {compiles: 0}\n", r"s\.yaml:2:\d+: .*compiles"),
    study("seed negative", W + "order_seed: -1\n", r"s\.yaml:2:\d+: .*order_seed"),
    study("bind in set", W + "set: {bind.n: run}\n", r"s\.yaml:2:\d+: .*bind\.n"),
    study("fast_math a word", W + "fast_math: perhaps\n", r"s\.yaml:2:\d+: .*fast_math.*'perhaps'"),
    study("fast_math twice", W + "fast_math: [true, true]\n", r"s\.yaml:2:\d+: .*fast_math"),
    study("instantiate a value twice", W + "instantiate: {b: [32, 32.0]}\n", r"s\.yaml:2:\d+: .*b.*32"),
    study("instantiate nobody", W + "instantiate: {bb: [32]}\n", r"s\.yaml:2:\d+: .*bb"),
    study("instantiate nothing", W + "instantiate: {b: []}\n", r"s\.yaml:2:\d+: .*b"),
    study("set of an unknown name", W + "set: {nn: 3}\n", r"s\.yaml:2:\d+: .*nn.*did you mean 'n'"),
    study("set for an unknown back end", W + "set: {n: {gpu: 3}}\n", r"s\.yaml:2:\d+: .*gpu"),
    study("workloads empty", "workloads: []\n", r"s\.yaml:1:\d+: workloads"),
    study("workloads twice without names", "workloads: [./w, ./w]\n", r"s\.yaml:1:\d+: .*name"),
    study("workload and workloads", W + "workloads: [./w]\n", r"s\.yaml:\d:\d+: .*workload"),
    study("resume without output", W, r"--resume needs", args=("--resume",)),
    study("isolation unknown", W + "isolation: proces\n", r"s\.yaml:2:\d+: .*isolation.*did you mean 'process'"),
    study("device empty", W + "device: []\n", r"s\.yaml:2:\d+: device: expected a device"),
]


def capsule(name, files, says, **more):
    return Row("capsule/" + name, ["replay", "c"], says=r"^kiln: error: .*" + says, files={f"c/{file}": text for file, text in files.items()},
               **more)


CAPSULES = [
    Row("capsule/missing", ["replay", "nobody"], says=r"^kiln: error: .*nobody"),
    Row("capsule/a file", ["replay", "f"], says=r"^kiln: error: .*f", files={"f": "x"}),
    capsule("empty folder", {"x": ""}, r"c.*capsule\.json"),
    capsule("no JSON", {"capsule.json": "hello"}, r"c/capsule\.json"),
    capsule("empty object", {"capsule.json": "{}"}, r"c/capsule\.json.*format"),
    capsule("list", {"capsule.json": "[]"}, r"c/capsule\.json"),
    capsule("another format", {"capsule.json": '{"format": 99}'}, r"c/capsule\.json.*format"),
    capsule("100000 brackets", {"capsule.json": "[" * 100000}, r"c/capsule\.json"),
    capsule("NUL bytes", {"capsule.json": "\0" * 100}, r"c/capsule\.json"),
    capsule("FIFO", {"capsule.json": Fifo()}, r"c", limit=10),
    capsule("folder", {"capsule.json/x": ""}, r"c"),
]

ROWS = REPORTS + RESUMES + SETTINGS + STUDIES + CAPSULES
