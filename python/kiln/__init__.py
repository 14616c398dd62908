"""Kiln: kernels of CUDA text, compiled when the program runs, cached, checked and launched, on GPUs and on the CPU."""

from . import _errors, _kiln

_kiln.set_error_factory(_errors.from_library)

from ._array import Array, Timer  # noqa: E402
from ._decorator import (  # noqa: E402
    CType,
    KernelFunction,
    T,
    U,
    V,
    bool_,
    const_ptr,
    default_service,
    f32,
    f64,
    i8,
    i16,
    i32,
    i64,
    kernel,
    ptr,
    struct,
    u8,
    u16,
    u32,
    u64,
)
from ._errors import (  # noqa: E402
    BadInputError,
    CancelledError,
    CompileError,
    DeviceFaultError,
    DeviceLostError,
    Error,
    ErrorKind,
    InternalError,
    MachineError,
    UnfitError,
)
from ._jobs import Job, Record, Records  # noqa: E402
from ._kiln import Event, Function, Graph, Stream  # noqa: E402
from ._service import Device, FunctionInfo, Kernel, KernelInfo, Program, Service, Statistics, Workload  # noqa: E402
from ._step import Step, StepInfo, program  # noqa: E402

__version__: str = _kiln.library_version

__all__ = [
    "Array",
    "BadInputError",
    "CType",
    "CancelledError",
    "CompileError",
    "Device",
    "DeviceFaultError",
    "DeviceLostError",
    "Error",
    "ErrorKind",
    "Event",
    "Function",
    "FunctionInfo",
    "Graph",
    "InternalError",
    "Job",
    "Kernel",
    "KernelFunction",
    "KernelInfo",
    "MachineError",
    "Program",
    "Record",
    "Records",
    "Service",
    "Statistics",
    "Step",
    "StepInfo",
    "Stream",
    "T",
    "Timer",
    "U",
    "UnfitError",
    "V",
    "Workload",
    "bool_",
    "const_ptr",
    "default_service",
    "f32",
    "f64",
    "i8",
    "i16",
    "i32",
    "i64",
    "kernel",
    "program",
    "ptr",
    "struct",
    "u8",
    "u16",
    "u32",
    "u64",
]
