"""Service, devices, programs, workloads."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import _kiln, _signature
from ._array import Array, Numbers, numbers_of

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from ._jobs import Job

Number = bool | int | float
Extent = Numbers
Which = int | str
LOG_LEVELS = ("debug", "info", "warn", "error")
STAGES = ("looking", "waiting", "compiling", "loading", "ready", "failed")


@dataclass(frozen=True)
class FunctionInfo:
    """What a function is, and where its code came from."""

    name: str  #: "axpy<double>"
    origin: str  #: "memory", "disk", "compiled" or "waited"
    key: str  #: the digest that names the code in the cache
    compile_seconds: float
    registers: int | None  #: of a work-item; None: the back end has none
    static_shared_bytes: int
    local_bytes: int
    max_threads_per_block: int
    resident_blocks: int | None  #: of the function's shape on the whole device


@dataclass(frozen=True)
class KernelInfo:
    """What a workload's kernel is, and where its code came from."""

    name: str
    origin: str
    key: str
    wisdom: str  #: the point that gave it values; "": none
    compile_seconds: float


@dataclass(frozen=True)
class Statistics:
    """How kernels were come by since the service began."""

    memory_hits: int
    disk_hits: int
    compiled: int
    waited: int
    failed: int
    compile_seconds: float
    load_seconds: float
    bytes_read: int
    bytes_written: int


_kiln.set_info_class(FunctionInfo)


def text_of(value: object) -> str:
    """As a job or a compiler's option writes it."""
    if isinstance(value, bool) or type(value).__name__ in ("bool_", "bool"):  # also NumPy's
        return "true" if value else "false"
    return str(value)


def _yaml_of(value: object) -> str:
    """As a settings file writes it: texts and paths in quotes, which keep what YAML would read as more than a text."""
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(_yaml_of(one) for one in value)}]"
    if isinstance(value, PathLike):
        value = fspath(value)
    return json.dumps(value) if isinstance(value, str) else text_of(value)


def _settings_text(settings: Mapping[str, object] | str | None) -> str | None:
    if settings is None or isinstance(settings, str):
        return settings
    return "\n".join(f"{name}: {_yaml_of(value)}" for name, value in settings.items())


def _extent(given: Extent, what: str) -> tuple[int, int, int]:
    parts = numbers_of(given)
    if not 1 <= len(parts) <= 3:
        raise ValueError(f"{what}: expected one to three numbers; found {len(parts)}")
    if min(parts) < 1:
        raise ValueError(f"{what}: expected 1 or more; found {min(parts)}")
    x, y, z = (*parts, 1, 1)[:3]
    return x, y, z


def _address_of(stream: object) -> int:
    """Of a stream, as a launch takes it."""
    if stream is None or isinstance(stream, int):
        return stream or 0
    protocol = getattr(stream, "__cuda_stream__", None)
    if protocol is not None:
        return int((protocol() if callable(protocol) else protocol)[1])
    for name in ("cuda_stream", "ptr"):
        if isinstance(address := getattr(stream, name, None), int):
            return address
    raise TypeError(
        "stream: expected None, an address, or an object with __cuda_stream__, .cuda_stream or .ptr; "
        f"found {type(stream).__name__}"
    )


class Device:
    """A device of the service's: `service.device("cuda:0")`."""

    def __init__(self, handle: _kiln.Device) -> None:
        self.handle = handle

    @property
    def id(self) -> str:
        """ "cuda:0"."""
        return self.handle.id

    @property
    def name(self) -> str:
        """The product's."""
        return self.handle.name

    @property
    def arch(self) -> str:
        """What code is generated for: "sm_90"."""
        return self.handle.arch

    def free_memory(self) -> int:
        """Bytes."""
        return self.handle.free_memory()

    def synchronize(self) -> None:
        """Waits for what was launched with a null stream."""
        self.handle.synchronize()

    def stream(self, native: object = None) -> _kiln.Stream:
        """A stream of Kiln's; with `native`, the program's own: an address or an object that has one."""
        if native is None:
            return _kiln.create_stream(self.handle)
        return _kiln.borrow_stream(self.handle, _address_of(native))

    def empty(self, shape: Numbers, dtype: npt.DTypeLike = float) -> Array:
        """Memory that holds anything."""
        return Array(self, shape, dtype)

    def array(self, values: npt.ArrayLike, dtype: npt.DTypeLike | None = None) -> Array:
        """Memory that holds a copy of these values."""
        import numpy

        given: np.ndarray[Any, Any] = numpy.asarray(values, dtype)
        made = Array(self, given.shape, given.dtype)
        if given.size:
            made.host("write")[...] = given
        return made

    def zeros(self, shape: Numbers, dtype: npt.DTypeLike = float) -> Array:
        made = Array(self, shape, dtype)
        if made.size:
            made.host("write")[...] = 0
        return made

    def __repr__(self) -> str:
        return f"<kiln.Device {self.id}: {self.name}, {self.arch}>"


