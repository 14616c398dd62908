"""Kernel texts: what does not compile, what is strange but sound, what ends or holds the process. All on the CPU."""

from rows.base import KERNEL, WORKLOAD, folder, run, spoilt
from runner import Link, Row

BODY = "if (i < p.n) y[i] = p.a * x[i];"


def fails(name, kernel, says, **more):
    """Does not compile, as nothing of this job does: exit code 2, and the compiler's log with the place."""
    return run("compile/" + name, kernel, exit=2, says=r"^kiln: error: .*" + says, log=True, **more)


def sound(name, kernel, **more):
    return run("sound/" + name, kernel, exit=0, out=r"1 variant: 1 ok", **more)


def entry(name, text, says):
    """The workload names what the text has not."""
    workload = spoilt("source: k.cu", text)
    return run("entry/" + name, workload=workload, exit=2, says=says, log=True)


COMPILE = [
    fails("nothing", "", r"k\b"),
    fails("only a comment", "// k\n", r"k\b"),
    fails("an unknown name", KERNEL.replace(BODY, "y[i] = nobody;"), r"k\.cu:4.*nobody"),
    fails("an unknown parameter", KERNEL.replace("p.a", "p.aa"), r"k\.cu:4.*aa"),
    fails("an open brace", KERNEL.rstrip()[:-1], r"k\.cu:\d+"),
    fails("a brace too many", KERNEL + "}\n", r"k\.cu:6"),
    fails("an open comment", KERNEL + "/* \n", r"k\.cu:6.*comment"),
    fails("an open string", KERNEL + 'const char* s = "a;\n', r"k\.cu:6"),
    fails("an open raw string", KERNEL + 'const char* s = R"(a;\n', r"k\.cu:6"),
    fails("#error", '#error "not \\x1b here"\n' + KERNEL, r"k\.cu:1.*not"),
    fails("an escape sequence in #error", "#error \x1b]0;own\x07 here\n" + KERNEL, r"k\.cu:1.*here"),
    fails("a missing header", '#include "nobody.h"\n' + KERNEL, r"k\.cu:1.*nobody\.h"),
    fails("an #if without end", "#if 1\n" + KERNEL, r"k\.cu:1.*#if"),
    fails("an endless template", "template <int N> struct A { static const int v = A<N + 1>::v; };\n" + KERNEL.replace("p.a", "A<0>::v"),
          r"k\.cu:\d+.*(instantiation|template)", limit=60),
    fails("a header that includes itself", '#include "h.h"\n' + KERNEL, r"(nest|depth|include)", extra={"w/h.h": '#include "h.h"\n'}),
    fails("two headers in a circle", '#include "h.h"\n' + KERNEL, r"(nest|depth|include)",
          extra={"w/h.h": '#include "g.h"\n', "w/g.h": '#include "h.h"\n'}),
    fails("a header that is a folder", '#include "sub"\n' + KERNEL, r"sub", extra={"w/sub/x": ""}),
    fails("binary", bytes(range(1, 256)) * 4, r"k\b"),
    fails("UTF-16", KERNEL.encode("utf-16"), r"k\b"),
    fails("assembly that is none", KERNEL.replace(BODY, 'asm volatile("no such instruction");'), r"no such"),
    fails("a thousand errors", KERNEL.replace(BODY, "\n".join(f"nobody{i}();" for i in range(1000))), r"k\.cu:4:3: .*nobody0"),
    run("compile/__shared__ beyond a block's", KERNEL.replace(BODY, "__shared__ char s[10000000]; s[i] = 1; __syncthreads(); y[i] = s[i ^ 1];"), exit=2,
        says=r"10000000 bytes of static.*shared memory.*232448"),
]
COMPILE += [
    entry("another name", "entry: kk, source: k.cu", r"kk"),
    entry("a namespace that is none", "entry: 'a::k', source: k.cu", r"\ba\b"),
    entry("template arguments of no template", "template_args: [T], source: k.cu", r"k"),
    run("entry/a count of arguments too many", workload=spoilt("args: [y, x, params]", "args: [y, x, params, n]"), exit=2, says=r"w\.yaml:20:6: kernel 'k' takes 3 arguments, 4 are given"),
    run("entry/a count of arguments too few", workload=spoilt("args: [y, x, params]", "args: [y, params]"), exit=2, says=r"w\.yaml:20:6: kernel 'k' takes 3 arguments, 2 are given"),
    run("entry/an argument of another type", workload=spoilt("args: [y, x, params]", "args: [y, n, params]"), exit=2, says=r"w\.yaml:20:6: argument 2 of kernel 'k' is 4 bytes, the kernel takes 8"),
    run("entry/a symbol that is not there", workload=spoilt("source: k.cu", "symbols: {nobody: x}, source: k.cu"), exit=2, says=r"w\.yaml:20:6: kernels\.k\.symbols: 'k\.cu' defines no variable 'nobody'"),
    run("entry/a function that is not there", workload=spoilt("args: [y, x, params]", "args: [y, x, {function: nobody}]"), exit=2, says=r"nobody"),
    run("option/unknown", workload=spoilt("source: k.cu", "options: {cpu: [--nobody]}, source: k.cu"), exit=2, says=r"nobody"),
    run("option/-c", workload=spoilt("source: k.cu", "options: {cpu: [-c]}, source: k.cu"), exit=2, says=r"-c"),
    run("option/-o", workload=spoilt("source: k.cu", "options: {cpu: [-o, evil]}, source: k.cu"), exit=2, says=r"-o"),
    run("option/-E", workload=spoilt("source: k.cu", "options: {cpu: [-E]}, source: k.cu"), exit=2, says=r"-E"),
    run("option/-S", workload=spoilt("source: k.cu", "options: {cpu: [-S]}, source: k.cu"), exit=2, says=r"-S"),
    run("option/a shell's text is one word", workload=spoilt("source: k.cu", "options: {cpu: ['-DHOSTILE=$(touch evil);x']}, source: k.cu"), exit=0,
        out="1 ok"),
    run("define/a line end", workload=spoilt("source: k.cu", 'defines: {A: "1\\n#error evil"}, source: k.cu'), exit=2,
        says=r"w\.yaml:20:\d+: kernels\.k\.defines.*(line|byte)"),
]

