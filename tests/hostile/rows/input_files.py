"""Files that a buffer or a parameter is read from, and files that a command line names."""

import os

from rows.base import KERNEL, WORKLOAD, folder, spoilt
from runner import Fifo, Folder, Link, Row, Sparse

FILE_WORKLOAD = spoilt("  x: {type: T, shape: [n], init: 1}", "  x: {type: T, shape: [n], init: {file: {path: \"{input}\", FORM}, otherwise: 1}}")


def of_type(workload, element):
    """With elements of another type, and 2 as the factor."""
    workload = workload.replace("default: float, values: [float, double]", f"default: {element}")
    return workload if element == "float" else workload.replace("default: 2.5}", "default: 2}")


def buffer(name, form, made, says, n=4, element="float", exit=2, status="", **more):
    """A run whose buffer x is read from the file `in`."""
    workload = of_type(FILE_WORKLOAD.replace("FORM", form), element)
    files = folder(workload)
    if made is not None:
        files["in"] = made
    return Row("buffer/" + name, ["run", "j.yaml", "--device", "cpu", "-q", "--set", "input=in", f"n={n}"], exit=exit, says=says,
               files=files, **more)


def npy(shape, data=b""):
    """A file of NumPy's with floats."""
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}}}".ljust(127) + "\n"
    return b"\x93NUMPY\x01\x00\x80\x00" + header.encode() + data


