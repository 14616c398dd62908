"""@kiln.kernel."""

from __future__ import annotations

import numpy as np
import pytest

import kiln


def test_a_template_is_typed_by_its_arrays(service: kiln.Service) -> None:
    @kiln.kernel(service=service, template="T", block=256, cover="n")
    def scale(n: kiln.i32, a: kiln.T, x: kiln.ptr[kiln.T]) -> None:
        """x[i] = a * x[i];"""

    for dtype in (np.float32, np.float64, np.int32, np.uint8):
        x = np.arange(100, dtype=dtype)
        scale(100, 2, x)
        np.testing.assert_array_equal(x, 2 * np.arange(100, dtype=dtype))
    assert scale.__name__ == "scale"
    compiled = service.statistics().compiled
    scale.run(50, 2.0, x := np.ones(100))
    np.testing.assert_array_equal(x, [2] * 50 + [1] * 50)
    assert service.statistics().compiled == compiled
    assert scale.get("cpu", T="double").signature == "int n, double a, double* x"
    with pytest.raises(TypeError, match="no C type is known for arrays of complex128"):
        scale(1, 1, np.ones(1, complex))
    with pytest.raises(TypeError, match="the type of T is not known"):
        scale.get("cpu")
    with pytest.raises(TypeError, match="takes 3 arguments; the call passes 2"):
        scale(1, 1)


def test_types_alone(service: kiln.Service) -> None:
    @kiln.kernel(service=service, block=(8, 8), cover=("nx", "ny"), prelude="struct Pair { double a, b; };")
    def fill(
        nx: kiln.i32, ny: kiln.i32, p: kiln.struct("Pair", 16), x: kiln.const_ptr[kiln.f32], to: kiln.ptr[kiln.f64]
    ) -> None:
        """
        const double weight = p.a + p.b;
        to[j * nx + i] = weight * x[i];
        """

    to, x = np.zeros((5, 9)), np.arange(9, dtype=np.float32)
    x.flags.writeable = False
    fill(9, 5, np.array([1.0, 2.0]), x, to)
    np.testing.assert_array_equal(to, np.broadcast_to(3.0 * x, (5, 9)))


def test_arguments_by_name_and_null_pointers(service: kiln.Service) -> None:
    @kiln.kernel(service=service, block=64, cover="n")
    def add(n: kiln.i32, x: kiln.const_ptr[kiln.f64], y: kiln.ptr[kiln.T]) -> None:
        """y[i] += x ? x[i] : 1;"""

    y = np.zeros(5)
    add(5, None, y)
    add(5, y=y, x=np.ones(5))
    add.run(n=5, y=y, x=None, stream=None)
    np.testing.assert_array_equal(y, 3)
    with pytest.raises(TypeError, match="add has no argument 'z'"):
        add(5, None, z=y)
    with pytest.raises(TypeError, match="'x' is passed twice"):
        add(5, None, y, x=y)
    with pytest.raises(TypeError, match="takes 3 arguments; the call passes 2"):
        add(5, y=y)


def test_without_guard(service: kiln.Service) -> None:
    @kiln.kernel(service=service, block=64, cover="n", guard=False)
    def reverse(n: kiln.i32, x: kiln.ptr[kiln.T]) -> None:
        """__shared__ T tile[64];
        if (i < n) tile[threadIdx.x] = x[i];
        __syncthreads();
        if (i < n) x[i] = tile[n - 1 - i];"""

    x = np.arange(50.0)
    reverse(50, x)
    np.testing.assert_array_equal(x, np.arange(50.0)[::-1])
    assert "return" not in reverse.text


def test_what_is_wrong_is_named() -> None:
    with pytest.raises(TypeError, match="'n' has no type of Kiln's"):

        @kiln.kernel
        def untyped(n) -> None:  # type: ignore[no-untyped-def]
            """x"""

    with pytest.raises(TypeError, match="the docstring, which is the kernel's body, is empty"):

        @kiln.kernel
        def empty(n: kiln.i32) -> None:
            pass

    with pytest.raises(TypeError, match="cover names 'm'; arguments: n"):

        @kiln.kernel(cover="m")
        def covers(n: kiln.i32) -> None:
            """x"""

    with pytest.raises(TypeError, match="expected one of Kiln's types"):
        kiln.ptr[float]  # type: ignore[index]


def test_arrays_of_other_packages(service: kiln.Service, device: kiln.Device) -> None:
    @kiln.kernel(service=service, block=32, cover="n")
    def add(n: kiln.i32, x: kiln.const_ptr[kiln.T], y: kiln.ptr[kiln.T]) -> None:
        """y[i] += x[i];"""

    y = device.array(np.ones(10))
    add(10, device.array(np.arange(10.0)), y)
    np.testing.assert_array_equal(y, 1 + np.arange(10.0))
    if device.id.startswith("cuda"):
        cupy = pytest.importorskip("cupy")
        w = cupy.ones(10, dtype="i2")
        add(10, w, w)
        assert w.get().tolist() == [2] * 10
    torch = pytest.importorskip("torch")
    if device.id != "cpu" and not torch.cuda.is_available():
        pytest.skip("this PyTorch sees no GPU")
    z = torch.ones(10, dtype=torch.float32, device=device.id)
    add(10, z, z)
    assert z.tolist() == [2] * 10
