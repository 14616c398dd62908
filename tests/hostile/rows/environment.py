"""What surrounds the program: variables, limits, streams, folders."""

from rows.base import KERNEL, WORKLOAD, folder, spoilt
from runner import Fifo, Folder, Link, Row

RUN = ["run", "j.yaml", "--device", "cpu", "-q"]


def env(name, variables, says="", args=("devices",), exit=0, files=None, **more):
    return Row("variable/" + name, list(args), exit=exit, says=says, env=variables, files=files or {}, **more)


def wrong_setting(variable, value, says):
    return env(f"{variable}={value}"[:60], {variable: value}, args=["settings"], exit=2, says=rf"^kiln: error: {variable}: .*" + says)


VARIABLES = [wrong_setting(*row) for row in [
    ("KILN_CACHE", "maybe", "'maybe'"), ("KILN_CACHE_LOCKS", "2", "'2'"),
    ("KILN_CACHE_MAX_SIZE", "big", "'big'"), ("KILN_CACHE_MAX_SIZE", "-1 GB", "'-1 GB'"), ("KILN_LOG", "loud", "loud"),
    ("KILN_CPU_THREADS", "all", "'all'"), ("KILN_CPU_THREADS", "-1", "-1"), ("KILN_CPU_THREADS", "1e3x", "1e3x"),
    ("KILN_CPU_STACK", "x", "x"), ("KILN_COMPILE_TIME_LIMIT", "soon", "'soon'"), ("KILN_COMPILE_JOBS", "-2", "-2"),
    ("KILN_COMPILE_MEMORY_LIMIT", "1e30 GB", "1e30 GB"), ("KILN_ISOLATION", "proces", "process"),
    ("KILN_LOG", "\x1b]0;own\x07", r"\\x1b"), ("KILN_CPU_THREADS", b"\xff", r"\\xff"),
]] + [
    env("KILN_SETTINGS missing", {"KILN_SETTINGS": "nobody.yaml"}, exit=2, args=["settings"], says=r"KILN_SETTINGS: there is no settings file .*nobody\.yaml"),
    env("KILN_SETTINGS a folder", {"KILN_SETTINGS": "d"}, exit=2, args=["settings"], says=r"settings file.*d", files={"d": Folder()}),
    env("KILN_SETTINGS a FIFO", {"KILN_SETTINGS": "p"}, exit=2, args=["settings"], says=r"p", files={"p": Fifo()}, limit=10),
    env("variables that are empty count as not set", {"KILN_SETTINGS": "", "KILN_CACHE": "", "KILN_LOG": ""}, args=["settings"], out="cache_dir"),
    env("HOME not set", {"HOME": None, "KILN_CACHE_DIR": None}, args=["settings"], out="cache_dir"),
    env("HOME empty", {"HOME": "", "KILN_CACHE_DIR": None}, args=["settings"], out="cache_dir"),
    env("HOME a file", {"HOME": "f"}, args=["settings"], out="cache_dir", files={"f": "x"}),
    env("HOME of control characters", {"HOME": "/\x1b]0;own\x07", "KILN_CACHE_DIR": "~/c"}, args=["settings"], out=r"\\x1b"),
    env("XDG_CONFIG_HOME a file", {"XDG_CONFIG_HOME": "/dev/null"}, args=["settings"], out="cache_dir"),
    env("PATH not set", {"PATH": None}, args=["settings"], out="cache_dir"),
    env("PATH empty, a compile", {"PATH": "/nonexistent", "KILN_CACHE": "off"}, args=RUN, exit=3, files=folder(), says=r"g\+\+|compiler"),
    env("no locale", {"LC_ALL": None}, args=["settings"], out="cache_dir"),
    env("a locale that is none", {"LC_ALL": "xx_YY.none"}, args=["settings"], out="cache_dir"),
    env("a locale of ASCII", {"LC_ALL": "C"}, args=["workloads"], out=r"stencil7"),
    env("NO_COLOR", {"NO_COLOR": "\x1b"}, args=["workloads"], out="stencil7"),
    env("TERM of nothing", {"TERM": ""}, args=["workloads"], out="stencil7"),
    env("TMPDIR missing, nothing to compile", {"TMPDIR": "/nonexistent"}, args=["settings"], out="cache_dir"),
    env("TMPDIR missing, devices", {"TMPDIR": "/nonexistent"}, args=["devices"], out="cpu"),
    env("TMPDIR missing, validate", {"TMPDIR": "/nonexistent"}, args=["validate", "j.yaml"], files=folder(), out="j.yaml: ok"),
    env("TMPDIR missing, a compile", {"TMPDIR": "/nonexistent", "KILN_CACHE": "off"}, args=RUN, exit=3, files=folder(),
        says=r"TMPDIR.*/nonexistent|/nonexistent.*TMPDIR"),
    env("TMPDIR a file, a compile", {"TMPDIR": "/dev/null", "KILN_CACHE": "off"}, args=RUN, exit=3, files=folder(), says=r"TMPDIR.*/dev/null|/dev/null.*TMPDIR"),
    env("KILN_CXX missing", {"KILN_CXX": "/nonexistent/g++", "KILN_CACHE": "off"}, args=RUN, exit=3, files=folder(), says=r"/nonexistent/g\+\+"),
    env("KILN_CXX a folder", {"KILN_CXX": "/tmp", "KILN_CACHE": "off"}, args=RUN, exit=3, files=folder(), says=r"/tmp"),
    env("KILN_CXX is no compiler", {"KILN_CXX": "/bin/cat", "KILN_CACHE": "off"}, args=RUN, exit=3, files=folder(), says=r"/bin/cat|cat"),
    env("KILN_CXX says nothing", {"KILN_CXX": "/bin/true", "KILN_CACHE_DIR": "c"}, args=RUN, exit=3, files=folder(), says=r"compiler|/bin/true",
        leaves=("c",)),
    env("KILN_CXX fails", {"KILN_CXX": "/bin/false", "KILN_CACHE": "off"}, args=RUN, exit=3, files=folder(), says=r"/bin/false|false"),
    env("KILN_CXX of control characters", {"KILN_CXX": "\x1b[2J", "KILN_CACHE": "off"}, args=RUN, exit=3, files=folder(), says=r"\\x1b\[2J"),
    env("KILN_NVRTC missing", {"KILN_NVRTC": "/nonexistent.so"}, args=["devices"], out=r"cpu.*/nonexistent\.so"),
    env("KILN_NVRTC no library", {"KILN_NVRTC": "/etc/passwd"}, args=["devices"], out=r"/etc/passwd"),
    env("KILN_HIP missing", {"KILN_HIP": "/nonexistent.so"}, args=["devices"], out=r"/nonexistent\.so"),
    env("KILN_HIPRTC no library", {"KILN_HIPRTC": "/etc/passwd"}, args=["devices"], out=r"/etc/passwd|hip"),
    env("KILN_WORKER missing", {"KILN_WORKER": "/nonexistent/w", "KILN_CACHE": "off", "KILN_ISOLATION": "process"}, args=RUN, exit=3, files=folder(),
        says=r"/nonexistent/w"),
    env("KILN_WORKLOAD_PATH missing", {"KILN_WORKLOAD_PATH": "/nonexistent"}, args=["validate", "j.yaml"], exit=2,
        files={"j.yaml": "workload: stencil7\n"}, says=r"stencil7.*/nonexistent"),
    env("KILN_WORKLOAD_PATH a file", {"KILN_WORKLOAD_PATH": "/etc/passwd"}, args=["validate", "j.yaml"], exit=2,
        files={"j.yaml": "workload: stencil7\n"}, says=r"stencil7"),
    env("KILN_TRACE nowhere", {"KILN_TRACE": "/nonexistent/t.json"}, args=RUN, exit=2, files=folder(), says=r"/nonexistent/t\.json"),
    env("KILN_DEVICE unknown", {"KILN_DEVICE": "gpu"}, args=["run", "j.yaml", "--dry-run"], exit=2, files=folder(), says=r"gpu"),
    env("a variable of 100000 bytes", {"KILN_LOG": "x" * 100000}, args=["settings"], exit=2, says="KILN_LOG|log"),
]