TEXT, BINARY = "format: text", "format: binary"
BUFFERS = [
    buffer("missing", TEXT, None, r"input: .*no such file.*'.*in'"),
    buffer("a folder", TEXT, Folder(), r"in.*(directory|folder)"),
    buffer("a FIFO", TEXT, Fifo(), r"in.*(not a (plain|regular) file|pipe|FIFO)", limit=10),
    buffer("a dangling link", TEXT, Link("nowhere"), r"input: .*'in'|in: "),
    buffer("a link to itself", TEXT, Link("in"), r"input: no such file or folder: 'in'"),
    buffer("empty text", TEXT, "", r"in:1: ends after 0 of the 4 numbers"),
    buffer("text too short", TEXT, "1 2 3", r"in.*3.*4|in.*4.*3"),
    buffer("text too long", TEXT, "1 2 3 4 5", r"in.*(5|more).*4|in.*4.*(5|more)"),
    buffer("text with a word", TEXT, "1 2 three 4", r"in.*three"),
    buffer("text with a NUL", TEXT, b"1 2 \x003 4", r"in"),
    buffer("text with control characters", TEXT, b"1 2 \x1b]0;own\x07 4", r"in: .*(binary|\\x1b)"),
    buffer("text with a comma", TEXT, "1, 2, 3, 4", r"in.*1,"),
    buffer("text with hexadecimal", TEXT, "0x1 2 3 4", r"in.*0x1"),
    buffer("text with a decimal comma", TEXT, "1,5 2 3 4", r"in.*1,5"),
    buffer("text beyond float", TEXT, "1e39 2 3 4", r"in.*(1e39|inf)"),
    buffer("text beyond double", TEXT, "1e999 2 3 4", r"in.*1e999"),
    buffer("text of a word of a megabyte", TEXT, "1 2 3 " + "x" * 1000000, r"in"),
    buffer("binary as text", TEXT, bytes(range(256)), r"in"),
    buffer("gzip as text", TEXT, b"\x1f\x8b\x08\x00" + bytes(100), r"in"),
    buffer("UTF-16 as text", TEXT, "1 2 3 4".encode("utf-16"), r"in"),
    buffer("binary empty", BINARY, b"", r"in.*0 bytes.*16"),
    buffer("binary too short", BINARY, bytes(15), r"in.*15.*16"),
    buffer("binary too long", BINARY, bytes(17), r"in.*17.*16"),
    buffer("binary offset beyond", BINARY + ", offset: 100, partial: true", bytes(16), r"in.*16"),
    buffer("binary offset negative", BINARY + ", offset: -1", bytes(16), r"offset"),
    buffer("binary offset beyond 2^63", BINARY + ", offset: 1e30", bytes(16), r"offset"),
    buffer("binary of a hole of 1 TiB", BINARY, Sparse(1 << 40), r"in.*(1099511627776|1 TiB)", limit=10),
    buffer("text of a hole of 1 TiB", TEXT, Sparse(1 << 40), r"in", limit=10),
    buffer("npy that is text", "format: npy", "1 2 3 4", r"in: .*does not begin"),
    buffer("npy of a hole of 1 TiB", "format: npy", Sparse(1 << 40), r"in: .*does not begin", limit=10),
    buffer("npy with a header of 4 GiB", "format: npy", b"\x93NUMPY\x02\x00\xff\xff\xff\xff{'descr'", r"in: .*cut off"),
    buffer("npy with 2^63 elements", "format: npy", npy("(9223372036854775807, 9223372036854775807)"), r"in: has the shape .*\(4\)"),
    buffer("npy cut off", "format: npy", npy("(4,)", bytes(15)), r"in: holds .* promises"),
    buffer("npy with a NaN", "format: npy", npy("(4,)", bytes(12) + b"\x00\x00\xc0\x7f"), r"in: .*nan"),
    buffer("csv without the column", "format: csv, column: b", "a,c\n1,2\n", r"in:1:.*no column 'b'"),
    buffer("csv with a short line", "format: csv, column: b", "a,b\n1,2\n3\n", r"in:3:.*1 cells"),
    buffer("csv with a word", "format: csv, column: b", "a,b\n1,2\n3,inf\n", r"in:3:3: 'inf'"),
    buffer("csv without an end", "format: csv, column: 9999999", "1," * 100000, r"in:1:.*column 9999999"),
    buffer("csv of no column", "format: csv", "1\n", r"column"),
    buffer("text skip negative", TEXT + ", skip: -1", "1 2 3 4", r"skip"),
    buffer("text skip beyond", TEXT + ", skip: 100", "1 2 3 4", r"in"),
    buffer("uchar, negative", TEXT, "-1 1 1 1", r"in.*-1", element="uchar"),
    buffer("uchar, 300", TEXT, "1 300 1 1", r"in.*300", element="uchar"),
    buffer("uchar, a fraction", TEXT, "1 1 1.5 1", r"in.*1\.5", element="uchar"),
    buffer("int, 3000000000", TEXT, "1 3000000000 1 1", r"in.*3000000000", element="int"),
    buffer("int, 1e18", TEXT, "1e18 1 1 1", r"in.*1e18", element="int"),
    buffer("int, nan", TEXT, "nan 1 1 1", r"in.*nan", element="int"),
    buffer("ulong, negative", TEXT, "-1 1 1 1", r"in.*-1", element="ulong"),
]


def pitch(name, shape, pitch_text, says):
    workload = spoilt("  x: {type: T, shape: [n], init: 1}",
                      f"  x: {{type: T, shape: {shape}, init: {{file: {{path: \"{{input}}\", format: binary, row_pitch: {pitch_text}}}, "
                      "otherwise: 1}}")
    return Row("buffer/" + name, ["run", "j.yaml", "--device", "cpu", "-q", "--set", "input=in"], says=says,
               files={**folder(workload), "in": bytes(4096)})


PITCHES = [
    pitch("row pitch whose product is 2^64", "[16385, 1]", "1125899906842624", r"in|row_pitch|x"),
    pitch("row pitch negative", "[4, 4]", "-16", r"row_pitch"),
    pitch("row pitch NaN", "[4, 4]", '"sqrt(0 - 1)"', r"row_pitch"),
    pitch("row pitch beyond the file", "[4, 4]", "4096", r"in.*4096"),
]


def init(name, element, text, says):
    workload = of_type(spoilt("  x: {type: T, shape: [n], init: 1}", f"  x: {{type: T, shape: [n], init: {text}}}"), element)
    return Row("init/" + name, ["run", "j.yaml", "--device", "cpu", "-q"], says=says, files=folder(workload))


