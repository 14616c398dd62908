"""The annotations, and the stub of the extension."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import kiln
from kiln import _kiln

USE = '''
import kiln
import numpy as np
from typing import assert_type

service = kiln.Service(application="a", log=lambda level, message: None)
axpy = service.program("a.cu", "...").function("axpy", template=["double"], block=256, cover="n", constants={"n": 3})
assert_type(axpy, kiln.Function)
assert_type(axpy.info.registers, int | None)
axpy(3, 0.5, np.zeros(3), np.zeros(3), stream=service.device("cpu").stream())
assert_type(axpy.time(3, 1), float)
assert_type(service.job("a.yaml", sweep={"b": [1, 2]}).run(progress=True)[0].seconds, float | None)

@kiln.kernel(service=service, block=256, cover="n")
def scale(n: kiln.i32, a: kiln.T, x: kiln.ptr[kiln.T], y: kiln.const_ptr[kiln.f32]) -> None:
    """x[i] = a * y[i];"""

assert_type(scale, kiln.KernelFunction)
scale(3, 0.5, np.zeros(3), y=np.zeros(3))
assert_type(scale.get("cuda:0", T="float"), kiln.Function)
array = service.device("cpu").zeros((2, 3))
assert_type(array, kiln.Array)
array.host("reed")  # error: not an access
service.program("a.cu", "...").function("axpy", blok=256)  # error: unexpected keyword
'''


def run(*command: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", *command], cwd=cwd, capture_output=True, text=True, check=False)


def test_users_see_the_types(tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    (tmp_path / "use.py").write_text(USE)
    result = run("mypy", "--strict", "use.py", cwd=tmp_path)
    errors = [line for line in result.stdout.splitlines() if ": error:" in line]
    assert len(errors) == 2, result.stdout
    assert "host" in errors[0]
    assert "blok" in errors[1]


def test_the_package_is_typed(tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    result = run(
        "mypy",
        "--strict",
        "--disable-error-code=import-untyped",
        "--disable-error-code=import-not-found",
        "-p",
        "kiln",
        cwd=tmp_path,
    )
    assert result.returncode == 0, result.stdout


def members_of(body: list[ast.stmt]) -> dict[str, list[ast.stmt]]:
    """Of a module or a class in a stub; with their own for classes."""
    found: dict[str, list[ast.stmt]] = {}
    for one in body:
        if isinstance(one, ast.ClassDef):
            found[one.name] = one.body
        elif isinstance(one, ast.FunctionDef):
            found[one.name] = []
        elif isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name):
            found[one.target.id] = []
    return found


def test_the_stub_has_what_the_extension_has() -> None:
    stub = members_of(ast.parse((Path(kiln.__file__).parent / "_kiln.pyi").read_text()).body)
    shown = {name for name in vars(_kiln) if not name.startswith("__")}
    assert set(stub) == shown
    for name, body in stub.items():
        if body:
            own = vars(getattr(_kiln, name))
            hidden = {one for one in own if one.startswith("__")} - set(members_of(body))
            assert set(members_of(body)) - set(own) == set(), name
            assert set(own) - hidden == set(members_of(body)), name


def parameters_of(function: ast.FunctionDef) -> list[tuple[str, str]]:
    """Names, and the types that are Python's own."""
    given = function.args
    every = [*given.posonlyargs, *given.args, *given.kwonlyargs]
    every += [one for one in (given.vararg, given.kwarg) if one is not None]
    own = {"int", "str", "bool", "float", "bytes", "None", "int | None", "str | None"}
    types = [ast.unparse(one.annotation) if one.annotation else "" for one in every]
    return [(one.arg, kind if kind in own else "") for one, kind in zip(every, types, strict=True)]


def test_the_stub_takes_what_the_extension_takes() -> None:
    compared = 0
    module = ast.parse((Path(kiln.__file__).parent / "_kiln.pyi").read_text())
    owners = [(_kiln, module.body)]
    owners += [(getattr(_kiln, one.name), one.body) for one in module.body if isinstance(one, ast.ClassDef)]
    for owner, body in owners:
        for function in body:
            if not isinstance(function, ast.FunctionDef):
                continue
            [signature] = getattr(getattr(owner, function.name), "__nb_signature__", [None])
            if signature is None:  # a property, or of kiln.Function
                continue
            theirs = ast.parse(signature[0] + ": ...").body[0]
            assert isinstance(theirs, ast.FunctionDef)
            assert parameters_of(function) == parameters_of(theirs), function.name
            compared += 1
    assert compared > 40
