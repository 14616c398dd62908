"""Numbers, expressions, shapes and sizes."""

from rows.base import KERNEL, WORKLOAD, bad_set, bad_workload, folder, spoilt
from runner import Row

N = "{type: int, default: 64, min: 1, max: 1000000, help: length}"


def good_set(name, assignment, out):
    return Row("set/" + name, ["run", "j.yaml", "--dry-run", "--device", "cpu", "--set", assignment], exit=0, out=out, files=folder())


SET = [bad_set(f"set/{name}", assignment, r"^kiln: error: .*" + says) for name, assignment, says in [
    ("int, a word", "n=ten", r"--set n: .*'ten'"),
    ("int, empty", "n=", r"--set n.*"),
    ("int, a blank", "n= ", r"--set n.*"),
    ("int, an expression", "n=2 * b", r"--set n: expected a whole number \(int\); found '2 \* b'"),
    ("int, a fraction", "n=1.5", r"--set n: .*(whole|1\.5)"),
    ("int, hexadecimal", "n=0x10", r"--set n: .*0x10"),
    ("int, a suffix", "n=10u", r"--set n: .*10u"),
    ("int, two numbers", "n=1 2", r"--set n: .*1 2"),
    ("int, a separator", "n=1_000", r"--set n: .*1_000"),
    ("int, NaN", "n=nan", r"--set n: .*nan"),
    ("int, infinite", "n=inf", r"--set n: .*inf"),
    ("int, beyond 32 bits", "n=2147483648", r"--set n: .*(2147483648|too large)"),
    ("int, beyond 64 bits", "n=9223372036854775808", r"--set n: .*"),
    ("int, beyond a double", "n=1e999", r"--set n: .*1e999"),
    ("int, below min", "n=0", r"--set n: 0 is too small; the least is 1"),
    ("int, negative", "n=-5", r"--set n: -5 is too small"),
    ("int, above max", "n=1000001", r"--set n: 1000001 is too large; the most is 1000000"),
    ("int, true", "n=true", r"--set n: .*true"),
    ("int, another digit system", "n=\u0661\u0662", r"--set n: "),
    ("int, a control character", "n=\x1b[31m4", r"--set n: .*\\x1b"),
    ("int, not UTF-8", b"n=\xff", r"--set n: .*\\xff"),
    ("int, a megabyte of digits", "n=" + "9" * 100000, r"--set n: "),
    ("int, not of the values", "b=33", r"--set b: 33 is not allowed; expected one of 32, 64"),
    ("float, too small for it", "real=1e-300", r"--set real: .*1e-300"),
    ("float, beyond its range", "real=1e39", r"--set real: .*1e39"),
    ("float, NaN", "real=nan", r"--set real: .*finite"),
    ("float, infinite", "real=-inf", r"--set real: .*finite"),
    ("float, a word", "real=x", r"--set real: .*x"),
    ("float, two points", "real=1.2.3", r"--set real: .*1\.2\.3"),
    ("float, a comma", "real=1,5", r"--set real: .*1,5"),
    ("T, beyond float", "a=-4e38", r"--set a: .*-4e38"),
    ("bool, a number", "flag=2", r"--set flag: .*2"),
    ("bool, yes", "flag=yes", r"--set flag: .*yes"),
    ("choice, no word of it", "mode=onee", r"--set mode: .*onee.*(one of one, two|did you mean 'one')"),
    ("choice, an index", "mode=0", r"--set mode: .*0"),
    ("type, unknown", "T=half", r"--set T: .*half"),
    ("type, not of the values", "T=int", r"--set T: .*int.*float, double"),
    ("an unknown name", "nn=3", r"nn.*did you mean 'n'"),
    ("a name of control characters", "\x1b]0;own\x07=3", r"\\x1b\]0;own\\x07"),
    ("no name", "=3", r"expected --set name=value; found '=3'"),
    ("a line end", "n=1\nkiln: error: forged", r"--set n: "),
    ("bind of what it is not", "bind.n=compil", r"bind\.n.*compil"),
    ("bind of nobody", "bind.nn=run", r"bind\.nn"),
    ("long, a fraction", "big=0.5", r"--set big: .*0\.5"),
    ("long, beyond 64 bits", "big=9223372036854775808", r"--set big: .*9223372036854775808"),
    ("long, a real beyond 64 bits", "big=1e30", r"--set big: "),
]] + [
    good_set("int, with a sign", "n=+5", r"n = 5\b"),
    good_set("int, as a real", "n=1e3", r"n = 1000\b"),
]

