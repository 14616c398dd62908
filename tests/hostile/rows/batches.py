"""Batches, shards and what `kiln merge` is given."""

import json

from rows.base import JOB, folder
from rows.results import RECORD as BARE_RECORD
from runner import Fifo, Folder, Row

RECORD = {**BARE_RECORD, "status": "ok"}
LINE = json.dumps(RECORD) + "\n"

GOOD = "jobs:\n- j.yaml\n- {run: j.yaml, name: k, after: j}\n"


def batch(name, text, says, args=("--dry-run",), **more):
    return Row("batch/" + name, ["run", "b.yaml", "--device", "cpu", *args], says=r"^kiln: error: " + says,
               files={**folder(), "b.yaml": text, **more.pop("extra", {})}, **more)


def merge(name, files, says, args=("r", "-o", "out"), **more):
    return Row("merge/" + name, ["merge", *args], says=r"^kiln: error: " + says, files=files, **more)


def state(name, text, says, **more):
    return Row("watch/" + name, ["watch", "r", "--once"], says=says, files={"r/.progress.json": text}, **more)


def shard(text):
    return Row("shard/" + (text or "empty"), ["run", "j.yaml", "--device", "cpu", "--dry-run", "--shard", text],
               says=r"--shard: expected the number of a shard", files=folder())


def record(**changes):
    return json.dumps({**RECORD, **changes}) + "\n"


def slurm(name, says, **variables):
    return Row("slurm/" + name, ["run", "j.yaml", "--device", "cpu", "--dry-run"], says=says, files=folder(),
               env={"SLURM_ARRAY_TASK_" + key: value for key, value in variables.items()})


STATE = {"command": "kiln run j.yaml", "unit": "variants", "total": 3, "done": 1, "exit_code": 1}