INITS = [
    init("int, 1e300", "int", "1e300", r":17:\d+: .*1e\+?300"),
    init("int, a fraction", "int", "0.5", r":17:\d+: .*0\.5"),
    init("uchar, -1", "uchar", "-1", r":17:\d+: .*-1"),
    init("uchar, iota beyond", "uchar", "{iota: [0, 100]}", r":17:\d+: .*"),
    init("int, by zero", "int", '"1 / 0"', r":17:\d+: "),
    init("float, beyond", "float", "1e39", r":17:\d+: .*1e\+?39"),
    init("addresses in numbers", "float", "{addresses: [y]}", r":17:\d+: .*addresses are elements of type ulong"),
    init("members of a number", "float", "{members: {a: 1}}", r":17:\d+: .*expected one of `types`"),
    init("uniform NaN", "float", "{uniform: [0, nan]}", r":17:\d+: "),
]


def parameter(name, source, made, says, setting="", **more):
    workload = spoilt('  input: {type: path, default: ""}',
                      f'  input: {{type: path, default: ""}}\n  m: {{type: int, default: 1, from: {source}}}')
    files = folder(workload)
    if made is not None:
        files["in"] = made
    return Row("from/" + name, ["run", "j.yaml", "--dry-run", "--device", "cpu", "--set", "input=in"] + ([setting] if setting else []),
               says=says, files=files, **more)


INDEX, RECORDS = '{file: "{input}", format: text, index: 0}', '{file: "{input}", record_bytes: 16}'
FROM = [
    parameter("missing", INDEX, None, r"input: .*no such file"),
    parameter("a folder", INDEX, Folder(), r"in"),
    parameter("a FIFO", INDEX, Fifo(), r"in.*(not a (plain|regular) file|pipe|FIFO)", limit=10),
    parameter("empty", INDEX, "", r"in"),
    parameter("a word", INDEX, "seven", r"in.*seven"),
    parameter("a fraction", INDEX, "7.5", r"m.*7\.5|in.*7\.5"),
    parameter("beyond int", INDEX, "1e30", r"m|in"),
    parameter("index beyond", INDEX.replace("0", "3"), "1 2", r"in"),
    parameter("index negative", INDEX.replace("0", "-1"), "1 2", r"index"),
    parameter("records cut off", RECORDS, bytes(33), r"in.*33.*16"),
    parameter("records of 0 bytes", RECORDS.replace("16", "0"), bytes(32), r"record_bytes"),
    parameter("records of negative bytes", RECORDS.replace("16", "-16"), bytes(32), r"record_bytes"),
    parameter("records of a FIFO", RECORDS, Fifo(), r"in.*(not a (plain|regular) file|pipe|FIFO)", limit=10),
    parameter("records of a folder", RECORDS, Folder(), r"in"),
    parameter("another value than the file's", INDEX, "7", r"m.*8.*7|m.*7.*8", setting="m=8"),
    Row("from/a link counts what it leads to", ["run", "j.yaml", "--dry-run", "--device", "cpu", "--set", "input=in"], exit=0,
        out=r"m = 1024\b", files={**folder(spoilt('  input: {type: path, default: ""}',
                                                  f'  input: {{type: path, default: ""}}\n  m: {{type: int, default: 1, from: {RECORDS}}}')),
                                  "deep/real": bytes(16384), "in": Link("deep/real")}),
]


def command(name, args, says, files=None, **more):
    return Row("named/" + name, args, says=says, files=files or {}, **more)


