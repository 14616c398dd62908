"""Signatures, as they are read."""

from __future__ import annotations

import pytest

from kiln import _signature as s


@pytest.mark.parametrize(
    ("text", "kind", "name"),
    [
        ("int", "int", ""),
        ("int n", "int", "n"),
        ("unsigned", "unsigned", ""),
        ("unsigned n", "unsigned", "n"),
        ("unsigned long long int", "unsigned long long int", ""),
        ("const double* x", "const double*", "x"),
        ("const double *x", "const double*", "x"),
        ("double const * __restrict__ x", "double const*", "x"),
        ("T* const x", "T*", "x"),
        ("const int n", "int", "n"),
        ("const Particle", "Particle", ""),
        ("Particle{48} p", "Particle{48}", "p"),
        ("Particle{48}", "Particle{48}", ""),
        ("float**", "float**", ""),
        ("std::complex<double>* z", "std::complex<double>*", "z"),
        ("const __grid_constant__ Maps maps", "Maps", "maps"),
        ("size_t count", "size_t", "count"),
    ],
)
def test_arguments(text: str, kind: str, name: str) -> None:
    assert s.parse_argument(text) == (kind, name)


def test_commas_in_brackets_do_not_split() -> None:
    assert s.split("Map<int, float>* m, int n") == ["Map<int, float>* m", "int n"]
    assert s.parse("void") == s.parse("  ") == []


@pytest.mark.parametrize(
    ("name", "element"),
    [
        ("float", (s.FLOAT, 32)),
        ("__half", (s.FLOAT, 16)),
        ("__nv_bfloat16", (s.BFLOAT, 16)),
        ("unsigned", (s.UINT, 32)),
        ("long unsigned int", (s.UINT, 64)),
        ("signed char", (s.INT, 8)),
        ("cuda::std::complex<float>", (s.COMPLEX, 64)),
        ("Particle", None),
        ("void", None),
    ],
)
def test_elements(name: str, element: tuple[int, int] | None) -> None:
    assert s.element_of(name) == element


def test_pointers() -> None:
    assert s.slot_of(s.Argument("const float*", "x")) == ("p", 8, True, False, ((s.FLOAT, 32),), "const float*", "x")
    assert s.slot_of(s.Argument("char*", ""))[4] == ((s.INT, 8), (s.UINT, 8))
    assert s.slot_of(s.Argument("void*", ""))[3] is True
    assert s.slot_of(s.Argument("const float**", ""))[2:4] == (False, True)


def test_find_takes_the_definition_that_is_a_kernel() -> None:
    text = """__device__ void f(int a) {}
    void g() { f(1); }
    struct S { int x; };
    template <typename A, template <class> class B> __global__ void f(A a, int b = 3) {}"""
    assert s.find(text, "f", ["double"]) == [("double", "a"), ("int", "b")]
    assert s.find(text, "h", []) is None


def test_index_of() -> None:
    arguments = s.parse("int n, float* x")
    assert s.index_of(arguments, "x") == s.index_of(arguments, 1) == 1
    with pytest.raises(ValueError, match="no argument is called 'y'; names: n, x"):
        s.index_of(arguments, "y")
    with pytest.raises(ValueError, match="argument 2: the kernel has 2"):
        s.index_of(arguments, 2)
