"""Signatures of kernels: C types with or without names, written by the caller or read from the kernel's text.

A wrong guess cannot do harm: the kernel's own compiler compares every signature with the kernel.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

# DLPack's codes of element types.
INT, UINT, FLOAT, OPAQUE, BFLOAT, COMPLEX, BOOL = range(7)

Element = tuple[int, int]
#: (kind, bytes, is_const, takes_any, elements, declared, name), as the extension takes an argument.
Slot = tuple[str, int, bool, bool, tuple[Element, ...], str, str]

_QUALIFIERS = {"const", "volatile", "__restrict__", "__restrict", "restrict"}
_WORDS = {"unsigned", "signed", "short", "long", "int", "char"}

_FIXED: dict[str, Element] = {
    "bool": (BOOL, 8),
    "_Bool": (BOOL, 8),
    "char": (INT, 8),
    "short": (INT, 16),
    "int": (INT, 32),
    "long": (INT, 64),
    "size_t": (UINT, 64),
    "float": (FLOAT, 32),
    "double": (FLOAT, 64),
    "__half": (FLOAT, 16),
    "half": (FLOAT, 16),
    "_Float16": (FLOAT, 16),
    "__nv_bfloat16": (BFLOAT, 16),
    "__hip_bfloat16": (BFLOAT, 16),
    "hip_bfloat16": (BFLOAT, 16),
    **{f"{sign}int{bits}_t": (UINT if sign else INT, bits) for sign in ("", "u") for bits in (8, 16, 32, 64)},
}

_COMPLEX = re.compile(r"^(?:std|cuda::std|thrust)::complex<(float|double)>$")


class Argument(NamedTuple):
    """One argument: its type as Kiln reads it, and its name, or ''."""

    type: str
    name: str

    @property
    def is_pointer(self) -> bool:
        return self.type.endswith("*")


def split(text: str) -> list[str]:
    """At the commas that are in no brackets."""
    parts, depth, begin = [], 0, 0
    for i, character in enumerate(text):
        depth += (character in "<([{") - (character in ">)]}")
        if character == "," and depth == 0:
            parts.append(text[begin:i])
            begin = i + 1
    parts.append(text[begin:])
    return [part.strip() for part in parts]


def parse_argument(text: str) -> Argument:
    """'const T* __restrict__ x' is ('const T*', 'x')."""
    text = text.split("=", 1)[0]  # a default
    text = re.sub(r"\b(__restrict__|__restrict|restrict|__grid_constant__)\b", " ", text)
    match = re.fullmatch(r"(.*[\s*>}])([A-Za-z_]\w*)\s*", text.strip(), re.DOTALL)
    kind, name = text, ""
    if match and match[2] not in _WORDS | _QUALIFIERS:
        before = [word for word in re.findall(r"\w+|[*>}]", match[1]) if word not in _QUALIFIERS]
        if before:
            kind, name = match[1], match[2]
    kind = re.sub(r"\s+", " ", kind).strip()
    kind = re.sub(r"\s*\*\s*", "*", kind)
    kind = re.sub(r"\*\s*const$", "*", kind)
    if not kind.endswith("*"):
        kind = re.sub(r"^const\s+|\s+const$", "", kind)
    return Argument(kind, name)


def parse(signature: str) -> list[Argument]:
    """'int n, double a, const double* x, double* y', with names or without."""
    if signature.strip() in ("", "void"):
        return []
    return [parse_argument(part) for part in split(signature)]


def without_comments(text: str) -> str:
    return re.sub(r"//[^\n]*|/\*.*?\*/", " ", text, flags=re.DOTALL)


def _closing(text: str, begin: int, opening: str, closing: str) -> int:
    """Where the bracket at `begin` ends; -1: nowhere."""
    depth = 0
    for i in range(begin, len(text)):
        depth += (text[i] == opening) - (text[i] == closing)
        if depth == 0:
            return i
    return -1


def _template_names(text: str) -> list[str]:
    """Of 'class T, int N = 4': T, N."""
    names = []
    for part in split(text):
        match = re.search(r"([A-Za-z_]\w*)\s*(?:=.*)?$", part, re.DOTALL)
        names.append(match[1] if match else "")
    return names


def find(text: str, kernel: str, template: Sequence[str]) -> list[Argument] | None:
    """The arguments of a kernel in its text, with the template's parameters replaced. None: not found, or not understood."""
    text = without_comments(text)
    name = kernel.rsplit("::", 1)[-1]
    for match in re.finditer(rf"\b{re.escape(name)}\s*\(", text):
        head_begin = max(text.rfind(mark, 0, match.start()) for mark in ";}{")
        head = text[head_begin + 1 : match.start()]
        end = _closing(text, match.end() - 1, "(", ")")
        if "__global__" not in head or end < 0:
            continue
        parameters = text[match.end() : end]
        names: list[str] = []
        opened = re.search(r"\btemplate\s*<", head)
        if opened:
            closed = _closing(head, opened.end() - 1, "<", ">")
            names = _template_names(head[opened.end() : closed]) if closed > 0 else []
        for parameter, value in zip(names, template, strict=False):
            if parameter:
                parameters = re.sub(rf"\b{parameter}\b", value, parameters)
        arguments = parse(parameters)
        return arguments if all(one.type and "&" not in one.type and "[" not in one.type for one in arguments) else None
    return None


