"""Services: caches, settings, errors, messages, statistics."""

from __future__ import annotations

import os
import pickle
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from conftest import AXPY

import kiln


def axpy_of(service: kiln.Service, **request: object) -> kiln.Function:
    return service.program("axpy.cu", AXPY).function(
        "axpy", device="cpu", template=["double"], block=32, cover=0, **request
    )  # type: ignore[arg-type]


def test_the_second_service_compiles_nothing(tmp_path: Path) -> None:
    first = kiln.Service(application="a", settings={"cache_dir": tmp_path})
    assert axpy_of(first).info.origin == "compiled"
    assert axpy_of(first).info.origin == "memory"
    now = first.statistics()
    assert (now.compiled, now.failed) == (1, 0)
    assert now.compile_seconds > 0
    assert now.bytes_written > 1000
    second = kiln.Service(application="a", settings=f"cache_dir: {tmp_path}")
    assert axpy_of(second).info.origin == "disk"
    assert second.statistics().compiled == 0
    assert second.statistics().disk_hits == 1


def test_an_application_has_a_cache_of_its_own(tmp_path: Path) -> None:
    code = f"""
import sys; sys.path.insert(0, {os.path.dirname(__file__)!r})
import kiln
from conftest import AXPY
kiln.Service(application="cg").program("a.cu", AXPY).function("axpy", device="cpu", template=["float"], block=32, cover=0)
"""
    (tmp_path / "kiln.yaml").write_text("no_such_setting: 1\n")
    environment = {
        **os.environ,
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
        "KILN_CACHE_DIR": str(tmp_path / "not-read"),
    }
    subprocess.run([sys.executable, "-c", code], check=True, cwd=tmp_path, env=environment)
    assert (tmp_path / "cache" / "cg" / "kiln").is_dir()
    assert not (tmp_path / "not-read").exists()


def test_settings_are_checked() -> None:
    with pytest.raises(kiln.BadInputError, match="cache_dir") as caught:
        kiln.Service(application="a", settings={"cache_dirr": "x"})
    assert isinstance(caught.value, ValueError)
    assert caught.value.kind is kiln.ErrorKind.BAD_INPUT
    assert caught.value.status == 2
    assert caught.value.log == ""


def test_settings_keep_every_character(tmp_path: Path) -> None:
    folder = tmp_path / 'a: "b" # c'
    service = kiln.Service(application="a", settings={"cache_dir": folder, "log_level": "error", "cache": True})
    axpy_of(service)
    service.statistics()
    assert any(folder.rglob("*"))


def test_a_bundle_needs_no_compiler(tmp_path: Path) -> None:
    program = shutil.which("kiln")
    if program is None:
        pytest.skip("no program kiln in PATH")
    axpy_of(service := kiln.Service(application="a", settings={"cache_dir": tmp_path / "cache"}))
    service.statistics()
    subprocess.run(
        [program, "cache", "pack", "--output", tmp_path / "axpy.bundle"],
        check=True,
        env={**os.environ, "KILN_CACHE_DIR": str(tmp_path / "cache")},
    )
    other = kiln.Service(application="a", settings={"cache_dir": tmp_path / "empty"})
    other.add_bundle(tmp_path / "axpy.bundle")
    axpy = axpy_of(other)
    assert other.statistics().compiled == 0
    y = np.zeros(3)
    axpy(3, 2.0, np.ones(3), y)
    np.testing.assert_array_equal(y, 2)
    with pytest.raises(kiln.Error):
        other.add_bundle(b"not a bundle")


def test_an_unknown_device_is_reported(service: kiln.Service) -> None:
    with pytest.raises(kiln.Error, match="nonsense"):
        service.device("nonsense:0")
    assert service.device("cpu") is service.device("cpu")
    assert service.device("cpu").id == "cpu"
    assert service.device("cpu").name
    assert service.device("cpu").arch
    assert service.device("cpu").free_memory() > 1 << 20
    service.device("cpu").synchronize()


