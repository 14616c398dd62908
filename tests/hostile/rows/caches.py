"""Damaged cache folders and bundles. A cache never stops a job, and a bundle is taken whole or not at all."""

import io
import tarfile

from rows.base import folder
from runner import Fifo, Folder, Link, Row, Sparse

RUN = ["run", "j.yaml", "--device", "cpu", "-q"]
ENTRY = "v1/5a/" + "b" * 62
OWN = {"KILN_CACHE_DIR": "c"}


def bundle(*members):
    """A tar of (name, content) or (name, content, type)."""
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for name, content, *kind in members:
            info = tarfile.TarInfo(name)
            info.size = len(content)
            if kind:
                info.type = kind[0]
                info.linkname = "/etc/passwd"
                info.size = 0
            tar.addfile(info, io.BytesIO(content))
    return made.getvalue().rstrip(b"\0") + bytes(-len(made.getvalue().rstrip(b"\0")) % 512 + 1024)


def unpack(name, content, says, **more):
    """Refused, and nothing is written: the folder `target` is not even made, or is empty."""
    return Row("bundle/" + name, ["cache", "unpack", "b.tar", "-o", "target"], says=r"^kiln: error: .*" + says, files={"b.tar": content},
               leaves=("target",), then=[(["cache", "list", "--cache-dir", "target", "--json"], 0, r"^\[\]")], **more)


JSON = b'{"checksum": "x", "format": 1}'
BUNDLES = [
    unpack("empty", b"", r"cut off|empty"),
    unpack("text", "hello\n", r"b\.tar"),
    unpack("zeros", bytes(10240), r"b\.tar"),
    unpack("gzip", b"\x1f\x8b\x08" + bytes(5000), r"b\.tar"),
    unpack("cut off", bundle((ENTRY + "/binary", b"x" * 5000))[:1500], r"cut off"),
    unpack("outside", bundle(("../evil", b"x")), r"not a file of a cache entry"),
    unpack("absolute", bundle(("/tmp/evil", b"x")), r"not a file of a cache entry"),
    unpack("through a dot", bundle((f"{ENTRY}/../../../evil", b"x")), r"not a file of a cache entry"),
    unpack("control characters", bundle(("v1/\x1b]0;own\x07", b"x")), r"not a file of a cache entry"),
    unpack("a line end", bundle(("v1/\nkiln: error: x", b"x")), r"not a file of a cache entry"),
    unpack("not UTF-8", bundle((b"v1/\xff".decode("utf-8", "surrogateescape"), b"x")), r"not a file of a cache entry"),
    unpack("upper case", bundle(("v1/5A/" + "b" * 62 + "/binary", b"x")), r"not a file of a cache entry"),
    unpack("a symbolic link", bundle((ENTRY + "/binary", b"", tarfile.SYMTYPE)), r"not a plain file"),
    unpack("a hard link", bundle((ENTRY + "/binary", b"", tarfile.LNKTYPE)), r"not a plain file"),
    unpack("a device", bundle((ENTRY + "/binary", b"", tarfile.CHRTYPE)), r"not a plain file"),
    unpack("a FIFO", bundle((ENTRY + "/binary", b"", tarfile.FIFOTYPE)), r"not a plain file"),
    unpack("a folder", bundle((ENTRY, b"", tarfile.DIRTYPE)), r"not a (plain file|file of a cache entry)"),
    unpack("a member twice", bundle((ENTRY + "/binary", b"x"), (ENTRY + "/binary", b"y")), r"twice"),
    unpack("no entry.json", bundle((ENTRY + "/binary", b"x")), r"refused.*(damaged|entry\.json)"),
    unpack("entry.json that is none", bundle((ENTRY + "/entry.json", b"hello")), r"refused.*(damaged|entry\.json)"),
    unpack("entry.json of brackets", bundle((ENTRY + "/entry.json", b"[" * 100000)), r"refused.*(damaged|entry\.json)"),
    unpack("entry.json of wrong checksum", bundle((ENTRY + "/entry.json", JSON)), r"refused.*(damaged|entry\.json)"),
    unpack("a header of wrong checksum", bundle((ENTRY + "/binary", b"x"))[:148] + b"9" * 364 + bytes(1024), r"b\.tar"),
    unpack("a hole of 100 GB", Sparse(100 << 30), r"b\.tar", limit=20, before="ulimit -v 8000000"),
    Row("bundle/FIFO", ["cache", "unpack", "p", "-o", "target"], says=r"p", files={"p": Fifo()}, limit=10, leaves=("target",)),
    Row("bundle/folder", ["cache", "unpack", "d", "-o", "target"], says=r"d", files={"d": Folder()}, leaves=("target",)),
    Row("bundle/missing", ["cache", "unpack", "nobody", "-o", "target"], says=r"nobody", leaves=("target",)),
    Row("bundle/into a file", ["cache", "unpack", "b.tar", "-o", "f"], exit=3, says=r"'f' cannot be used: it is not a directory", files={"b.tar": bundle((ENTRY + "/binary", b"x")), "f": "x"}),
]


