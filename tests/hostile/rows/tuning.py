"""Wisdom, recorded spaces and points of other tuners: files that other programs, versions or crashes left."""

import gzip
import json

from rows.base import JOB, folder, spoilt
from runner import Fifo, Folder, Row, Sparse

WISDOM = """\
- key:    {workload: w, objective: time, device: {name: X, backend: cpu, arch: x86-64, units: 4}, types: {T: float}, size: {n: 64}}
  values: {b: 64}
  result: {time: [2 ms, 1 ms, 3 ms], default: 4 ms, rank: 1}
  made:   {kiln: 0.1.0, date: 2026-11-22}
"""
HEAD = json.dumps({"version": "1.0", "objective": "time", "tunable_parameters": ["b"], "key": "k"}) + "\n"
POINT = '{"config": [64], "problem_size": [64], "time": 1.5}\n'
ENTRY = {"b": 64, "time": 1.5, "times": [1.5], "compile_time": 1}
CACHE = {"device_name": "", "kernel_name": "k", "problem_size": 64, "tune_params_keys": ["b"], "tune_params": {"b": [32, 64]},
         "objective": "time", "cache": {"64": ENTRY, "32": {**ENTRY, "b": 32}}}
T4 = {"schema_version": "1.0.0", "results": [{"configuration": {"b": 64}, "times": {"runtimes": [1]}, "invalidity": "correct", "correctness": 1,
                                              "measurements": [{"name": "time", "value": 1, "unit": "ms"}]}]}
KTT = {"Metadata": {"TimeUnit": "Milliseconds"}, "Results": [{"Status": "Ok", "TotalDuration": 1, "Configuration": [{"Name": "b", "Value": 64}]}]}


def wisdom(name, old, new, says, **more):
    """`kiln validate` of the wisdom with `old` replaced refuses it and names the place."""
    return Row("wisdom/" + name, ["validate", "w.wisdom.yaml"], says=r"^kiln: error: w\.wisdom\.yaml(?=:).*" + says,
               files={"w.wisdom.yaml": spoilt(old, new, WISDOM)}, **more)


def listed(name, content, says, **more):
    return Row("wisdom list/" + name, ["wisdom", "list", "./w.wisdom.yaml"], says=says, files={"w.wisdom.yaml": content}, **more)


def compare(name, content, says, **more):
    return Row("tune compare/" + name, ["tune", "compare", "s.json"], says=r"^kiln: error: .*" + says, files={"s.json": content}, **more)


def imported(name, content, says, args=(), job=JOB, **more):
    files = folder(job="workload: ./w\ndevice: cpu\n" if job == JOB else job)
    if content is not None:
        files["points"] = content
    return Row("wisdom import/" + name, ["wisdom", "import", "j.yaml", "points", "-o", "o.wisdom.yaml", *args],
               says=r"^kiln: error: .*" + says, files=files, **more)


def cache(**changes):
    return json.dumps({**CACHE, **changes})


def export(name, args, says, content=WISDOM):
    return Row("wisdom export/" + name, ["wisdom", "export", "./w.wisdom.yaml", *args], says=says, files={"w.wisdom.yaml": content})


