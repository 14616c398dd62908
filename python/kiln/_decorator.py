"""Kernels as Python functions: annotations are the signature, the docstring is the CUDA text of the body."""

from __future__ import annotations

import functools
import inspect
import re
import textwrap
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypeVar, overload

from . import _kiln
from ._service import Device, Extent, Service, text_of


class CType:
    """A C type in an annotation: kiln.f64, kiln.ptr[kiln.T]."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return f"kiln.CType({self.text!r})"


class TypeParameter(CType):
    """A template's parameter; its type is that of the arrays of each call."""


class _Pointer:
    """ptr[T] and const_ptr[T]."""

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix

    def __getitem__(self, to: CType) -> CType:
        if not isinstance(to, CType):
            raise TypeError(f"ptr[...]: expected one of Kiln's types, as kiln.f64; found {to!r}")
        return _PointerType(f"{self._prefix}{to.text}*", to)


class _PointerType(CType):
    def __init__(self, text: str, to: CType) -> None:
        super().__init__(text)
        self.to = to


#: C's names, which need no header: device compilers have int32_t only with one.
_NAMES = {
    "bool": "bool",
    "int8": "signed char",
    "int16": "short",
    "int32": "int",
    "int64": "long long",
    "uint8": "unsigned char",
    "uint16": "unsigned short",
    "uint32": "unsigned int",
    "uint64": "unsigned long long",
    "float32": "float",
    "float64": "double",
}

if TYPE_CHECKING:
    # As annotations, for type checkers: what a call passes.
    _To = TypeVar("_To")
    bool_: TypeAlias = bool
    i8: TypeAlias = int
    i16: TypeAlias = int
    i32: TypeAlias = int
    i64: TypeAlias = int
    u8: TypeAlias = int
    u16: TypeAlias = int
    u32: TypeAlias = int
    u64: TypeAlias = int
    f32: TypeAlias = float
    f64: TypeAlias = float
    T: TypeAlias = float
    U: TypeAlias = float
    V: TypeAlias = float

    class ptr(Generic[_To]):
        """An array that the kernel may write."""

    class const_ptr(Generic[_To]):
        """An array that the kernel reads."""
else:
    bool_, f32, f64 = CType("bool"), CType("float"), CType("double")
    i8, i16, i32, i64 = (CType(_NAMES[f"int{bits}"]) for bits in (8, 16, 32, 64))
    u8, u16, u32, u64 = (CType(_NAMES[f"uint{bits}"]) for bits in (8, 16, 32, 64))
    T, U, V = TypeParameter("T"), TypeParameter("U"), TypeParameter("V")
    ptr = _Pointer("")
    const_ptr = _Pointer("const ")


def struct(name: str, size: int) -> CType:
    """A structure of the kernel's text, passed by value as `size` bytes."""
    return CType(f"{name}{{{size}}}")


@functools.cache
def _c_type_of(dtype: object) -> str:
    """Of NumPy's, PyTorch's, CuPy's and JAX's dtypes, which agree in their names."""
    name = str(dtype).rsplit(".", 1)[-1]
    if name not in _NAMES:
        raise TypeError(f"no C type is known for arrays of {name}; pass it by its name: f.get(T='...')")
    return _NAMES[name]


def _device_of(array: object) -> str:
    """Where an array is: "cpu", "cuda:0"."""
    if isinstance(device := getattr(array, "device", None), Device):
        return device.id
    if hasattr(array, "__dlpack_device__"):
        kind, number = array.__dlpack_device__()
        return {2: f"cuda:{int(number)}", 13: f"cuda:{int(number)}", 10: f"hip:{int(number)}"}.get(int(kind), "cpu")
    return "cuda:0" if hasattr(array, "__cuda_array_interface__") else "cpu"


@functools.cache
def default_service() -> Service:
    """The one of kernels that name none: application "kiln-python"."""
    return Service(application="kiln-python")