EXPRESSIONS = [bad_workload(f"expression/{name}", 'let: {cells: "n * 2"}', f"let: {{cells: {text}}}", says) for name, text, says in [
    ("open bracket", '"(n"', r":13:\d+: let\.cells: .*\(n"),
    ("close bracket", '"n)"', r":13:\d+: let\.cells"),
    ("two operators", '"n * / 2"', r":13:\d+: let\.cells"),
    ("an operator at the end", '"n +"', r":13:\d+: let\.cells"),
    ("nothing", '""', r":13:\d+: let\.cells"),
    ("blanks", '"   "', r":13:\d+: let\.cells"),
    ("an unknown name", '"nn * 2"', r":13:\d+: let\.cells: .*'?nn'?.*did you mean 'n'"),
    ("an unknown function", '"foo(n)"', r":13:\d+: let\.cells: .*foo"),
    ("too few arguments", '"pow(n)"', r":13:\d+: let\.cells"),
    ("too many arguments", '"sqrt(n, n)"', r":13:\d+: let\.cells"),
    ("an assignment", '"n = 2"', r":13:\d+: let\.cells"),
    ("a string", "'\"n\"'", r":13:\d+: let\.cells"),
    ("a semicolon", '"n; n"', r":13:\d+: let\.cells"),
    ("itself", '"cells + 1"', r":13:\d+: let\.cells: .*cells"),
    ("sizeof of no type", '"sizeof(n)"', r":13:\d+: let\.cells"),
    ("a control character", '"n \\e[31m"', r":13:\d+: let\.cells: .*\\x1b"),
    ("a question without answer", '"n ? 1"', r":13:\d+: let\.cells"),
    ("100000 letters", '"' + "n+" * 50000 + '"', r":13:\d+: let\.cells"),
    ("10000 brackets", '"' + "(" * 10000 + "n" + ")" * 10000 + '"', r":13:\d+: let\.cells"),
    ("2000 signs", '"' + "-" * 2000 + 'n"', r":13:\d+: let\.cells"),
    ("hexadecimal float", '"0x1p3 * n"', r":13:\d+: let\.cells"),
]] + [
    bad_workload("expression/let in a circle", 'let: {cells: "n * 2"}', 'let: {cells: "d + 1", d: "e + 1", e: "cells"}',
                 r":13:\d+: let\.\w+: .*(cells|circle|itself)"),
    bad_workload("expression/a default of a later name", "default: 64, min", 'default: "b + 1", min', r":5:\d+: .*b"),
    bad_workload("expression/a default of itself", "default: 64, min", 'default: "n + 1", min', r":5:\d+: .*n"),
    bad_workload("expression/a from of a later path", '  input: {type: path, default: ""}',
                 '  m: {type: int, default: 1, from: {file: "{later}", format: text, index: 0}}\n  later: {type: path, default: ""}',
                 r":12:\d+: .*later"),
    bad_workload("expression/a from of what is no path", '  input: {type: path, default: ""}',
                 '  m: {type: int, default: 1, from: {file: "{n}", format: text, index: 0}}', r":12:\d+: .*n.*path"),
    bad_workload("expression/a constraint of nobody", '["n >= 1"]', '["nn >= 1"]', r":15:\d+: .*nn"),
    bad_workload("expression/a constraint that fails", '["n >= 1"]', '["n >= 100"]', r":15:\d+: .*violate.*n >= 100"),
    bad_workload("expression/a constraint that is NaN", '["n >= 1"]', '["nan"]', r":15:\d+: .*nan"),
    bad_workload("expression/a constraint by zero", '["n >= 1"]', '["1 / (n - n)"]', r":15:\d+: .*zero|finite|not a number"),
    bad_workload("expression/a constraint, whole division by zero", '["n >= 1"]', '["n // (n - n)"]', r":15:\d+: .*zero"),
    bad_workload("expression/a constraint, remainder by zero", '["n >= 1"]', '["n % (n - n)"]', r":15:\d+: .*zero"),
]

Y = "  y: {type: T, shape: [n]}"
SHAPES = [bad_workload(f"shape/{name}", Y, f"  y: {{type: T, shape: {text}}}", says) for name, text, says in [
    ("zero", "[0]", r":18:\d+: .*buffers\.y\.shape.*0"),
    ("negative", "[-1]", r":18:\d+: .*buffers\.y\.shape.*-1"),
    ("a fraction", '["n / 3"]', r":18:\d+: .*buffers\.y\.shape.*(ceil_div|//)"),
    ("NaN", '["sqrt(0 - n)"]', r":18:\d+: .*buffers\.y\.shape"),
    ("infinite", '["n / 0"]', r":18:\d+: .*buffers\.y\.shape"),
    ("whole division by zero", '["n // 0"]', r":18:\d+: .*zero"),
    ("remainder by zero", '["n % 0"]', r":18:\d+: .*zero"),
    ("beyond 2^53", "[9007199254740993]", r":18:\d+: .*buffers\.y"),
    ("beyond 2^63", "[9223372036854775808]", r":18:\d+: .*buffers\.y"),
    ("beyond 2^64 bytes in all", "[4294967296, 4294967296]", r":18:\d+: .*y.*(large|bytes|overflow|2\^)"),
    ("beyond 2^64 bytes by the size of an element", "[4611686018427387904]", r":18:\d+: .*y"),
    ("five hundred dimensions", "[" + ", ".join(["2"] * 500) + "]", r":18:\d+: .*y"),
    ("a word", "[many]", r":18:\d+: .*many"),
    ("a bool", "[true]", r":18:\d+: .*true"),
    ("an unknown name", '["nn * 2"]', r":18:\d+: .*nn.*did you mean 'n'"),
    ("a path", '["input"]', r":18:\d+: .*y"),
]]