class Program:
    """A kernel text in memory: `service.program("cg.cu", text)`."""

    def __init__(self, service: Service, name: str, text: str) -> None:
        self.service = service
        self.name = name
        self.text = text
        self.handle = service.handle.program(name, text)

    def header(self, name: str, text: str) -> Program:
        """An #include of this name finds this text before any file."""
        self.handle.header(name, text)
        return self

    def symbol(self, name: str, content: Any) -> Program:
        """The content of a __constant__ or __device__ variable: bytes, or an array."""
        self.handle.symbol(name, memoryview(content).tobytes())
        return self

    def kernels(self) -> list[str]:
        """The __global__ functions that the text itself defines."""
        return self.handle.kernels()

    def function(
        self,
        name: str,
        signature: str | None = None,
        *,
        device: str | Device = "auto",
        template: Sequence[object] = (),
        block: Extent | None = None,
        grid: Extent | None = None,
        cover: Which | Sequence[Which] | None = None,
        constants: Mapping[Which, Number] | None = None,
        defines: Mapping[str, object] | None = None,
        shared_bytes: int | None = None,
        launch_bounds: int | tuple[int, int] | None = None,
        options: Mapping[str, Sequence[str]] | Sequence[str] = (),
        fast_math: bool | None = None,
        lineinfo: bool | None = None,
        stream: object = None,
    ) -> _kiln.Function:
        """Finds or compiles a kernel, compares its arguments with the signature, and loads it.

        `signature` is "int n, double a, const double* x, double* y", names or not; None: as the text declares the kernel.
        `cover="n"` makes the grid of each launch of an argument. `constants={"n": 1000}` compiles a value in. Launches without
        `grid` and `cover` say their shape: `f[grid](...)`, `f[grid, block](...)`.
        """
        arguments, request, device = self._request(name, signature, device, template, stream)
        _apply(request, arguments, block, grid, cover, constants, defines, shared_bytes, launch_bounds, options)
        _apply_flags(request, fast_math, lineinfo)
        return _kiln.get_function(
            request, device.handle, _full_name(name, template), _signature.joined(arguments), _slots(arguments)
        )

    def family(
        self,
        name: str,
        signature: str | None = None,
        *,
        keyed: Sequence[Which],
        device: str | Device = "auto",
        template: Sequence[object] = (),
        block: Extent | None = None,
        grid: Extent | None = None,
        cover: Which | Sequence[Which] | None = None,
        defines: Mapping[str, object] | None = None,
        shared_bytes: int | None = None,
        launch_bounds: int | tuple[int, int] | None = None,
        options: Mapping[str, Sequence[str]] | Sequence[str] = (),
        fast_math: bool | None = None,
        lineinfo: bool | None = None,
        stream: object = None,
    ) -> _kiln.Function:
        """A function for all values of the arguments `keyed`, which are constants in the code of each. A launch with new values
        compiles, while other Python threads run; every later one is a look-up."""
        arguments, request, device = self._request(name, signature, device, template, stream)
        _apply(request, arguments, block, grid, cover, None, defines, shared_bytes, launch_bounds, options)
        _apply_flags(request, fast_math, lineinfo)
        indices = [_signature.index_of(arguments, one) for one in keyed]
        return _kiln.get_family(
            request, device.handle, _full_name(name, template), _signature.joined(arguments), _slots(arguments), indices
        )

    def _request(
        self, name: str, signature: str | None, device: str | Device, template: Sequence[object], stream: object
    ) -> tuple[list[_signature.Argument], _kiln.Request, Device]:
        texts = [text_of(one) for one in template]
        if signature is None:
            found = _signature.find(self.text, name, texts)
            if found is None:
                raise ValueError(
                    f"{self.name}: the arguments of '{name}' are not to be read from the text; pass `signature`"
                )
            arguments = found
        else:
            arguments = _signature.parse(signature)
        opened = self.service.device(device)
        request = self.handle.request(name, opened.handle, _address_of(stream))
        if texts:
            request.template_args(texts)
        return arguments, request, opened

    def __repr__(self) -> str:
        return f"<kiln.Program {self.name}: {', '.join(self.kernels()) or 'no kernels'}>"