class KernelFunction:
    """What `@kiln.kernel` makes. A call compiles for the arrays' type and device where that is new, and launches."""

    __name__: str

    def __init__(
        self,
        function: Callable[..., object],
        service: Service | None,
        template: Sequence[str],
        cover: Sequence[str],
        guard: bool,
        prelude: str,
        request: Mapping[str, Any],
    ) -> None:
        functools.update_wrapper(self, function)
        self._service = service
        self._request = dict(request)
        self._cover = tuple(cover)
        self._arguments = _arguments_of(function)
        self._template = tuple(template) or tuple(dict.fromkeys(_parameters_of(self._arguments)))
        self.text = _text_of(function, self._arguments, self._template, self._cover, guard, prelude)
        # The first array of each template parameter says its type.
        self._typed_by = {
            kind.to.text: index
            for index, (_, kind) in reversed(list(enumerate(self._arguments)))
            if isinstance(kind, _PointerType) and isinstance(kind.to, TypeParameter)
        }
        self._typing = tuple(self._typed_by.values())
        self._pointers = tuple(
            index for index, (_, kind) in enumerate(self._arguments) if isinstance(kind, _PointerType)
        )
        self._names = {name: index for index, (name, _) in enumerate(self._arguments)}
        self._known: dict[tuple[object, ...], _kiln.Function] = {}

    def get(self, device: str | Device = "auto", **types: str) -> _kiln.Function:
        """The function for a device and the template's types, as C names them: `scale.get("cuda:0", T="float")`."""
        missing = [name for name in self._template if name not in types]
        if missing:
            raise TypeError(
                f"{self.__name__}: the type of {', '.join(missing)} is not known; pass it: get({missing[0]}='float')"
            )
        service = self._service or default_service()
        signature = ", ".join(f"{_replaced(kind.text, types)} {name}" for name, kind in self._arguments)
        program = service.program(f"{self.__name__}.cu", self.text)
        return program.function(
            self.__name__,
            signature,
            device=device,
            template=[types[name] for name in self._template],
            cover=self._cover or None,
            **self._request,
        )

    def __call__(self, *arguments: Any, stream: object = None, **named: Any) -> None:
        """Enqueues, as kiln.Function does."""
        if named:
            arguments = self._in_order(arguments, named)
        self._for(arguments)(*arguments, stream=stream)

    def run(self, *arguments: Any, stream: object = None, **named: Any) -> None:
        """Launches and waits."""
        if named:
            arguments = self._in_order(arguments, named)
        self._for(arguments).run(*arguments, stream=stream)

    def _in_order(self, arguments: Sequence[Any], named: Mapping[str, Any]) -> tuple[Any, ...]:
        values = dict(enumerate(arguments))
        for name, value in named.items():
            if name not in self._names:
                raise TypeError(f"{self.__name__} has no argument '{name}'")
            if self._names[name] in values:
                raise TypeError(f"{self.__name__}: '{name}' is passed twice")
            values[self._names[name]] = value
        self._require(len(values))
        return tuple(values[index] for index in range(len(values)))

    def _require(self, count: int) -> None:
        if count != len(self._arguments):
            raise TypeError(f"{self.__name__} takes {len(self._arguments)} arguments; the call passes {count}")

    def _for(self, arguments: Sequence[Any]) -> _kiln.Function:
        self._require(len(arguments))
        placed = None
        for index in self._pointers:  # the first array says the device
            if (placed := arguments[index]) is not None:
                break
        dtypes = [getattr(arguments[index], "dtype", None) for index in self._typing]
        # Packages say the device by a value of their own; what it means is looked up once.
        key = (type(placed), getattr(placed, "device", None), *dtypes)
        try:
            known = self._known.get(key)
        except TypeError:  # CuPy's devices are compared, not hashed
            key = (type(placed), _device_of(placed), *dtypes)
            known = self._known.get(key)
        if known is None:
            place = "auto" if placed is None else _device_of(placed)
            named = zip(self._typed_by, dtypes, strict=True)
            types = {name: _c_type_of(dtype) for name, dtype in named if dtype is not None}
            known = self._known[key] = self.get(place, **types)
        return known


