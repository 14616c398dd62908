"""Steps: all of a workload's `run:` as one function of arrays, such as a network's inference."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from os import PathLike, fspath
from typing import Any

from . import _kiln
from ._decorator import default_service
from ._service import Device, Service, text_of
from ._signature import BFLOAT, BOOL, FLOAT, INT, OPAQUE, UINT, Element, Slot

#: Workload files' names of element types, as DLPack and NumPy name them.
_TYPES: dict[str, tuple[Element, str]] = {
    "bool": ((BOOL, 8), "bool"),
    "char": ((INT, 8), "int8"),
    "uchar": ((UINT, 8), "uint8"),
    "short": ((INT, 16), "int16"),
    "ushort": ((UINT, 16), "uint16"),
    "int": ((INT, 32), "int32"),
    "unsigned": ((UINT, 32), "uint32"),
    "long": ((INT, 64), "int64"),
    "ulong": ((UINT, 64), "uint64"),
    "size_t": ((UINT, 64), "uint64"),
    "float": ((FLOAT, 32), "float32"),
    "double": ((FLOAT, 64), "float64"),
    "half": ((FLOAT, 16), "float16"),
    "bfloat16": ((BFLOAT, 16), "bfloat16"),
    "fp8_e4m3": ((OPAQUE, 8), "float8_e4m3fn"),
    "fp8_e5m2": ((OPAQUE, 8), "float8_e5m2"),
}
_TYPE_OF = {dtype: name for name, (_, dtype) in _TYPES.items() if name != "size_t"}

# Types that the launch itself compares with the array's.
_CHECKED = {name for name, (element, _) in _TYPES.items() if element[0] != OPAQUE}

# DLPack's kinds of devices.
_ON_CPU = {1, 3, 11}
_BACKENDS = {2: "cuda", 10: "hip", 13: "cuda"}


@dataclass(frozen=True)
class StepInfo:
    """Properties of a step that is made."""

    name: str  #: of the workload
    launches: int  #: that the step may do
    units: int  #: texts that were compiled or found
    compile_seconds: float  #: summed over units; 0: all were found
    buffer_bytes: int  #: memory on the device
    graph: bool  #: launches that follow each other are one graph


@dataclass(frozen=True)
class _Declared:
    is_output: bool
    name: str
    type: str
    type_parameter: str
    shape: tuple[str, ...]
    shape_parameters: tuple[str, ...]


def _dtype_of(array: Any) -> str:
    """ "float32", of NumPy's, PyTorch's and other arrays."""
    return str(array.dtype).rsplit(".", 1)[-1]


def _device_of(array: Any) -> str:
    if isinstance(device := getattr(array, "device", None), Device):
        return device.id
    protocol = getattr(array, "__dlpack_device__", None)
    if protocol is None:
        return "cpu"
    kind, index = protocol()
    if int(kind) in _ON_CPU:
        return "cpu"
    if int(kind) not in _BACKENDS:
        raise ValueError(f"an array on a device that Kiln does not know: DLPack's kind {int(kind)}")
    return f"{_BACKENDS[int(kind)]}:{int(index)}"


def _slot(declared: str, name: str, is_output: bool) -> Slot:
    """An argument as the extension takes it; an array of records is any array."""
    elements = (_TYPES[declared][0],) if declared in _TYPES else ()
    takes_any = not elements or elements[0][0] == OPAQUE
    return "p", 8, not is_output, takes_any, elements, f"{'' if is_output else 'const '}{declared}*", name


@dataclass(frozen=True)
class _Buffer:
    name: str
    type: str
    element_bytes: int
    shape: tuple[int, ...]

    def require(self, job: str, array: Any) -> None:
        """The shape, and the size of an element, which alone is known of records and of types that DLPack lacks."""
        found = tuple(getattr(array, "shape", ()))
        if found != self.shape:
            raise ValueError(f"{job}: {self.name}: expected an array of shape {self.shape}; found {found}")
        dtype = getattr(array, "dtype", None)
        size = getattr(dtype, "itemsize", self.element_bytes)
        if self.type not in _CHECKED and size != self.element_bytes:
            raise TypeError(
                f"{job}: {self.name}: expected elements of {self.element_bytes} bytes ({self.type}); found {dtype}"
            )


class _Made:
    """The step for arrays of certain shapes and types on one device."""

    def __init__(self, handle: _kiln.Step) -> None:
        self.handle = handle
        inputs, outputs = handle.buffers()
        self.inputs = [_Buffer(*one) for one in inputs]
        self.outputs = [_Buffer(*one) for one in outputs]
        handle.set_arguments(
            [_slot(one.type, one.name, False) for one in self.inputs]
            + [_slot(one.type, one.name, True) for one in self.outputs]
        )


class Step:
    """A workload's step as a function: `y = step(x)`. Made by kiln.program().

    The arrays of a call decide the parameters that alone are the element type or an extent of a buffer (`T`, `batch`), unless `set`
    gives them. For each such set of values, and each device, the step is compiled and its buffers are filled once.
    """

    def __init__(
        self,
        service: Service,
        job: str,
        device: str | Device | None,
        set: Mapping[str, object],
        inputs: Sequence[str],
        outputs: Sequence[str],
        wisdom: bool,
    ) -> None:
        self._service = service
        self._job = job
        self._device = None if device is None else service.device(device)
        self._set = {name: text_of(value) for name, value in set.items()}
        self._inputs = list(inputs)
        self._outputs = list(outputs)
        self._wisdom = wisdom
        texts = [f"{name}={value}" for name, value in self._set.items()]
        buffers = [_Declared(*one) for one in _kiln.declare_step(service.handle, job, texts, self._inputs, self._outputs)]
        self._declared = [one for one in buffers if not one.is_output]
        #: Names of the buffers, in the order of a call's arguments and of its results.
        self.inputs = [one.name for one in self._declared]
        self.outputs = [one.name for one in buffers if one.is_output]
        if not self.outputs:
            raise ValueError(f"{job}: the workload names no `outputs`; pass outputs=[...], the buffers that a call returns")
        self._made: dict[tuple[str, tuple[str, ...]], _Made] = {}
        # By the types, shapes and devices of a call's arrays.
        self._like: dict[tuple[Any, ...], _Made] = {}
        self._makers: dict[tuple[Any, ...], tuple[Callable[[], Any], ...]] = {}

    def __call__(self, *arrays: Any, out: Any = None, stream: object = None) -> Any:
        """Enqueues the step. The arrays are those of `inputs`; None stands for the content that the workload gives the buffer.
        `out` is an array, or one for each of `outputs`, to be written; without it the results are new arrays of the first
        argument's package. Returns the result, or a tuple of them."""
        return self._run(arrays, out, stream, False)

    def run(self, *arrays: Any, out: Any = None, stream: object = None) -> Any:
        """The same, and waits. Other Python threads run meanwhile."""
        return self._run(arrays, out, stream, True)

    def prepare(self, *arrays: Any) -> StepInfo:
        """Compiles for such arrays, or for the default sizes without any, and launches nothing."""
        if arrays:
            self._require_count(arrays)
        return StepInfo(**self._get(arrays).handle.info())

    def _run(self, arrays: tuple[Any, ...], out: Any, stream: object, wait: bool) -> Any:
        made, key = self._find(arrays)
        if out is None:
            results = tuple(make() for make in self._makers_of_results(arrays, made, key))
        else:
            results = tuple(out) if isinstance(out, (tuple, list)) else (out,)
            if len(results) != len(made.outputs):
                raise ValueError(f"{self._job}: out: expected {len(made.outputs)} arrays; found {len(results)}")
            for array, buffer in zip(results, made.outputs, strict=True):
                buffer.require(self._job, array)
        made.handle.launch((*arrays, *results), stream, wait)
        return results[0] if len(results) == 1 else results

    def _find(self, arrays: tuple[Any, ...]) -> tuple[_Made, tuple[Any, ...] | None]:
        """The step for these arrays, and the key of calls with arrays like these, which are checked once."""
        try:
            key = tuple([(type(array), array.shape, array.dtype, getattr(array, "device", None)) for array in arrays])
            if (made := self._like.get(key)) is not None:
                return made, key
        except (AttributeError, TypeError):  # None is among them, or what has no hash
            key = None
        self._require_count(arrays)
        made = self._get(arrays)
        for array, buffer in zip(arrays, made.inputs, strict=True):
            if array is not None:
                buffer.require(self._job, array)
        if key is not None:
            self._like[key] = made
        return made, key

    def _makers_of_results(
        self, arrays: tuple[Any, ...], made: _Made, key: tuple[Any, ...] | None
    ) -> tuple[Callable[[], Any], ...]:
        if key is None:
            return tuple(self._maker(arrays, buffer) for buffer in made.outputs)
        if key not in self._makers:
            self._makers[key] = tuple(self._maker(arrays, buffer) for buffer in made.outputs)
        return self._makers[key]

    def _get(self, arrays: tuple[Any, ...]) -> _Made:
        given = [array for array in arrays if array is not None]
        device = self._device.id if self._device is not None else _device_of(given[0]) if given else "auto"
        values = self._values_of(arrays)
        key = (device, tuple(f"{name}={value}" for name, value in values.items()))
        if key not in self._made:
            texts = [f"{name}={value}" for name, value in self._set.items()] + list(key[1])
            opened = self._device if self._device is not None else self._service.device(device)
            self._made[key] = _Made(
                _kiln.make_step(
                    self._service.handle, opened.handle, self._job, texts, self._inputs, self._outputs, self._wisdom
                )
            )
        return self._made[key]

    def _require_count(self, arrays: tuple[Any, ...]) -> None:
        if len(arrays) != len(self._declared):
            raise TypeError(
                f"{self._job}: expected {len(self._declared)} arrays ({', '.join(self.inputs)}); found {len(arrays)}"
            )

    def _values_of(self, arrays: tuple[Any, ...]) -> dict[str, str]:
        """Of the parameters that the arrays decide."""
        values: dict[str, str] = {}
        sources: dict[str, str] = {}
        for declared, array in zip(self._declared, arrays, strict=False):
            if array is None:
                continue
            if not hasattr(array, "shape") or not hasattr(array, "dtype"):
                raise TypeError(f"{self._job}: {declared.name}: expected an array; found {type(array).__name__}")
            found: list[tuple[str, str]] = []
            if declared.type_parameter:
                dtype = _dtype_of(array)
                if dtype not in _TYPE_OF:
                    raise TypeError(f"{self._job}: {declared.name}: Kiln has no element type {dtype}")
                found.append((declared.type_parameter, _TYPE_OF[dtype]))
            shape = tuple(array.shape)
            if len(shape) != len(declared.shape):
                raise ValueError(
                    f"{self._job}: {declared.name}: expected an array of shape ({', '.join(declared.shape)}); found {shape}"
                )
            found += [(name, str(int(extent))) for name, extent in zip(declared.shape_parameters, shape, strict=True) if name]
            for name, value in found:
                if name in self._set:
                    continue
                if values.setdefault(name, value) != value:
                    raise ValueError(
                        f"{self._job}: {name} is {values[name]} by {sources[name]} and {value} by {declared.name}"
                    )
                sources.setdefault(name, declared.name)
        return values

    def _maker(self, arrays: tuple[Any, ...], buffer: _Buffer) -> Callable[[], Any]:
        """Makes an array for a result, of the first argument's package."""
        if buffer.type not in _TYPES:
            raise TypeError(f"{self._job}: {buffer.name}: an output of the type {buffer.type} has no NumPy type; pass out=")
        dtype, shape = _TYPES[buffer.type][1], buffer.shape
        like = next((array for array in arrays if array is not None), None)
        package = type(like).__module__.split(".", 1)[0]
        if package == "torch":
            import torch

            return partial(torch.empty, shape, dtype=getattr(torch, dtype), device=like.device)  # type: ignore[union-attr]
        if package == "cupy":
            import cupy

            return partial(cupy.empty, shape, dtype)
        device = self._device if self._device is not None else self._service.device(_device_of(like) if like is not None else "auto")
        if package == "kiln" or device.id != "cpu":
            return partial(device.empty, shape, dtype)
        import numpy

        return partial(numpy.empty, shape, dtype)

    def __repr__(self) -> str:
        return f"<kiln.Step {self._job}: {', '.join(self.inputs)} -> {', '.join(self.outputs)}>"


def program(
    job: str | PathLike[str],
    *,
    device: str | Device | None = None,
    set: Mapping[str, object] | None = None,
    inputs: Sequence[str] = (),
    outputs: Sequence[str] = (),
    wisdom: bool = False,
    service: Service | None = None,
) -> Step:
    """A workload's whole program as a function of arrays: `kiln.program("configs/resnet18.yaml")(images)`.

    `job` is a job file, its text (with a line break), or the name or folder of a workload. `device`: by default the one of the
    first array. `set` gives parameters in place of the job's. `inputs` and `outputs` name the buffers that calls pass and return, in
    place of those that the workload names. `wisdom`: the other parameters take the values of the nearest point that was found to be
    fast. Without `service`, the step shares kiln.default_service().
    """
    own = service if service is not None else default_service()
    return Step(own, fspath(job), device, set or {}, inputs, outputs, wisdom)