LINE = 'grid: ["ceil_div(n, b)"], block: [b]'
LAUNCHES = [bad_workload(f"launch/{name}", LINE, text, says) for name, text, says in [
    ("grid of a fraction", 'grid: ["n / 3"], block: [b]', r":20:\d+: .*kernels\.k\.grid.*ceil_div"),
    ("grid of zero", "grid: [0], block: [b]", r":20:\d+: .*kernels\.k\.grid"),
    ("grid negative", "grid: [-1], block: [b]", r":20:\d+: .*kernels\.k\.grid"),
    ("grid beyond 2^31", "grid: [2147483648], block: [b]", r":20:\d+: .*kernels\.k\.grid"),
    ("grid beyond 2^64", "grid: [18446744073709551616], block: [b]", r":20:\d+: .*kernels\.k\.grid"),
    ("block of zero", "grid: [1], block: [0]", r":20:\d+: .*kernels\.k\.block"),
    ("block of NaN", 'grid: [1], block: ["sqrt(0 - 1)"]', r":20:\d+: .*kernels\.k\.block"),
    ("block of a word", "grid: [1], block: [wide]", r":20:\d+: .*wide"),
    ("shared negative", "shared: -1, grid: [1], block: [b]", r":20:\d+: .*kernels\.k\.shared"),
    ("shared beyond 2^63", "shared: 1e30, grid: [1], block: [b]", r":20:\d+: .*kernels\.k\.shared"),
    ("shared of a fraction", "shared: 0.5, grid: [1], block: [b]", r":20:\d+: .*kernels\.k\.shared"),
    ("cluster of zero", "cluster: [0], grid: [1], block: [b]", r":20:\d+: .*kernels\.k\.cluster"),
]]

CHECK = "{buffer: y, expected: 2.5, atol: 1e-6}"
TOLERANCES = [bad_workload(f"tolerance/{name}", CHECK, text, says) for name, text, says in [
    ("atol infinite", "{buffer: y, expected: 2.5, atol: inf}", r":24:\d+: .*atol"),
    ("atol negative", "{buffer: y, expected: 2.5, atol: -1}", r":24:\d+: .*atol"),
    ("atol NaN", "{buffer: y, expected: 2.5, atol: nan}", r":24:\d+: .*atol"),
    ("rtol NaN", "{buffer: y, expected: 2.5, rtol: nan}", r":24:\d+: .*rtol"),
    ("rtol negative", '{buffer: y, expected: 2.5, rtol: "0 - 1"}', r":24:\d+: .*rtol"),
    ("rtol a word", "{buffer: y, expected: 2.5, rtol: small}", r":24:\d+: .*small"),
    ("skip_below infinite", "{buffer: y, expected: 2.5, atol: 1, skip_below: inf}", r":24:\d+: .*skip_below"),
]]

MIN = [bad_workload(f"limit/{name}", "min: 1, max: 1000000", text, says) for name, text, says in [
    ("min NaN", "min: nan, max: 1000000", r":5:\d+: .*nan"),
    ("max infinite", "min: 1, max: inf", r":5:\d+: .*inf"),
    ("min a fraction by zero", 'min: "1 / 0", max: 5', r":5:\d+: "),
    ("min a word", "min: least, max: 5", r":5:\d+: .*least"),
]] + [
    bad_workload("limit/long beyond 2^53", "big: {type: long, default: 7}",
                 "big: {type: long, default: 9007199254740993, max: 9007199254740992}", r":10:\d+: .*9007199254740993"),
    bad_workload("limit/long not of its values", "big: {type: long, default: 7}",
                 "big: {type: long, default: 9007199254740993, values: [9007199254740992]}", r":10:\d+: .*9007199254740993"),
]

ROWS = SET + EXPRESSIONS + SHAPES + LAUNCHES + TOLERANCES + MIN