def _replaced(text: str, types: Mapping[str, str]) -> str:
    words = re.split(r"(\W+)", text)
    return "".join(types.get(word, word) for word in words)


def _arguments_of(function: Callable[..., object]) -> list[tuple[str, CType]]:
    annotations = inspect.get_annotations(function, eval_str=True)
    arguments = []
    for name in inspect.signature(function).parameters:
        kind = annotations.get(name)
        if not isinstance(kind, CType):
            raise TypeError(f"{function.__name__}: '{name}' has no type of Kiln's, as `{name}: kiln.f64`")
        arguments.append((name, kind))
    return arguments


def _parameters_of(arguments: Sequence[tuple[str, CType]]) -> list[str]:
    names = []
    for _, kind in arguments:
        kind = kind.to if isinstance(kind, _PointerType) else kind
        if isinstance(kind, TypeParameter):
            names.append(kind.text)
    return names


def _text_of(
    function: Callable[..., object],
    arguments: Sequence[tuple[str, CType]],
    template: Sequence[str],
    cover: Sequence[str],
    guard: bool,
    prelude: str,
) -> str:
    body = inspect.getdoc(function)
    if not body:
        raise TypeError(f"{function.__name__}: the docstring, which is the kernel's body, is empty")
    types = {name: kind.text.split("{", 1)[0] for name, kind in arguments}
    lines = [prelude] if prelude else []
    if template:
        lines.append(f"template <{', '.join(f'class {name}' for name in template)}>")
    lines.append(
        f"__global__ void {function.__name__}({', '.join(f'{kind} {name}' for name, kind in types.items())}) {{"
    )
    for index, axis, size in zip("ijk", "xyz", cover, strict=False):
        if size not in types:
            raise TypeError(f"{function.__name__}: cover names '{size}'; arguments: {', '.join(types)}")
        kind = types[size]
        lines.append(
            f"  const {kind} {index} = static_cast<{kind}>(blockIdx.{axis}) * blockDim.{axis} + threadIdx.{axis};"
        )
        if guard:
            lines.append(f"  if ({index} >= {size}) return;")
    lines += [textwrap.indent(body, "  "), "}", ""]
    return "\n".join(lines)


@overload
def kernel(function: Callable[..., object]) -> KernelFunction: ...
@overload
def kernel(
    *,
    service: Service | None = None,
    template: str | Sequence[str] = (),
    cover: str | Sequence[str] = (),
    guard: bool = True,
    prelude: str = "",
    block: Extent | None = None,
    **request: Any,
) -> Callable[[Callable[..., object]], KernelFunction]: ...
def kernel(
    function: Callable[..., object] | None = None,
    *,
    service: Service | None = None,
    template: str | Sequence[str] = (),
    cover: str | Sequence[str] = (),
    guard: bool = True,
    prelude: str = "",
    block: Extent | None = None,
    **request: Any,
) -> KernelFunction | Callable[[Callable[..., object]], KernelFunction]:
    """A kernel of a function's annotations and docstring.

    @kiln.kernel(block=256, cover="n")
    def scale(n: kiln.i32, a: kiln.T, x: kiln.ptr[kiln.T]):
        '''x[i] = a * x[i];'''

    `cover` names the sizes that the grid covers; the body then has the work-item's indices `i`, `j`, `k`, and begins behind a return
    for those beyond the sizes (`guard=False`: without it, for bodies with barriers). `prelude` is text before the kernel. The rest is
    as for `Program.function`.
    """

    def made(given: Callable[..., object]) -> KernelFunction:
        names = (template,) if isinstance(template, str) else tuple(text_of(one) for one in template)
        sizes = (cover,) if isinstance(cover, str) else tuple(cover)
        if block is not None:
            request["block"] = block
        return KernelFunction(
            given, service, tuple(n for n in names if n), tuple(s for s in sizes if s), guard, prelude, request
        )

    return made if function is None else made(function)