def limited(name, before, args=RUN, exit=0, **more):
    return Row("limit/" + name, list(args), exit=exit, before=before, files={**folder(), **more.pop("extra", {})}, **more)


LIMITS = [
    limited("umask 000", "umask 000", env={"KILN_CACHE_DIR": "c"}, out="1 ok", leaves=("c",), never="anyone may write",
            then=[(RUN, 0, r"1 from disk")]),
    limited("umask 777 of the process", "umask 077", env={"KILN_CACHE_DIR": "c"}, out="1 ok", leaves=("c",), then=[(RUN, 0, r"1 from disk")]),
    limited("results of 0 bytes at most", "ulimit -f 0", args=["run", "j.yaml", "--device", "cpu", "--dry-run"], exit=0, out="n = 64"),
    limited("12 files open", "ulimit -n 12", args=["validate", "j.yaml"], exit=0, out="ok"),
    limited("8 files open", "ulimit -n 8", args=["validate", "j.yaml"], exit=0, out="ok"),
    limited("no core, no memory lock", "ulimit -c 0; ulimit -l 0", args=["validate", "j.yaml"], exit=0, out="ok"),
    limited("a stack of 256 KiB", "ulimit -s 256", args=["validate", "j.yaml"], exit=0, out="ok"),
    limited("a stack of 256 KiB, 60 levels of YAML", "ulimit -s 256", args=["validate", "d.yaml"], exit=2, says=r"d\.yaml",
            extra={"d.yaml": "workload: " + "[" * 60 + "]" * 60 + "\n"}),
    limited("400 MB of memory", "ulimit -v 400000", args=["validate", "j.yaml"], exit=0, out="ok"),
    limited("400 MB of memory, a buffer of 1 TB", "ulimit -v 4000000",
            args=["run", "big.yaml", "--device", "cpu", "-q"], exit=2, says=r"(memory|bytes|GiB|TiB)",
            extra={"big/big.yaml": spoilt("shape: [n], init: 1", "shape: [1000000000000], init: 1"), "big/k.cu": KERNEL,
                   "big.yaml": "workload: ./big\nmeasure: false\n"}),
    limited("no time", "ulimit -t 20", args=["validate", "j.yaml"], exit=0, out="ok"),
]