ROWS = [
    wisdom("no list", WISDOM, "key: 1\n", r"expected a list"),
    wisdom("an unknown key", "  values:", "  value:", r"value.*did you mean 'values'"),
    wisdom("an unknown member", "units: 4", "unit: 4", r"unit.*did you mean 'units'"),
    wisdom("no workload", "workload: w, ", "", r"\[0\]\.key: the key 'workload' is missing"),
    wisdom("a workload without name", "workload: w", "workload: ''", r"\[0\]\.key\.workload"),
    wisdom("an unknown back end", "backend: cpu", "backend: cuba", r"'cuba'; did you mean 'cuda'"),
    wisdom("units beyond", "units: 4", "units: 1e30", r"\[0\]\.key\.device\.units"),
    wisdom("units below", "units: 4", "units: -1", r"\[0\]\.key\.device\.units: expected 0 to"),
    wisdom("a size of 0", "n: 64", "n: 0", r"\[0\]\.key\.size\.n: expected a size of at least 1"),
    wisdom("a size beyond 64 bits", "n: 64", "n: 99999999999999999999", r"\[0\]\.key\.size\.n"),
    wisdom("a value that is a list", "b: 64", "b: [64]", r"\[0\]\.values\.b"),
    wisdom("no values", "{b: 64}", "{}", r"\[0\]\.values: expected at least one value"),
    wisdom("a time of 0", "2 ms,", "0 ms,", r"\[0\]\.result\.time.*expected more than 0"),
    wisdom("a time that no file can hold", "2 ms,", "1e308 s,", r"\[0\]\.result\.time"),
    wisdom("a time without unit", "2 ms,", "fast,", r"\[0\]\.result\.time.*fast"),
    wisdom("four times", "3 ms]", "3 ms, 4 ms]", r"\[0\]\.result\.time: expected one to three times"),
    wisdom("a rank of 0", "rank: 1", "rank: 0", r"\[0\]\.result\.rank: expected a rank of at least 1"),
    wisdom("a date that is none", "2026-11-22", "yesterday", r"\[0\]\.made\.date: expected a day"),
    wisdom("torn", "  result:", "  resul", r""),
    listed("missing", Folder(), r"w\.wisdom\.yaml"),
    listed("a FIFO", Fifo(), r"w\.wisdom\.yaml", limit=10),
    listed("too large", Sparse(1 << 36), r"w\.wisdom\.yaml", limit=10),
    listed("not UTF-8", b"- key: {workload: \"\xff\"}\n", r"w\.wisdom\.yaml"),
    listed("NUL", b"- key: \x00", r"w\.wisdom\.yaml"),
    listed("10000 brackets", "[" * 10000, r"w\.wisdom\.yaml"),
    listed("names of control characters", WISDOM.replace("name: X", 'name: "\\e]0;own\\a"'), r"\[0\]\.key\.device\.name: expected text without control"),
    Row("tune/energy on a CPU", ["tune", "j.yaml", "--device", "cpu"], says=r"^kiln: error: j\.yaml:\d+:\d+: objective 'energy': cpu .*NVML",
        files=folder(job=JOB + "tune: {space: {n: [1, 2]}, objective: energy}\n")),
    Row("wisdom/nothing to do", ["wisdom"], says=r"list, check, merge, import, export"),
    Row("wisdom/an unknown action", ["wisdom", "lst"], says=r"did you mean 'list'"),
    Row("wisdom merge/one is damaged", ["wisdom", "merge", "a.wisdom.yaml", "b.wisdom.yaml", "-o", "c.wisdom.yaml"], says=r"b\.wisdom\.yaml:1:",
        files={"a.wisdom.yaml": WISDOM, "b.wisdom.yaml": "hello\n"}),
    Row("wisdom/named and damaged", ["run", "j.yaml", "--dry-run", "--device", "cpu", "--wisdom=w.wisdom.yaml"], says=r"w\.wisdom\.yaml:1:",
        files={**folder(), "w.wisdom.yaml": "- {key: 3}\n"}),
    export("no key of that number", ["--key", "7"], r"--key: the file has 1 keys"),
    export("a key that is negative", ["--key", "-1"], r"--key"),
    export("an unknown format", ["--format", "t5"], r"--format.*did you mean 't4'"),
    export("a format that is only read", ["--format", "ktt"], r"ktt is read, not written"),
    export("a map without '='", ["--map", "b"], r"--map"),
    export("of nothing", [], r"there is no record to write", content="[]\n"),
    compare("empty", "", r"s\.json"),
    compare("no JSON", "hello\n", r"s\.json"),
    compare("another kind", "[]\n", r"s\.json: .*expected a cache file of Kernel Tuner"),
    compare("no points", cache(cache={}), r"s\.json: holds no points"),
    compare("a point without a parameter", cache(cache={"64": {"time": 1}}), r"s\.json"),
    compare("a value that is not listed", cache(cache={"7": {**ENTRY, "b": 7}}), r"s\.json"),
    compare("a time that is negative", cache(cache={"64": {**ENTRY, "time": -1}}), r"s\.json"),
    compare("a time that is a list", cache(cache={"64": {**ENTRY, "time": [1]}}), r"s\.json"),
    compare("a parameter without values", cache(tune_params={"b": []}), r"s\.json"),
    compare("keys that are no list", cache(tune_params_keys=7), r"s\.json"),
    compare("T4 of no measurements", json.dumps({**T4, "results": [{"configuration": {}}]}), r"s\.json"),
    compare("100000 brackets", "[" * 100000, r"s\.json"),
    compare("gzip that ends early", gzip.compress(cache().encode())[:-20], r"s\.json"),
    compare("a journal of nothing", '{"event":"header"', r"s\.json"),
    compare("a journal of another format", '{"event":"header","format":99}\n', r"s\.json"),
    compare("a FIFO", Fifo(), r"s\.json", limit=10),
    compare("zero", Sparse(1 << 33), r"s\.json", limit=20, before="ulimit -v 4000000"),
    imported("missing", None, r"points"),
    imported("empty", "", r"points"),
    imported("another version", HEAD.replace("1.0", "2.0") + POINT, r"points:1: version: expected version \"1\.0\""),
    imported("too few values", HEAD + POINT.replace("[64],", "[],", 1), r"points:2: config: expected 1 values"),
    imported("a value that is a list", HEAD + POINT.replace("[64],", "[[64]],", 1), r"points:2: config"),
    imported("a time below 0", HEAD + POINT.replace("1.5", "-1"), r"points:2: time: expected a time above 0"),
    imported("a size that is a word", HEAD + POINT.replace('"problem_size": [64]', '"problem_size": ["x"]'), r"points:2: problem_size"),
    imported("a torn line", HEAD + POINT[:20], r"points:2:"),
    imported("a name that is none of ours", HEAD.replace('["b"]', '["bb"]') + POINT, r"no parameter 'bb'; did you mean 'b'"),
    imported("another device", cache(device_name="NVIDIA A100"), r"points: holds points of 'NVIDIA A100'"),
    imported("nothing that is allowed", HEAD + POINT.replace("[64],", "[7],", 1), r"points: the workload takes none of the 1 measured points"),
    imported("KTT of another unit", json.dumps({**KTT, "Metadata": {"TimeUnit": "Days"}}), r"points:1: Metadata\.TimeUnit: expected Nanoseconds"),
    imported("KTT without status", json.dumps({**KTT, "Results": [{}]}), r"points:1: Results\[0\]"),
    imported("names of control characters", HEAD.replace('["b"]', '["\\u001b]0;own\\u0007"]') + POINT, r"no parameter"),
    imported("a size that is none of ours", HEAD + POINT, r"sizes|nn", args=["--sizes", "nn"]),
]