def test_a_compile_error_has_the_compilers_log(service: kiln.Service) -> None:
    with pytest.raises(kiln.CompileError) as caught:
        service.program("wrong.cu", "__global__ void wrong(int* x) { x[0] = no_such_thing; }").function(
            "wrong", device="cpu"
        )
    error = caught.value
    assert "no_such_thing" in error.log
    assert "wrong.cu" in str(error)
    assert error.kind is kiln.ErrorKind.COMPILE
    assert isinstance(error, kiln.BadInputError)
    copy = pickle.loads(pickle.dumps(error))
    assert (type(copy), str(copy), copy.log) == (type(error), str(error), error.log)


def test_an_unknown_kernel_is_reported(service: kiln.Service) -> None:
    with pytest.raises(kiln.BadInputError, match="axpy"):
        service.program("axpy.cu", AXPY).function("axpyy", "int n", device="cpu")


def damage(cache: Path) -> None:
    """Makes a cache whose only entry is damaged, which the next service warns of."""
    service = kiln.Service(application="a", settings={"cache_dir": cache})
    axpy_of(service)
    service.statistics()
    files = [path for path in cache.rglob("*") if path.is_file() and path.stat().st_size > 4096]
    assert files
    for path in files:
        path.chmod(0o600)
        content = bytearray(path.read_bytes())
        content[len(content) // 2] ^= 255
        path.write_bytes(content)


def test_messages_go_to_a_function(tmp_path: Path) -> None:
    told: list[tuple[str, str]] = []
    threads = set()

    def log(level: str, message: str) -> None:
        told.append((level, message))
        threads.add(threading.get_ident())

    damage(tmp_path)
    service = kiln.Service(application="a", settings={"cache_dir": tmp_path}, log=log)
    assert axpy_of(service).info.origin == "compiled"
    service.statistics()
    assert [level for level, _ in told] == ["warn"]
    assert "its kernel is compiled again" in told[0][1]
    assert threads == {threading.get_ident()}


def test_a_function_that_raises_harms_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def log(level: str, message: str) -> None:
        raise RuntimeError("from the log")

    damage(tmp_path)
    caught = []
    hook, sys.unraisablehook = sys.unraisablehook, caught.append
    try:
        service = kiln.Service(application="a", settings={"cache_dir": tmp_path}, log=log)
        axpy = axpy_of(service)
    finally:
        sys.unraisablehook = hook
    assert caught
    assert str(caught[0].exc_value) == "from the log"
    y = np.zeros(3)
    axpy(3, 1.0, np.ones(3), y)
    np.testing.assert_array_equal(y, 1)


def test_progress_and_cancel(tmp_path: Path) -> None:
    told: list[tuple[str, str, float]] = []
    threads = set()
    ends_at = ""

    def progress(stage: str, kernel: str, seconds: float) -> bool:
        told.append((stage, kernel, seconds))
        threads.add(threading.get_ident())
        if ends_at == "raise" and stage == "compiling":
            raise LookupError("mine")
        return stage != ends_at

    service = kiln.Service(application="a", settings={"cache_dir": tmp_path}, progress=progress)
    for ends_at, error in (("compiling", kiln.CancelledError), ("raise", LookupError)):
        with pytest.raises(error):
            axpy_of(service)
    assert service.statistics().compiled == 0
    told.clear()
    ends_at = ""
    axpy_of(service)
    assert [stage for stage, _, _ in told] == ["looking", "compiling", "loading", "ready"]
    assert all("axpy" in kernel for _, kernel, _ in told)
    assert told[-1][2] >= told[0][2] >= 0
    told.clear()
    axpy_of(service)
    assert told == []
    assert threads == {threading.get_ident()}


def test_many_threads_cause_one_compile(tmp_path: Path) -> None:
    service = kiln.Service(application="a", settings={"cache_dir": tmp_path})
    origins = []
    threads = [threading.Thread(target=lambda: origins.append(axpy_of(service).info.origin)) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(origins) == 6
    assert service.statistics().compiled == 1


def test_a_trace_is_written(tmp_path: Path) -> None:
    service = kiln.Service(
        application="a", settings={"cache_dir": tmp_path / "cache", "trace": tmp_path / "trace.json"}
    )
    axpy_of(service)
    service.write_trace()
    assert "axpy" in (tmp_path / "trace.json").read_text()