STREAMS = [
    Row("stream/full device", ["workloads"], exit=3, before="exec >/dev/full", says=r"results could not be written to standard output"),
    Row("stream/full device, help", ["--help"], exit=3, before="exec >/dev/full", says=r"could not be written"),
    Row("stream/full device, JSON", ["cache", "list", "--json"], exit=3, before="exec >/dev/full", says=r"could not be written"),
    Row("stream/full standard error", ["run", "nobody"], exit=2, before="exec 2>/dev/full", errors=0),
    Row("stream/closed output", ["workloads"], exit=3, before="exec >&-", says=r"could not be written"),
    Row("stream/closed error", ["run", "nobody"], exit=2, before="exec 2>&-", errors=0),
    Row("stream/closed input", ["workloads"], exit=0, before="exec <&-", out="stencil7"),
    Row("stream/all closed", ["workloads"], exit=3, before="exec <&- >&- 2>&-", errors=0),
    Row("stream/closed output, nothing is written into a job's file", ["validate", "j.yaml"], exit=3, before="exec >&-", files=folder(), errors=1,
        says="could not be written"),
    Row("stream/a reader that goes away", ["completion", "bash"], exit=0, before="exec >/dev/null"),
]

PLACES = [
    Row("place/folder that is gone", ["settings"], exit=0, before='mkdir gone; cd gone; rmdir "$PWD"', out="cache_dir"),
    Row("place/folder that is gone, a path that is whole", ["validate", "/nonexistent.yaml"], before='mkdir gone; cd gone; rmdir "$PWD"',
        says=r"/nonexistent\.yaml: no such file"),
    Row("place/output folder is a file", RUN + ["--output", "f"], says=r"'f'", files={**folder(), "f": "x"}),
    Row("place/output folder below a file", RUN + ["--output", "f/g"], says=r"'f/g'", files={**folder(), "f": "x"}),
    Row("place/output folder is empty text", ["run", "j.yaml", "--device", "cpu", "--dry-run", "--output", ""], exit=0, out="n = 64", files=folder()),
    Row("place/output folder of 300 letters", RUN + ["--output", "o" * 300], says=r"ooo", files=folder()),
    Row("place/output folder with a NUL", ["run", "n.yaml", "--device", "cpu", "-q"], says=r"n\.yaml:3:\d+: .*byte 0",
        files={**folder(), "n.yaml": 'workload: ./w\nmeasure: false\noutput: "a\\0b"\n'}),
    Row("place/output folder in /proc", RUN + ["--output", "/proc/self/x"], says=r"/proc/self/x", files=folder()),
    Row("place/report into a folder", ["report", "f", "-o", "d"], says=r"d", files={"f": "", "d": Folder()}),
    Row("place/report into nowhere", ["report", "f", "-o", "no/where"], says=r"no/where", files={"f": ""}),
    Row("place/pack of nothing", ["cache", "pack", "-o", "f/"], says=r"no entries to pack", files={"f": "x"}, env={"KILN_CACHE_DIR": "c"}, leaves=("c",)),
    Row("place/cache is a file", RUN, exit=0, out="1 ok", says="", files={**folder(), "c": "x"}, env={"KILN_CACHE_DIR": "c"}),
    Row("place/cache in /proc", RUN, exit=0, out="1 ok", files=folder(), env={"KILN_CACHE_DIR": "/proc/x"}),
    Row("place/cache below a file", RUN, exit=0, out="1 ok", files={**folder(), "f": "x"}, env={"KILN_CACHE_DIR": "f/c"}),
    Row("place/cache that anyone may write to", ["run", "j.yaml", "--device", "cpu"], exit=0, out="1 ok", says="anyone may write",
        files={**folder(), "c": Folder(0o777)}, env={"KILN_CACHE_DIR": "c"}),
    Row("place/cache of 300 letters", RUN, exit=0, out="1 ok", files=folder(), env={"KILN_CACHE_DIR": "c" * 300}),
    Row("place/cache is a dangling link", RUN, exit=0, out="1 ok", files={**folder(), "c": Link("nowhere")}, env={"KILN_CACHE_DIR": "c"},
        leaves=("nowhere",)),
    Row("place/cache of control characters", RUN, exit=0, out="1 ok", files=folder(), env={"KILN_CACHE_DIR": "c\x1b[2J"}, leaves=("c\x1b[2J",)),
    Row("place/cache that is not UTF-8", RUN, exit=0, out="1 ok", files=folder(), env={"KILN_CACHE_DIR": b"c\xe9"}, leaves=("c\udce9",),
        then=[(RUN, 0, "1 from disk")]),
    Row("place/trace is a folder", RUN + ["--trace", "d"], says=r"d", files={**folder(), "d": Folder()}),
]

ROWS = VARIABLES + LIMITS + STREAMS + PLACES
