"""Command lines."""

from rows.base import folder
from runner import Row

COMMANDS = ["run", "new", "validate", "study", "devices", "workloads", "compile", "cache list", "cache stats", "cache verify", "cache gc",
            "cache clear", "cache pack", "cache unpack", "cache explain", "replay", "report", "roofline", "settings", "completion", "watch"]


def bad(name, args, says, files=None, **more):
    return Row(name, args, says=r"^kiln: error: .*" + says, files=files or {}, **more)


EACH = []
for command in COMMANDS:
    words, last = command.split(), command.split()[-1]
    EACH += [
        bad(f"{command}/unknown option", words + ["--nobody"], rf"'--nobody' is not an option of 'kiln (cache )?{last}'"),
        bad(f"{command}/option of control characters", words + ["--x\x1b]0;own\x07"], r"'--x\\x1b\]0;own\\x07' is not an option"),
        bad(f"{command}/trace of nothing" if command not in ("run", "study", "compile", "roofline", "settings") else f"{command}/log level",
            words + (["--trace", "t"] if command not in ("run", "study", "compile", "roofline", "settings") else ["--log-level", "loud"]),
            r"--trace|loud|RESULTS"),
        bad(f"{command}/setting without value", words + ["--cache-dir"], r"cache-dir"),
    ]
EACH = [row for row in EACH if row.name not in ("cache list/trace of nothing",)]