SOUND = [
    sound("CRLF", KERNEL.replace("\n", "\r\n")),
    sound("a byte order mark", "\ufeff" + KERNEL),
    sound("no line end", KERNEL.rstrip()),
    sound("a form feed", "\f\n" + KERNEL),
    sound("UTF-8 in a comment", "// gr\u00fc\u00df \u4e2d\u6587\n" + KERNEL),
    sound("Latin-1 in a comment", "// gr\xfc\xdf\n".encode("latin-1") + KERNEL.encode()),
    sound("a bidirectional override in a comment", "// \u202e evil\n" + KERNEL),
    sound("a line of a megabyte", "//" + "x" * 1000000 + "\n" + KERNEL),
    sound("100000 lines", "\n" * 100000 + KERNEL),
    sound("braces in strings and comments", 'static const char* s = "}}}{{"; // }}}\n/* {{{ */\n' + KERNEL),
    sound("a raw string with its own end", 'static const char* s = R"x()" } )x";\n' + KERNEL),
    sound("a computed include", '#define NAME "h.h"\n#include NAME\n' + KERNEL, extra={"w/h.h": "// h\n"}),
    sound("an include that is not taken", '#if 0\n#include "nobody.h"\n#endif\n' + KERNEL),
    sound("an include in a comment", '/*\n#include "nobody.h"\n*/\n// #include "nobody.h"\n' + KERNEL),
    sound("an include in a string", 'static const char* s = R"(\n#include "nobody.h"\n)";\n' + KERNEL),
    sound("an include over two lines", '#inc\\\nlude "h.h"\n' + KERNEL, extra={"w/h.h": "// h\n"}),
    sound("a header twice", '#include "h.h"\n#include "./h.h"\n' + KERNEL, extra={"w/h.h": "#pragma once\nstruct H {};\n"}),
    sound("a header by a link", '#include "l.h"\n' + KERNEL, extra={"w/l.h": Link("h.h"), "w/h.h": "struct H {};\n"}),
    sound("2000 nested brackets", KERNEL.replace(BODY, "int q = " + "(" * 200 + "1" + ")" * 200 + ";" + BODY)),
    sound("a chain of 150 headers", '#include "h0.h"\n' + KERNEL,
          extra={**{f"w/h{i}.h": f'#include "h{i + 1}.h"\n' for i in range(150)}, "w/h150.h": ""}),
    sound("a file name with a quote", workload=spoilt("source: k.cu", "source: 'k\".cu'"), kernel="", extra={'w/k".cu': KERNEL}),
    sound("a file name with a blank and a dollar", workload=spoilt("source: k.cu", "source: 'k $(touch evil).cu'"), kernel="",
          extra={"w/k $(touch evil).cu": KERNEL}),
    sound("a file name with a backslash", workload=spoilt("source: k.cu", "source: 'k\\n.cu'"), kernel="", extra={"w/k\\n.cu": KERNEL}),
    sound("a file name with a leading dash", workload=spoilt("source: k.cu", "source: '-k.cu'"), kernel="", extra={"w/-k.cu": KERNEL}),
    sound("a file name with a line end", workload=spoilt("source: k.cu", 'source: "k\\n#error x.cu"'), kernel="", extra={"w/k\n#error x.cu": KERNEL}),
]

