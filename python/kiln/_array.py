"""Arrays that host and device share: copied when the other side has changed them, and only then."""

from __future__ import annotations

import operator
from collections.abc import Iterable
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, SupportsIndex

from . import _kiln
from ._signature import BOOL, COMPLEX, FLOAT, INT, UINT

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from ._service import Device

Numbers = SupportsIndex | Iterable[SupportsIndex]
Access = Literal["read", "write", "update"]
_ACCESS: dict[str, int] = {"read": 0, "write": 1, "update": 2}
_LETTERS = {INT: "i", UINT: "u", FLOAT: "f", COMPLEX: "c", BOOL: "b"}


def _element_of(dtype: np.dtype[Any]) -> tuple[int, int]:
    codes = {letter: code for code, letter in _LETTERS.items()}
    if dtype.kind not in codes or not dtype.isnative or dtype.itemsize > 16:
        raise TypeError(f"kiln.Array holds numbers in this machine's byte order; found {dtype}")
    return codes[dtype.kind], dtype.itemsize * 8


def numbers_of(given: Numbers) -> tuple[int, ...]:
    """Of one number or several, Python's or NumPy's."""
    if isinstance(given, Iterable):
        return tuple(map(operator.index, given))
    return (operator.index(given),)


class _Shown:
    """Memory as NumPy's array interface. The array that is made of it keeps this alive, and this the owner."""

    def __init__(self, owner: Array, address: int, read_only: bool) -> None:
        self.owner = owner
        self.__array_interface__ = {
            "data": (address, read_only),
            "shape": owner.shape,
            "typestr": owner.dtype.str,
            "version": 3,
        }


class Array(_kiln.Array):
    """Memory on a device with a side on the host. A launch takes it as it is: `const T*` reads, `T*` updates.

    `host()` is a NumPy array; it waits for the device, and copies if the device has changed the memory. Where the device works on
    the host's memory, as the cpu does, both sides are one. Other packages take it by DLPack or `__cuda_array_interface__`; since they
    may write it at any time, `host()` copies each time from then on.
    """

    def __init__(self, device: Device, shape: Numbers, dtype: npt.DTypeLike = float) -> None:
        import numpy

        self.dtype = numpy.dtype(dtype)
        code, bits = _element_of(self.dtype)
        super().__init__(device.handle, numbers_of(shape), code, bits)
        self.device = device

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(self._shape)

    @property
    def ndim(self) -> int:
        return len(self._shape)

    def __len__(self) -> int:
        if not self._shape:
            raise TypeError("an array without dimensions has no length")
        return self._shape[0]

    def host(self, access: Access = "update") -> npt.NDArray[Any]:
        """The host's side: 'read', 'write' (all of it: nothing is copied before) or 'update'. Valid until the next launch."""
        import numpy

        if self.size == 0:
            return numpy.empty(self.shape, self.dtype)
        address = self._on_host(_ACCESS[access])
        return numpy.asarray(_Shown(self, address, access == "read"))

    def pointer(self, access: Access = "update", stream: _kiln.Stream | None = None) -> int:
        """The device's side, for work on this stream; None: the default stream. For `.unchecked(...)` and other libraries."""
        return self._on_device(stream, _ACCESS[access]) if self.size else 0

    def numpy(self) -> npt.NDArray[Any]:
        """A copy."""
        return self.host("read").copy()

    def __array__(self, dtype: npt.DTypeLike | None = None, copy: bool | None = None) -> npt.NDArray[Any]:
        import numpy

        shown = self.host("read")
        if dtype is not None and numpy.dtype(dtype) != self.dtype:
            if copy is False:
                raise ValueError(f"an array of {self.dtype} is no array of {numpy.dtype(dtype)} without a copy")
            return shown.astype(dtype)
        return shown.copy() if copy else shown

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        if not self.device.id.startswith("cuda"):
            raise AttributeError(f"memory of {self.device.id} has no __cuda_array_interface__")
        return {
            "data": (self._shared(None) if self.size else 0, False),
            "shape": self.shape,
            "typestr": self.dtype.str,
            "strides": None,
            "stream": 1,
            "version": 3,
        }

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._dlpack_device

    def __dlpack__(
        self,
        *,
        stream: int | None = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> object:
        """The device's memory, for `torch.from_dlpack`, `cupy.from_dlpack`, `jax.dlpack.from_dlpack` and `numpy.from_dlpack`.

        Work on `stream`, which DLPack numbers as the consumer does, comes after all that was enqueued for the array.
        """
        if copy:
            raise BufferError("a kiln.Array lends its memory; .numpy() is a copy")
        if dl_device is not None and tuple(map(int, dl_device)) != self._dlpack_device:
            raise BufferError(f"the array is on {self.device.id}, and is not copied to another device")
        # None, 0, 1: the default stream; -1: the consumer orders its work itself.
        native = 0 if stream is None or stream <= 1 else stream
        on_stream = _kiln.borrow_stream(self.device.handle, native) if native else None
        return self._dlpack(on_stream, max_version is not None and max_version[0] >= 1)

    def __repr__(self) -> str:
        return f"<kiln.Array {self.shape} {self.dtype} on {self.device.id}>"


class Timer:
    """Seconds between two points of a stream: `with Timer(stream) as t: ...`, then `t.seconds`."""

    def __init__(self, stream: _kiln.Stream) -> None:
        self._stream = stream
        self._begin: _kiln.Event | None = None
        self._end: _kiln.Event | None = None

    def __enter__(self) -> Timer:
        self._begin = self._stream.record()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end = self._stream.record()

    @property
    def seconds(self) -> float:
        if self._begin is None or self._end is None:
            raise RuntimeError("the timer has not run")
        self._stream.synchronize()
        return self._end.seconds_since(self._begin)
