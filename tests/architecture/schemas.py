"""schemas.py ROOT: the schema files are valid, every job and workload of ours agrees with its schema and names it in its
first line for editors, and files that are wrong on purpose are refused."""

import json
import re
import sys
import warnings
from pathlib import Path

import jsonschema
import yaml

# RefResolver works with every release in use; the newest ones deprecate it.
warnings.simplefilter("ignore", DeprecationWarning)
root = Path(sys.argv[1]).resolve()
problems = []


class CoreLoader(yaml.SafeLoader):
    """YAML 1.2's core schema, as kiln reads it: `on` is a word, 1e-9 a number."""


CoreLoader.yaml_implicit_resolvers = {}
for tag, pattern, first in (
    ("bool", r"^(?:true|false)$", "tf"),
    ("null", r"^(?:null|~|)$", ["n", "~", ""]),
    ("int", r"^[-+]?[0-9]+$", "-+0123456789"),
    ("float", r"^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$", "-+.0123456789"),
):
    CoreLoader.add_implicit_resolver("tag:yaml.org,2002:" + tag, re.compile(pattern), list(first))
CoreLoader.add_implicit_resolver("tag:yaml.org,2002:merge", re.compile("^<<$"), ["<"])  # which kiln has, too
CoreLoader.add_constructor("tag:yaml.org,2002:int", lambda loader, node: int(node.value))
CoreLoader.add_constructor("tag:yaml.org,2002:float", lambda loader, node: float(node.value))


def validator(name):
    path = root / "schemas" / name
    schema = json.loads(path.read_text())
    kind = jsonschema.validators.validator_for(schema)
    kind.check_schema(schema)
    others = {p.as_uri(): json.loads(p.read_text()) for p in (root / "schemas").glob("*.json")}
    return kind(schema, resolver=jsonschema.RefResolver(path.as_uri(), schema, store=others))


def first_problem(text, checker):
    """The deepest message about the document, or None."""
    error = jsonschema.exceptions.best_match(checker.iter_errors(yaml.load(text, CoreLoader)))
    return error and "/".join(map(str, error.absolute_path)) + ": " + error.message


def check_file(path, schema_name, checker):
    text = path.read_text()
    named = re.match(r"# yaml-language-server: \$schema=(\S+)\n", text)
    if not named or (path.parent / named[1]).resolve() != root / "schemas" / schema_name:
        problems.append(f"{path}: the first line does not name schemas/{schema_name} for editors")
    problem = first_problem(text, checker)
    if problem:
        problems.append(f"{path}: {problem}")


checkers = {p.name: validator(p.name) for p in sorted((root / "schemas").glob("*.json"))}
job, workload, study, wisdom, batch = (checkers[name + ".schema.json"] for name in ("job", "workload", "study", "wisdom", "batch"))

wisdom_files = set(root.glob("kernels_src/*/*.wisdom.yaml"))
workload_files = {p for p in root.glob("kernels_src/*/*.yaml")} - wisdom_files
study_files = set(root.glob("configs/studies/*.yaml"))
batch_files = set(root.glob("configs/batches/*.yaml"))
job_files = set()
for path in sorted(set(root.glob("configs/**/*.yaml")) - study_files - batch_files) + sorted(root.glob("examples/**/*.yaml")):
    is_workload = isinstance(yaml.load(path.read_text(), CoreLoader), dict) and re.search(r"(?m)^run:", path.read_text())
    (workload_files if is_workload else job_files).add(path)
for path in sorted(workload_files):
    check_file(path, "workload.schema.json", workload)
for path in sorted(job_files):
    check_file(path, "job.schema.json", job)
for path in sorted(study_files):
    check_file(path, "study.schema.json", study)
for path in sorted(batch_files):
    check_file(path, "batch.schema.json", batch)
for path in sorted(wisdom_files):  # written by kiln, which adds no line for editors
    problem = first_problem(path.read_text(), wisdom)
    if problem:
        problems.append(f"{path}: {problem}")