GLOBAL = [
    bad("no such command", ["rnu"], r"'rnu' is not a command; did you mean 'run'"),
    bad("no such command, far", ["zzzzzzz"], r"'zzzzzzz' is not a command; expected one of run, new, validate"),
    bad("an empty command", [""], r"'' is not a command"),
    bad("a command of control characters", ["\x1b[2J"], r"'\\x1b\[2J' is not a command"),
    bad("a command that is not UTF-8", [b"\xff\xfe"], r"'\\xff\\xfe' is not a command"),
    bad("a command of 100000 letters", ["x" * 100000], r"\(100000 bytes\)"),
    bad("an option in place of a command", ["--jobs"], r"'--jobs' is not an option"),
    bad("no such command of the cache", ["cache", "lst"], r"'lst' is not a command of 'kiln cache'; did you mean 'list'"),
    bad("two jobs", ["run", "a.yaml", "b.yaml"], r"each of several jobs must be a file; found 'a\.yaml'"),
    bad("no job", ["run"], r"job"),
    bad("no program", ["new"], r"the file with the kernels is missing"),
    bad("a program that is not there", ["new", "x.cu"], r"no file 'x\.cu'"),
    bad("a program without a kernel", ["new", "x.cu"], r"x\.cu: no kernel", {"x.cu": "int main() {}"}),
    bad("a draft over a file", ["new", "x.cu"], r"x\.yaml' exists already", {"x.cu": "__global__ void k(int* a) {}", "x.yaml": "a: 1"}),
    bad("no study", ["study"], r"study file is missing"),
    bad("two studies", ["study", "a.yaml", "b.yaml"], r"b\.yaml"),
    bad("no capsule", ["replay"], r"capsule is missing"),
    bad("no results", ["report"], r"RESULTS"),
    bad("no bundle", ["cache", "unpack"], r"bundle|FILE|missing|file"),
    bad("no output of a bundle", ["cache", "pack"], r"-o"),
    bad("no shell", ["completion"], r"shell|bash"),
    bad("a shell that is none", ["completion", "csh"], r"csh.*(bash|zsh|fish)"),
    bad("no such workload", ["workloads", "stencil8"], r"stencil8.*did you mean 'stencil7'"),
    bad("a format of run", ["run", "j.yaml", "--format", "xml"], r"--format: 'xml' is not known.*(table|csv)", folder()),
    bad("a format of report", ["report", "j.yaml", "--format", "htm"], r"--format: 'htm' is not known; did you mean 'html'", folder()),
    bad("a format of settings", ["settings", "--format", "json"], r"--format.*'json'"),
    bad("a format that is empty", ["run", "j.yaml", "--format", ""], r"--format: ''", folder()),
    bad("an order of list", ["cache", "list", "--sort", "sizee"], r"--sort: 'sizee' is not known; did you mean 'size'"),
    bad("resume without output", ["run", "j.yaml", "--resume"], r"--resume needs the folder", folder()),
    bad("set without value", ["run", "j.yaml", "--set", "n"], r"'n'", folder()),
    bad("sweep without value", ["run", "j.yaml", "--sweep", "n="], r"--sweep", folder()),
    bad("sweep with a hole", ["run", "j.yaml", "--sweep", "n=1,,2"], r"--sweep.*'n=1,,2'", folder()),
    bad("sweep of an unknown name", ["run", "j.yaml", "--sweep", "nn=1,2"], r"nn.*did you mean 'n'", folder()),
    bad("sweep of a value twice", ["run", "j.yaml", "--sweep", "n=1,2,1"], r"--sweep n: '1' is given twice", folder()),
    bad("sweep of a word", ["run", "j.yaml", "--sweep", "n=1,two"], r"n: .*'two'", folder()),
    bad("sweep beyond all", ["run", "j.yaml", "--dry-run", "--sweep"] + [f"{name}=" + ",".join(map(str, range(1, 500))) for name in ("n", "seed")],
        r"variants|points|100000|249001", folder()),
    bad("device unknown", ["run", "j.yaml", "--device", "gpu"], r"'?gpu'?", folder()),
    bad("device with a hole", ["run", "j.yaml", "--device", "cpu,,cpu"], r"device.*''|''.*device", folder()),
    bad("device number of the cpu", ["run", "j.yaml", "--device", "cpu:7"], r"cpu:7", folder()),
    bad("device number negative", ["run", "j.yaml", "--device", "cuda:-1"], r"cuda:-1", folder()),
    bad("device number beyond", ["run", "j.yaml", "--device", "cuda:99999999999999999999"], r"cuda:9999", folder()),
    bad("arch unknown", ["compile", "j.yaml", "--arch", "sm_9x"], r"sm_9x", folder()),
    bad("arch empty", ["compile", "j.yaml", "--arch", ""], r"--arch|architecture", folder()),
    bad("arch with a hole", ["compile", "j.yaml", "--arch", "native,,"], r"--arch|architecture", folder()),
    bad("rounds 0", ["study", "s.yaml", "--rounds", "0"], r"--rounds", {"s.yaml": "workload: stencil7\n"}),
    bad("rounds a word", ["study", "s.yaml", "--rounds", "many"], r"rounds.*many|many", {"s.yaml": "workload: stencil7\n"}),
    bad("rounds beyond", ["study", "s.yaml", "--rounds", "99999999999999999999"], r"rounds", {"s.yaml": "workload: stencil7\n"}),
    bad("samples negative", ["study", "s.yaml", "--samples", "-1"], r"--samples", {"s.yaml": "workload: stencil7\n"}),
    bad("gc by a size that is none", ["cache", "gc", "--max-size", "big"], r"--max-size.*big"),
    bad("gc by a size below 0", ["cache", "gc", "--max-size", "-1 GB"], r"--max-size.*-1 GB"),
    bad("gc by a size beyond", ["cache", "gc", "--max-size", "1e30 GB"], r"--max-size.*1e30 GB"),
    bad("gc by an age that is none", ["cache", "gc", "--older-than", "old"], r"--older-than.*old"),
    bad("gc by an age that is NaN", ["cache", "gc", "--older-than", "nan"], r"--older-than.*nan"),
    bad("stats in two ways", ["cache", "stats", "--json", "--reset"], r"--json|--reset"),
    bad("a setting that is no choice", ["settings", "--cache", "maybe"], r"--cache.*maybe"),
    bad("threads negative", ["settings", "--cpu-threads", "-1"], r"--cpu-threads.*-1"),
    bad("threads beyond", ["settings", "--cpu-threads", "99999999999999999999"], r"--cpu-threads"),
    bad("threads a word", ["settings", "--cpu-threads", "all"], r"--cpu-threads.*all"),
    bad("stack beyond", ["settings", "--cpu-stack", "99999999999"], r"--cpu-stack"),
    bad("a time limit negative", ["settings", "--compile-time-limit", "-1 s"], r"--compile-time-limit.*-1 s"),
    bad("a time limit that is no time", ["settings", "--compile-time-limit", "soon"], r"--compile-time-limit.*soon"),
    bad("a memory limit that is none", ["settings", "--compile-memory-limit", "lots"], r"--compile-memory-limit.*lots"),
    bad("an isolation that is none", ["settings", "--isolation", "nne"], r"--isolation.*nne"),
    bad("jobs negative", ["settings", "-j", "-3"], r"--compile-jobs.*-3"),
    bad("colour that is none", ["settings", "--color", "red"], r"--color.*red"),
    bad("a cap that is none", ["settings", "--cache-max-size", "0x10 GB"], r"--cache-max-size.*0x10"),
    Row("help of control characters is a mistake", ["run", "--help\x1b"], says=r"--help\\x1b"),
    Row("no arguments", [], says="Usage: kiln COMMAND", errors=0, log=True),
    Row("help", ["--help"], exit=0, out="Usage: kiln COMMAND"),
    Row("an argument 200000 bytes long", ["run", "j.yaml", "--set", "n=" + "1" * 120000], says="--set n", files=folder()),
    Row("a thousand --set", ["run", "j.yaml", "--dry-run", "--device", "cpu", "--set"] + [f"n={i}" for i in range(1, 1001)], exit=0,
        out=r"n = 1000\b", files=folder()),
]

ROWS = EACH + GLOBAL