def _full_name(name: str, template: Sequence[object]) -> str:
    return f"{name}<{', '.join(text_of(one) for one in template)}>" if template else name


def _slots(arguments: Sequence[_signature.Argument]) -> list[_signature.Slot]:
    names = [one.name for one in arguments if one.name]
    if len(set(names)) != len(names) or "stream" in names:
        raise ValueError(f"signature: names of arguments are to differ, also from 'stream'; found {', '.join(names)}")
    return [_signature.slot_of(one) for one in arguments]


def _apply(
    request: _kiln.Request,
    arguments: Sequence[_signature.Argument],
    block: Extent | None,
    grid: Extent | None,
    cover: Which | Sequence[Which] | None,
    constants: Mapping[Which, Number] | None,
    defines: Mapping[str, object] | None,
    shared_bytes: int | None,
    launch_bounds: int | tuple[int, int] | None,
    options: Mapping[str, Sequence[str]] | Sequence[str],
) -> None:
    if block is not None:
        request.block(*_extent(block, "block"))
    if grid is not None:
        request.grid(*_extent(grid, "grid"))
    if cover is not None:
        axes = [cover] if isinstance(cover, (int, str)) else list(cover)
        if not 1 <= len(axes) <= 3:
            raise ValueError(f"cover: expected one to three arguments; found {len(axes)}")
        x, y, z = (*(_signature.index_of(arguments, one) for one in axes), -1, -1)[:3]
        request.cover(x, y, z)
    for which, value in (constants or {}).items():
        request.constant(_signature.index_of(arguments, which), value)
    for name, text in (defines or {}).items():
        request.define(name, text_of(text))
    if shared_bytes is not None:
        request.shared_bytes(shared_bytes)
    if launch_bounds is not None:
        threads, blocks = (launch_bounds, 0) if isinstance(launch_bounds, int) else launch_bounds
        request.launch_bounds(threads, blocks)
    by_backend = options if isinstance(options, Mapping) else {"": options}
    for backend, texts in by_backend.items():
        if texts:
            request.options(backend, list(texts))


def _apply_flags(request: _kiln.Request, fast_math: bool | None, lineinfo: bool | None) -> None:
    if fast_math is not None:
        request.fast_math(fast_math)
    if lineinfo is not None:
        request.lineinfo(lineinfo)


class Kernel:
    """A kernel of a workload file that is loaded on a device: `kernel(*arrays, stream=None, dt=0.1)` enqueues."""

    def __init__(self, handle: _kiln.Kernel) -> None:
        self._handle = handle

    def __call__(self, *arrays: object, **named: object) -> None:
        """The arrays of the kernel's buffer arguments, in the order of the workload file, and by name the scalars of this launch."""
        self._handle(*arrays, **named)

    def run(self, *arrays: object, **named: object) -> None:
        """Launches and waits."""
        self._handle.run(*arrays, **named)

    @property
    def info(self) -> KernelInfo:
        return KernelInfo(**self._handle._info())


