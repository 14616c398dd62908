"""usage: resnet18_states.py SOURCE_DIR WORK. States as safetensors: a whole one gives the weights of the same state as .npz; damaged
ones are refused with exit code 2 and a message that says what is wrong."""
import json
import pathlib
import struct
import subprocess
import sys

import numpy as np

source, work = (pathlib.Path(argument) for argument in sys.argv[1:3])
sys.path.insert(0, str(source / "tools"))
import resnet18  # noqa: E402

STATE = resnet18.random_state(3, np)


def file_of(state, edit=lambda header: None):
    header, body = {}, b""
    for name, tensor in state.items():
        raw = np.ascontiguousarray(tensor, "<f4").tobytes()
        header[name] = {"dtype": "F32", "shape": list(tensor.shape), "data_offsets": [len(body), len(body) + len(raw)]}
        body += raw
    edit(header)
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + body


def convert(name, content):
    path = work / name
    path.write_bytes(content)
    return subprocess.run([sys.executable, source / "tools" / "resnet18.py", "weights", path, work / "converted"], capture_output=True, text=True)


def without(name):
    return {key: tensor for key, tensor in STATE.items() if key != name}


whole = file_of(STATE)
REFUSED = [
    ("cut.safetensors", whole[:1000000], "is cut off"),
    ("header.safetensors", whole[:100], "its header would end at byte"),
    ("short.safetensors", whole[:5], "its header would end at byte"),
    ("json.safetensors", struct.pack("<Q", 3) + b"[{}", "its header cannot be read"),
    ("type.safetensors", file_of(STATE, lambda header: header["conv1.weight"].update(dtype="BF16")), "has the type BF16"),
    ("keys.safetensors", file_of(STATE, lambda header: header["conv1.weight"].pop("shape")), "has no 'shape' for a tensor"),
    ("bytes.safetensors", file_of(STATE, lambda header: header["conv1.weight"].update(data_offsets=[0, 7])), "expected 37632 of them"),
    ("layer.safetensors", file_of(without("layer3.0.bn1.running_var")), "the state has no 'layer3.0.bn1.running_var'"),
    ("shape.safetensors", file_of({**STATE, "fc.weight": STATE["fc.weight"][:10]}), "fc.weight has the shape (10, 512)"),
    ("junk.npz", b"PK" + bytes(100), "is damaged"),
]
failures = 0
for name, content, message in REFUSED:
    result = convert(name, content)
    if result.returncode != 2 or message not in result.stderr or (work / "converted").exists():
        print(f"{name}: exit code {result.returncode}, expected 2 and {message!r}\n{result.stderr}")
        failures += 1
result = convert("whole.safetensors", whole)
files = sorted(path.name for path in (work / "weights").glob("*_[wb].npy"))
equal = [np.array_equal(np.load(work / "weights" / name), np.load(work / "converted" / name)) for name in files] if result.returncode == 0 else []
if len(equal) != 42 or not all(equal):
    print(f"whole.safetensors: {sum(equal)} of {len(files)} files are those of the .npz\n{result.stderr}")
    failures += 1
sys.exit(1 if failures else 0)
