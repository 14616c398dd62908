"""Exceptions, by what failed."""

from __future__ import annotations

from enum import IntEnum


class ErrorKind(IntEnum):
    """`kiln_error_kind` of kiln.h."""

    BAD_INPUT = 1
    COMPILE = 2
    UNFIT = 3
    ENVIRONMENT = 4
    DEVICE_FAULT = 5
    DEVICE_LOST = 6
    INTERNAL = 7
    CANCELLED = 8


class Error(Exception):
    """What Kiln reports. `str()` is a complete message."""

    kind: ErrorKind = ErrorKind.INTERNAL
    #: The exit code that the program `kiln` would end with.
    status: int = 70

    def __init__(self, message: str, log: str = "") -> None:
        super().__init__(message)
        #: The compiler's whole log; "" where no compiler ran.
        self.log = log

    def __reduce__(self) -> tuple[type[Error], tuple[str, str]]:
        return type(self), (str(self), self.log)


class BadInputError(Error, ValueError):
    """What the caller passed is wrong."""

    kind = ErrorKind.BAD_INPUT
    status = 2


class CompileError(BadInputError):
    """A kernel does not compile, or takes other arguments than the signature says. `log` is the compiler's."""

    kind = ErrorKind.COMPILE


class UnfitError(BadInputError):
    """Code, shape or arguments do not fit the device."""

    kind = ErrorKind.UNFIT


class MachineError(Error, RuntimeError):
    """The machine lacks a device, a compiler, a library or a permission."""

    kind = ErrorKind.ENVIRONMENT
    status = 3


class DeviceFaultError(MachineError):
    """A kernel failed while it ran."""

    kind = ErrorKind.DEVICE_FAULT


class DeviceLostError(DeviceFaultError):
    """A kernel failed, and the device can run nothing more in this process."""

    kind = ErrorKind.DEVICE_LOST


class InternalError(Error):
    """A bug in Kiln."""


class CancelledError(Error):
    """The program's own `progress` function ended the call."""

    kind = ErrorKind.CANCELLED
    status = 130


_CLASSES: dict[int, type[Error]] = {
    one.kind: one
    for one in (
        BadInputError,
        CompileError,
        UnfitError,
        MachineError,
        DeviceFaultError,
        DeviceLostError,
        InternalError,
        CancelledError,
    )
}


def from_library(kind: int, message: str, log: str) -> Error:
    """The exception for this thread's last failure; called by the extension."""
    return _CLASSES.get(kind, InternalError)(message, log)