class Workload:
    """A workload file: `service.workload("stencil7")`."""

    def __init__(self, service: Service, name: str) -> None:
        self.service = service
        self._handle = _kiln.load_workload(service.handle, name)

    @property
    def name(self) -> str:
        return self._handle.name

    def kernels(self) -> list[str]:
        return self._handle.kernels()

    def kernel(
        self,
        name: str,
        *,
        device: str | Device = "auto",
        set: Mapping[str, bool | int | float | str] | None = None,
        headers: Mapping[str, str] | None = None,
        wisdom: bool | str = False,
        stream: object = None,
    ) -> Kernel:
        """Finds or compiles a kernel for these values. `wisdom`: values of the nearest point that was found to be fast, from the
        usual places, or from a file or folder."""
        opened = self.service.device(device)
        where = None if wisdom is False else "" if wisdom is True else wisdom
        return Kernel(
            self._handle.get(name, opened.handle, _address_of(stream), dict(set or {}), dict(headers or {}), where)
        )

    def __repr__(self) -> str:
        return f"<kiln.Workload {self.name}: {', '.join(self.kernels())}>"


class Service:
    """Kiln in this process: cache, compilers, devices.

    `application="cg"` gives a cache of the program's own and reads no settings file and no variable of Kiln's; without it, the
    user's settings and the KILN_* variables count. `settings` go over these: {"log_level": "off"} or lines of a settings file.
    `log(level, message)` takes the messages that else go to standard error; levels are "debug", "info", "warn", "error".
    `progress(stage, kernel, seconds)` is called before each stage of getting a kernel that is not in memory, by the thread that
    gets it: "looking" on the disk, "waiting" for another thread, "compiling", "loading", "ready" or "failed". Where it returns
    False, the call ends with CancelledError; what it raises ends the call, too. It must not call Kiln.
    """

    def __init__(
        self,
        application: str | None = None,
        settings: Mapping[str, object] | str | None = None,
        log: Callable[[str, str], object] | None = None,
        progress: Callable[[str, str, float], object] | None = None,
    ) -> None:
        def tell(level: int, message: str) -> None:
            assert log is not None
            log(LOG_LEVELS[level] if 0 <= level < len(LOG_LEVELS) else "error", message)

        def report(stage: int, kernel: str, seconds: float) -> object:
            assert progress is not None
            return progress(STAGES[stage] if 0 <= stage < len(STAGES) else "working", kernel, seconds)

        self.handle = _kiln.Service.make(
            application,
            _settings_text(settings),
            None if log is None else tell,
            None if progress is None else report,
        )
        self._devices: dict[str, Device] = {}

    def device(self, name: str | Device = "auto") -> Device:
        """ "auto", "cpu", "cuda:0"; opened once."""
        if isinstance(name, Device):
            return name
        if name not in self._devices:
            self._devices[name] = Device(self.handle.device(name))
        return self._devices[name]

    def program(self, name: str, text: str) -> Program:
        """Kernels of a text in memory. `name` is what messages call it."""
        return Program(self, name, text)

    def workload(self, name: str | PathLike[str]) -> Workload:
        """A name on the workload path, or the path of a file or folder."""
        return Workload(self, fspath(name))

    def job(
        self,
        job: str | PathLike[str],
        *,
        set: Mapping[str, object] | None = None,
        sweep: Mapping[str, Sequence[object]] | None = None,
        devices: Sequence[str] | str = (),
        output: str | PathLike[str] | None = None,
        resume: bool = False,
    ) -> Job:
        """A job file, or its text (with a line break), with values and sweeps in place of its own."""
        from ._jobs import Job

        return Job(self, fspath(job), set or {}, sweep or {}, devices, output, resume)

    def add_bundle(self, bundle: bytes | str | PathLike[str]) -> None:
        """Code that the program brings along, a file of `kiln cache pack` or its bytes: what it has needs no compiler."""
        self.handle.add_bundle(bundle if isinstance(bundle, bytes) else Path(bundle).read_bytes())

    def statistics(self) -> Statistics:
        """Waits for entries of the cache that are being written."""
        return Statistics(**self.handle.statistics())

    def write_trace(self) -> None:
        """Writes the file of the setting `trace`, if there is one."""
        self.handle.write_trace()