BLOCKING = r"not a (plain|regular) file|pipe|FIFO|device"
NAMED = [
    command("job missing", ["run", "nobody.yaml"], r"nobody\.yaml.*no such file"),
    command("job empty name", ["run", ""], r"^kiln: error: .*no such file"),
    command("job is a folder", ["run", "d"], r"^kiln: error: d: .*(directory|folder)", {"d": Folder()}),
    command("job is /dev/zero", ["run", "/dev/zero"], r"/dev/zero.*(" + BLOCKING + "|16 MiB)", limit=10, before="ulimit -v 4000000"),
    command("job is a FIFO", ["run", "p"], r"p: .*(" + BLOCKING + ")", {"p": Fifo()}, limit=10),
    command("job is /dev/null", ["run", "/dev/null"], r"/dev/null"),
    command("job is a dangling link", ["run", "l"], r"l: .*(no such file|does not exist)", {"l": Link("nowhere")}),
    command("job is a link to itself", ["run", "l"], r"l: ", {"l": Link("l")}),
    command("job is a hole of 1 TiB", ["run", "h"], r"h: .*(larger|16 MiB)", {"h": Sparse(1 << 40)}, limit=10),
    command("job below a file", ["run", "f/j.yaml"], r"f/j\.yaml", {"f": "x"}),
    command("job of 300 letters", ["run", "j" * 300], r"jjj"),
    command("job of 5000 letters", ["run", "j/" * 2500], r"j/j.*(name|file)"),
    command("job with control characters", ["run", "a\x1b[2Jb"], r"a\\x1b\[2Jb: no such file"),
    command("job with a line end", ["run", "a\nkiln: error: b"], r"a\\nkiln: error: b: no such file"),
    command("job not UTF-8", ["run", b"k\xe9.yaml"], r"k\\xe9\.yaml: no such file"),
    command("job with a leading dash", ["run", "--", "-j.yaml"], r"-j\.yaml"),
    command("validate nothing", ["validate"], r"file is missing"),
    command("validate of two bad ones", ["validate", "a", "b"], r"a: no such file.*b: no such file", errors=2),
    command("validate a FIFO", ["validate", "p"], r"p: .*(" + BLOCKING + ")", {"p": Fifo()}, limit=10),
    command("validate /dev/zero", ["validate", "/dev/zero"], r"/dev/zero: .*(" + BLOCKING + "|16 MiB)", limit=10, before="ulimit -v 4000000"),
    command("study missing", ["study", "nobody.yaml"], r"nobody\.yaml.*no such file"),
    command("compile missing", ["compile", "nobody.yaml"], r"nobody\.yaml.*no such file"),
    command("explain missing", ["cache", "explain", "nobody.yaml"], r"nobody\.yaml.*no such file"),
    command("source is a FIFO", ["run", "j.yaml", "--device", "cpu"], r"kernels\.k\.source: .*(" + BLOCKING + ")", {**folder(), "w/k.cu": Fifo()}, limit=10),
    command("source is a folder", ["run", "j.yaml", "--device", "cpu"], r"kernels\.k\.source: .*(directory|folder)", {**folder(), "w/k.cu": Folder()}),
    command("source is /dev/zero", ["run", "j.yaml", "--device", "cpu"], r"kernels\.k\.source: .*(" + BLOCKING + "|larger)",
            {**folder(), "w/k.cu": Link("/dev/zero")}, limit=10, before="ulimit -v 4000000"),
    command("header is a FIFO", ["run", "j.yaml", "--device", "cpu"], r"h\.h.*(" + BLOCKING + ")",
            {**folder(kernel='#include "h.h"\n' + KERNEL), "w/h.h": Fifo()}, limit=10),
    Row("named/workload folder is a link", ["validate", "j.yaml"], exit=0, out="j.yaml: ok",
        files={**{("real/" + name.split("/")[1] if "/" in name else name): text for name, text in folder().items()}, "w": Link("real")}),
    Row("named/workload list of a linked folder", ["workloads", "./w"], exit=0, out=r"^w: a row's workload",
        files={**{("real/" + name.split("/")[1] if "/" in name else name): text for name, text in folder().items()}, "w": Link("real")}),
]

ROWS = BUFFERS + PITCHES + INITS + FROM + NAMED