ROWS = [
    state("no JSON", "x", r"^kiln: error: r/\.progress\.json:1"),
    state("a list", "[]", r"^kiln: error: r/\.progress\.json:1.*object|r/\.progress\.json:1"),
    state("without a command", "{}", r"^kiln: error: r/\.progress\.json:1.*command"),
    state("a negative count", json.dumps({**STATE, "done": -1}), r"^kiln: error: r/\.progress\.json:1.*done"),
    state("a count of words", json.dumps({**STATE, "total": "three"}), r"^kiln: error: r/\.progress\.json:1.*total"),
    state("jobs without a name", json.dumps({**STATE, "jobs": [{}]}), r"^kiln: error: r/\.progress\.json:1.*name"),
    state("a pipe", Fifo(), r"^kiln: error: .*r/\.progress\.json"),
    state("a folder", Folder(), r"^kiln: error: .*r/\.progress\.json"),
    batch("no jobs", "jobs: []\n", r"b\.yaml:1:.*at least one job"),
    batch("jobs are a text", "jobs: j.yaml\n", r"b\.yaml:1:.*jobs"),
    batch("jobs are null", "jobs:\n", r"b\.yaml:2:.*jobs"),
    batch("unknown key", GOOD + "keepgoing: true\n", r"b\.yaml:4:1: .*keep_going"),
    batch("unknown key of a job", "jobs:\n- {run: j.yaml, nam: a}\n", r"b\.yaml:2:.*'name'"),
    batch("two commands", "jobs:\n- {run: j.yaml, study: j.yaml}\n", r"b\.yaml:2:.*exactly one|b\.yaml:2:.*found run and study"),
    batch("cycle", "jobs:\n- {run: j.yaml, after: k}\n- {run: j.yaml, name: k, after: j}\n", r"b\.yaml:2:.*j after k after j"),
    batch("itself", "jobs:\n- {run: j.yaml, after: j}\n", r"b\.yaml:2:.*j after j"),
    batch("after nobody", "jobs:\n- {run: j.yaml, after: jj}\n", r"b\.yaml:2:.*no job 'jj'.*'j'"),
    batch("the same name", "jobs: [j.yaml, j.yaml]\n", r"b\.yaml:1:.*two have the name 'j'"),
    batch("a name with a slash", "jobs:\n- {run: j.yaml, name: a/../../b}\n", r"b\.yaml:2:.*letters"),
    batch("a name with control characters", 'jobs:\n- {run: j.yaml, name: "a\\x1b[31m"}\n', r"b\.yaml:2:.*letters"),
    batch("missing file", "jobs: [nobody.yaml]\n", r".*nobody\.yaml"),
    batch("a folder", "jobs: [w]\n", r".*w"),
    batch("itself as a job", "jobs: [b.yaml]\n", r"b\.yaml.*is a batch"),
    batch("a job as a study", "jobs:\n- {study: j.yaml}\n", r"j\.yaml.*is a job"),
    batch("an error in a job", "jobs: [j.yaml, bad.yaml]\n", r"bad\.yaml:1:1.*workload", extra={"bad.yaml": "workloat: w\n"}),
    batch("at once", GOOD + "at_once: -1\n", r"b\.yaml:4:.*1 to 1024"),
    batch("limit", GOOD + "limits: {time: never}\n", r"b\.yaml:4:.*limits\.time"),
    batch("memory", GOOD + "limits: {memory: 8 GB of it}\n", r"b\.yaml:4:.*limits\.memory"),
    batch("launcher", GOOD + "launcher: ''\n", r"b\.yaml:4:.*launcher"),
    batch("a fifo as a job", "jobs: [f]\n", r".*f", extra={"f": Fifo()}),
    Row("batch/two batches", ["run", "b.yaml", "b.yaml", "--dry-run"], says=r"a batch runs alone", files={**folder(), "b.yaml": GOOD}),
    Row("batch/keep going alone", ["run", "j.yaml", "--keep-going"], says=r"--keep-going: of several jobs", files=folder()),
    Row("batch/at once 0", ["run", "j.yaml", "j.yaml", "--at-once", "0"], says=r"--at-once", files=folder()),
    Row("batch/output is a file", ["run", "b.yaml", "--device", "cpu", "--output", "j.yaml"], says=r"j\.yaml", files={**folder(), "b.yaml": GOOD}),
    Row("memory limit", ["run", "j.yaml", "--memory-limit", "much"], says=r"--memory-limit: ", files=folder()),
    *[shard(text) for text in ("0/2", "3/2", "1/0", "a/b", "1", "1/2/3", "-1/2", "99999999999999999999/2", "1/99999999999999999999")],
    slurm("id", r"SLURM_ARRAY_TASK_ID: expected a whole number", ID="x", COUNT="2"),
    slurm("uneven", r"not evenly spaced", ID="0", COUNT="3", MIN="0", MAX="9", STEP="1"),
    slurm("count 0", r"not evenly spaced", ID="0", COUNT="0", MIN="0", MAX="0", STEP="1"),
    slurm("step 0", r"not evenly spaced", ID="0", COUNT="2", MIN="0", MAX="1", STEP="0"),
    slurm("huge", r"SLURM_ARRAY_TASK_ID: expected a whole number", ID="9223372036854775807", COUNT="2", MIN="-9223372036854775808", MAX="9223372036854775807", STEP="1"),
    merge("missing", {}, r"there is no file or folder 'r'"),
    merge("empty folder", {"r": Folder()}, r"'r': expected records\.jsonl"),
    merge("foreign file", {"r": "hello\n"}, r"r:1: expected records"),
    merge("damaged", {"r/records.jsonl": LINE + "no json\n"}, r"r/records\.jsonl:2"),
    merge("old format", {"r/records.jsonl": record(format=99)}, r"r/records\.jsonl:1.*format"),
    merge("other source", {"r/records.jsonl": LINE, "r/records-b.jsonl": record(source_digest="e" * 64, time="2027")},
          r"these files do not belong together: the source of w is dddddddddddd in r/records\.jsonl:1"),
    merge("other version", {"r/records.jsonl": LINE + record(kiln={"version": "9", "revision": "x"}, time="2027")}, r".*Kiln is 0\.1\.0 abc"),
    merge("a journal without its head", {"r/tune.jsonl": '{"event":"end","reason":"x"}\n'}, r"r/tune\.jsonl:1.*tune"),
    merge("a study without its head", {"r/study.jsonl": '{"kind":"visit"}\n'}, r"r/study\.jsonl:1.*study"),
    merge("output is a file", {"r/records.jsonl": LINE, "out": "hello\n"}, r".*out"),
    merge("no output", {"r/records.jsonl": LINE, "s/records.jsonl": LINE}, r"-o is missing", args=("r", "s")),
]