def damaged(name, spoil, out="1 ok", args=RUN, says="", never="", needs_root=False, exit=0, then=(), **more):
    """Compiles once into the cache `c`, spoils it by a shell text, and runs again: the job's result is the same."""
    before = f'"$0" run j.yaml --device cpu -q >/dev/null 2>&1 || exit 99\ne=$(dirname $(find c/v1 -name entry.json))\n{spoil}'
    return Row("cache/" + name, list(args), exit=exit, out=out, says=says, never=never, before=before, files=folder(), env=OWN, leaves=("c", "elsewhere"),
               needs_root=needs_root, then=list(then), **more)


HEALED = [(RUN, 0, "1 from disk")]
LOUD = RUN[:-1]
DAMAGED = [
    damaged("sound", ":", out="1 from disk"),
    damaged("binary empty", ': > "$e/binary"', says="damaged|binary", args=LOUD, then=HEALED),
    damaged("binary cut", 'truncate -s -1 "$e/binary"', says="binary", args=LOUD, then=HEALED),
    damaged("binary longer", 'echo >> "$e/binary"', says="binary", args=LOUD, then=HEALED),
    damaged("binary another", 'cp /bin/true "$e/binary"', says="binary", args=LOUD, then=HEALED),
    damaged("binary gone", 'rm "$e/binary"', says="binary", args=LOUD, then=HEALED),
    damaged("binary a link", 'mv "$e/binary" elsewhere; ln -s "$PWD/elsewhere" "$e/binary"', says="binary", args=LOUD, then=HEALED),
    damaged("binary a folder", 'rm "$e/binary"; mkdir "$e/binary"', says="binary", args=LOUD, then=HEALED),
    damaged("binary a FIFO", 'rm "$e/binary"; mkfifo "$e/binary"', says="binary", args=LOUD, then=HEALED, limit=15),
    damaged("entry.json empty", ': > "$e/entry.json"', args=LOUD, then=HEALED),
    damaged("entry.json gone", 'rm "$e/entry.json"', args=LOUD, then=HEALED),
    damaged("entry.json of brackets", 'head -c 100000 /dev/zero | tr "\\0" "[" > "$e/entry.json"', args=LOUD, then=HEALED),
    damaged("entry.json of control characters", 'printf "\\033]0;own\\007" > "$e/entry.json"', args=LOUD, then=HEALED),
    damaged("entry.json of another entry", 'sed -i s/1/2/ "$e/entry.json"', args=LOUD, then=HEALED),
    damaged("entry a file", 'rm -r "$e"; : > "$e"', args=LOUD, then=HEALED),
    damaged("entry a link", 'mv "$e" elsewhere; ln -s "$PWD/elsewhere" "$e"', args=LOUD, then=HEALED),
    damaged("preimage another", 'echo x > "$e/preimage.txt"', out="1 from disk", then=[(["cache", "verify"], 1, "preimage.txt has 2 bytes")]),
    damaged("source a link", 'rm "$e/source.cu"; ln -s /etc/passwd "$e/source.cu"', out="1 from disk", then=[(["cache", "verify"], 1, "source.cu is not a plain file")]),
    damaged("an undeclared file beside", 'echo x > "$e/extra"', args=LOUD),
    damaged("statistics of rubbish", "head -c 5000 /dev/urandom > c/statistics", then=[(["cache", "stats"], 0, "runs")]),
    damaged("statistics a folder", "rm -f c/statistics; mkdir c/statistics"),
    damaged("usage of rubbish", "head -c 5000 /dev/urandom > c/usage"),
    damaged("usage a FIFO", "rm -f c/usage; mkfifo c/usage", limit=15),
    damaged("locks of rubbish", "mkdir -p c/locks; head -c 500 /dev/urandom > c/locks/$(printf %064d 1)"),
    damaged("locks a file", "rm -rf c/locks; : > c/locks"),
    damaged("in-use a file", "rm -rf c/in-use; : > c/in-use"),
    damaged("in-use of rubbish", "mkdir -p c/in-use; head -c 500 /dev/urandom > c/in-use/x-1-2-3"),
    damaged("tmp a file", "rm -rf c/tmp; : > c/tmp"),
    damaged("the compilers' memo of rubbish", "head -c 500 /dev/urandom > c/compilers.json"),
    damaged("strangers in v1", "mkdir -p c/v1/zz c/v1/00/x; : > c/v1/f; ln -s / c/v1/link", out="1 from disk"),
    damaged("v1 that anyone may write to", "chmod 777 c/v1", args=LOUD, says="anyone may write"),
    damaged("an entry that anyone may write to", 'chmod 777 "$e"', args=LOUD, out="1 ok", says="anyone|may write"),
    damaged("a file of an entry that anyone may write to", 'chmod 666 "$e/binary"', args=LOUD, out="1 ok", says="anyone|may write"),
    damaged("a prefix that anyone may write to", 'chmod 777 "$(dirname "$e")"', args=LOUD, out="1 ok", says="anyone|may write"),
    damaged("an entry of another user", 'chown 12345 "$e"', args=LOUD, out="1 ok", says="12345", needs_root=True),
    damaged("a file of an entry of another user", 'chown 12345 "$e/binary"', args=LOUD, out="1 ok", says="12345", needs_root=True),
    damaged("verify finds a wrong byte", 'echo >> "$e/binary"', args=["cache", "verify"], exit=1, out="1 damaged"),
    damaged("verify of strangers", "mkdir -p c/v1/zz; ln -s / c/v1/link", args=["cache", "verify"], exit=0, out="0 damaged"),
    damaged("list of rubbish", ': > "$e/entry.json"', args=["cache", "list"], exit=0, out="entries|entry"),
    damaged("list of control characters", 'printf "\\033]0;own\\007" > "$e/entry.json"', args=["cache", "list", "--json"], exit=0, out=r"^\["),
    damaged("gc of strangers", "mkdir -p c/tmp/x; ln -s / c/tmp/link; ln -s / c/locks/link", args=["cache", "gc", "--max-size", "1 KiB"], exit=0,
            out="removed", then=[(["workloads"], 0, "stencil7")]),
    damaged("clear does not follow links", 'mkdir elsewhere; : > elsewhere/keep; ln -s "$PWD/elsewhere" c/v1/ff', args=["cache", "clear"], exit=0,
            out="removed", then=[(["cache", "unpack", "elsewhere/keep", "-o", "c"], 2, "cut off")]),
    damaged("explain of rubbish", ': > "$e/entry.json"', args=["cache", "explain", "j.yaml"], out="miss"),
]

ROWS = BUNDLES + DAMAGED