def element_of(name: str) -> Element | None:
    """What arrays a pointer to this type takes. None: anything, as of void* and the text's own structures."""
    name = re.sub(r"\bconst\b", " ", name).strip()
    match = _COMPLEX.match(name.replace(" ", ""))
    if match:
        return COMPLEX, 64 if match[1] == "float" else 128
    if name in _FIXED:
        return _FIXED[name]
    words = name.split()
    if not words or any(word not in _WORDS for word in words):
        return None
    unsigned = "unsigned" in words
    bits = 8 if "char" in words else 16 if "short" in words else 64 if "long" in words else 32
    return (UINT if unsigned else INT), bits


def _elements_of(name: str) -> tuple[Element, ...]:
    element = element_of(name)
    if element is None:
        return ()
    # `char` is whatever has a byte.
    return (element, (UINT, 8)) if name.replace("const", "").strip() == "char" else (element,)


def slot_of(argument: Argument) -> Slot:
    """As the extension takes it."""
    kind, name = argument
    if kind.endswith("*"):
        pointee = kind[:-1].strip()
        is_const = bool(re.match(r"const\b", pointee) or re.search(r"\bconst$", pointee)) and not pointee.endswith("*")
        elements = () if pointee.endswith("*") else _elements_of(pointee)
        return "p", 8, is_const, not elements, elements, kind, name
    braces = re.search(r"\{\s*(\d+)\s*\}$", kind)
    if braces:
        return "s", int(braces[1]), False, False, (), kind, name
    element = element_of(kind)
    if element is None or element[0] in (BFLOAT, COMPLEX) or element == (FLOAT, 16):
        # The library knows why not, and says what is near.
        return "s", 8, False, False, (), kind, name
    code, bits = element
    letters = {INT: "i", UINT: "u", FLOAT: "f", BOOL: "?"}
    return letters[code], bits // 8, False, False, (), kind, name


def index_of(arguments: Sequence[Argument], which: int | str) -> int:
    """Of an argument by its number or name."""
    if isinstance(which, int):
        if not 0 <= which < len(arguments):
            raise ValueError(f"argument {which}: the kernel has {len(arguments)}, counted from 0")
        return which
    for index, argument in enumerate(arguments):
        if argument.name == which:
            return index
    known = ", ".join(one.name for one in arguments if one.name) or "none; the signature has types alone"
    raise ValueError(f"no argument is called '{which}'; names: {known}")


def joined(arguments: Sequence[Argument]) -> str:
    """What kiln_function_get takes."""
    return ", ".join(one.type for one in arguments)