# A check that lets everything through would pass above; these must be refused, each for its one fault.
good_job = "workload: w\ndevice: [cpu, cuda:0]\nset: {nx: 4, bind.nx: run}\nsweep: {T: [float, double]}\nmeasure: {min_time: 20 ms}\n"
good_study = (
    "workload: w\nset: {n: {cpu: 1, otherwise: 2}}\ninstantiate: {k: [1, 2]}\nfast_math: [false, true]\n"
    "launch_bounds: {cpu: true, otherwise: [true, false]}\nmeasure: {rounds: 6}\n"
)
good_kernel = "{source: k.cu, grid: [1], block: [1], args: [a, null, {value: 1, type: int}]}"
good_workload = (
    "workload: w\nparameters: {n: {type: int, default: {cpu: 1, otherwise: 2}}}\n"
    "buffers: {a: {type: float, shape: [n], init: {uniform: [0, 1]}}}\nkernels: {k: " + good_kernel + "}\nrun: [k]\n"
    "verify: {checks: [{buffer: a, reference: {kernel: k, buffer: a, on: cpu}, rtol: 1e-9}]}\n"
)
good_wisdom = (
    "- key: {workload: w, device: {name: a b, backend: cpu, arch: x86-64 avx2}, types: {T: float}, size: {n: 4}}\n"
    "  values: {block: 32, bind.n: run}\n  result: {time: [1 ms, 2 ms, 3 ms], rank: 1}\n  made: {date: 2026-11-22, driver: 570.86}\n"
)
good_batch = (
    "jobs:\n- a.yaml\n- {run: b.yaml, name: b2, after: a, device: [cpu], set: {n: 4}, limits: {time: 10 min, memory: 8 GiB}}\n"
    "- {study: s.yaml, after: [a, b2], launcher: srun -n 4}\nkeep_going: true\nat_once: 2\n"
)
bad = [
    (batch, good_batch.replace("study:", "studies:"), "a job without a file"),
    (batch, good_batch.replace("name: b2", "tune: t.yaml"), "a job of two commands"),
    (batch, good_batch.replace("at_once: 2", "at_once: 0"), "no job at once"),
    (batch, good_batch.replace("10 min", "soon"), "a limit that is no time"),
    (batch, "keep_going: true\n", "a batch without jobs"),
    (wisdom, good_wisdom.replace("cpu", "host"), "an unknown back end"),
    (wisdom, good_wisdom.replace("{block: 32, bind.n: run}", "{}"), "a point without values"),
    (wisdom, good_wisdom.replace("rank: 1", "rank: 0"), "a rank of 0"),
    (job, good_job + "sweeps: {}\n", "an unknown key"),
    (job, "set: {n: 1}\n", "no workload"),
    (job, good_job.replace("cuda:0", "gpu 1"), "an unknown device"),
    (job, good_job.replace("[float, double]", "float"), "a sweep over no list"),
    (job, good_job.replace("20 ms", "soon"), "no duration"),
    (job, good_job.replace("nx: 4", "nx: [4]"), "a list for a value"),
    (job, "workload: {workload: w, runs: []}\n", "an inline workload with an unknown key"),
    (study, good_study + "sweep: {n: [1]}\n", "a sweep in a study"),
    (study, good_study.replace("otherwise: 2", "hip: 2"), "no value for the other back ends"),
    (study, good_study.replace("{k:", "{bind.k:"), "a binding in a study"),
    (study, good_study.replace("rounds: 6", "rounds: 5"), "fewer rounds than an interval needs"),
    (study, good_study.replace("[false, true]", "[true, true]"), "a switch twice"),
    (workload, good_workload.replace("run: [k]\n", ""), "no run"),
    (workload, good_workload.replace("type: int, d", "typ: int, d"), "a misspelt key of a parameter"),
    (workload, good_workload.replace("otherwise", "other"), "no default for the other back ends"),
    (workload, good_workload.replace("[0, 1]", "[0]"), "half a range"),
    (workload, good_workload.replace("grid: [1]", "grid: [1, 1, 1, 1]"), "four extents of a grid"),
    (workload, good_workload.replace("on: cpu", "on: host"), "an unknown place"),
    (workload, good_workload.replace("parameters: {n", "parameters: {1n"), "a name that is none"),
]
for checker, text, what in [(job, good_job, ""), (batch, good_batch, ""), (study, good_study, ""), (workload, good_workload, ""), (wisdom, good_wisdom, ""), (job, "workload:\n  " + good_workload.replace("\n", "\n  "), "")] + bad:
    refused = first_problem(text, checker)
    if what and not refused:
        problems.append(f"let through: {what}")
    if not what and refused:
        problems.append(f"a good file was refused: {refused}")

print("\n".join(problems) if problems else f"{len(checkers)} schemas, {len(job_files)} jobs, {len(study_files)} studies, {len(batch_files)} batches, {len(workload_files)} workloads, {len(bad)} wrong files")
sys.exit(1 if problems else 0)