DEEP = KERNEL.replace(BODY, "static int q = " + "(" * 5000 + "1" + ")" * 5000 + "; y[i] = q;")


def ends(name, text, says="", exit=1, before_text="", **more):
    return run("runs/" + name, before_text + KERNEL.replace(BODY, text), exit=exit, says=says, **more)


RUNNING = [
    run("deep/5000 brackets end soon", DEEP, exit=1, out="k", limit=20, args=("--compile-time-limit", "10 s")),
    ends("exit(0)", "if (i == 0) exit(0);", before_text="#include <cstdlib>\n", exit=1, never=r"1 variant: 1 ok"),
    ends("_Exit(0)", "if (i == 0) _Exit(0);", before_text="#include <cstdlib>\n", exit=1, never=r"1 variant: 1 ok"),
    ends("a wrong result", BODY + " if (i == 3) y[i] = 7;", out=r"y\[3\] is 7, expected 2\.5"),
    ends("NaN", "if (i < p.n) y[i] = 0.0f / 0.0f;", out=r"wrong.*nan"),
    ends("nothing written", ";", out=r"wrong.*nan"),
    ends("printf goes to standard error", 'if (i == 0) printf("hello from %d\\n", i); ' + BODY, exit=0, says="hello from 0", never="",
         out="1 ok"),
    run("runs/a signal ends the variant", KERNEL.replace(BODY, "if (i == 0) *(volatile int*)16 = 1;"), exit=-11, args=("--output", "out"),
        says=r"kiln: error: signal 11 \(Segmentation fault\) in kernel 'k' of w on cpu", leaves=("out",),
        then=[(["run", "j.yaml", "--device", "cpu", "-q", "--output", "out", "--resume"], 1, r"1 crashed")]),
    run("runs/a launch that never ends", KERNEL.replace(BODY, "for (volatile int j = 0;;) j = 1;"), exit=1, args=("--launch-time-limit", "1 s"),
        says=r"kernel 'k' of w on cpu did not end within 1\.00 s, the launch_time_limit", out="1 timed out"),
    run("runs/printf leaves CSV alone", KERNEL.replace(BODY, 'if (i == 0) printf("hello,from,kernel\\n"); ' + BODY), exit=0,
        args=("--format", "csv"), out=r"^run_id,", says="hello,from,kernel"),
    run("runs/printf leaves JSON alone", KERNEL.replace(BODY, 'if (i == 0) printf("hello\\n"); ' + BODY), exit=0,
        args=("--format", "json"), out=r"^\{", says="hello"),
]

ROWS = COMPILE + SOUND + RUNNING
