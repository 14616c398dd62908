"""Functions of a program: values, shapes, constants, families, checks."""

from __future__ import annotations

import ctypes
import gc
import struct
import sys
import threading
import time
from collections.abc import Callable

import numpy as np
import pytest
from conftest import AXPY

import kiln


@pytest.fixture(scope="module")
def axpy(service: kiln.Service) -> kiln.Function:
    return service.program("axpy.cu", AXPY).function("axpy", device="cpu", template=["double"], block=256, cover="n")


def pair() -> tuple[np.ndarray, np.ndarray]:
    return np.arange(1000.0), np.ones(1000)


def test_launch_by_position_and_by_name(axpy: kiln.Function) -> None:
    x, y = pair()
    axpy(1000, 0.5, x, y)
    np.testing.assert_array_equal(y, 1 + 0.5 * x)
    axpy(1000, y=y, x=x, a=1)
    np.testing.assert_array_equal(y, 1 + 1.5 * x)
    axpy.run(500, 1, x=x, y=y)
    np.testing.assert_array_equal(y[500:], 1 + 1.5 * x[500:])
    np.testing.assert_array_equal(y[:500], 1 + 2.5 * x[:500])


def test_numbers_of_other_packages(axpy: kiln.Function) -> None:
    x, y = pair()
    axpy(np.int64(1000), np.float32(0.5), x, y)
    np.testing.assert_array_equal(y, 1 + 0.5 * x)


def test_nothing_is_launched_for_a_size_of_0(axpy: kiln.Function) -> None:
    x, y = pair()
    axpy(0, 0.5, x, y)
    np.testing.assert_array_equal(y, 1)


def test_what_it_is(axpy: kiln.Function) -> None:
    assert axpy.name == "axpy<double>"
    assert axpy.signature == "int n, double a, const double* x, double* y"
    assert axpy.device == "cpu"
    assert repr(axpy) == "<kiln.Function axpy<double>(int n, double a, const double* x, double* y) on cpu>"
    assert axpy.info.name == "axpy<double>"
    assert axpy.info.origin in ("compiled", "disk", "memory")
    assert len(axpy.info.key) == 64
    assert axpy.info.max_threads_per_block >= 256
    assert axpy.info.registers is None


def test_time_is_that_of_a_launch(axpy: kiln.Function) -> None:
    x, y = pair()
    assert 1e-8 < axpy.time(5, 1000, 0.0, x, y) < 1
    with pytest.raises(ValueError, match="1 launch or more; found 0"):
        axpy.time(0, 1000, 0.0, x, y)
    with pytest.raises(TypeError, match="number of launches"):
        axpy.time()


def test_unchecked_takes_addresses(axpy: kiln.Function) -> None:
    x, y = pair()
    axpy.unchecked(1000, 0.5, x.ctypes.data, y.ctypes.data)
    np.testing.assert_array_equal(y, 1 + 0.5 * x)
    axpy.unchecked(1000, 0.5, x.ctypes.data, y.ctypes.data, stream=None)
    np.testing.assert_array_equal(y, 1 + x)
    with pytest.raises(TypeError, match=r"argument 2 \(x, const double\*\): expected an address; found a ndarray"):
        axpy.unchecked(1000, 0.5, x, y)


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        (lambda x, y: (1000, 0.5, x), TypeError, "axpy<double> takes 4 arguments; the call passes 3"),
        (lambda x, y: (1000, 0.5, x, y, y), TypeError, "takes 4 arguments; the call passes 5"),
        (lambda x, y: (1.0, 0.5, x, y), TypeError, r"argument 0 \(n, int\): expected a whole number; found a float"),
        (lambda x, y: (2**31, 0.5, x, y), ValueError, r"argument 0 \(n, int\).*4 bytes; found 2147483648"),
        (lambda x, y: (-(2**31) - 1, 0.5, x, y), ValueError, "4 bytes; found -2147483649"),
        (lambda x, y: (2**70, 0.5, x, y), ValueError, "4 bytes; found 1180591620717411303424"),
        (lambda x, y: (1000, "a", x, y), TypeError, r"argument 1 \(a, double\): expected a number; found a str"),
        (
            lambda x, y: (1000, 0.5, x.astype("f"), y),
            TypeError,
            r"argument 2 .*an array of float64; found one of float32",
        ),
        (lambda x, y: (1000, 0.5, x, y.astype(int)), TypeError, r"argument 3 .*float64; found one of int64"),
        (lambda x, y: (1000, 0.5, x.astype(">f8"), y), TypeError, "found one of a structure"),
        (
            lambda x, y: (1000, 0.5, x[::2], y),
            ValueError,
            r"argument 2 .*contiguous array, row by row; found .*strides",
        ),
        (lambda x, y: (1000, 0.5, np.zeros((4, 6)).T, y), ValueError, "transposed one is passed as x.T"),
        (lambda x, y: (1000, 0.5, "x", y), TypeError, "argument 2 .*an array of float64; found a str"),
        (lambda x, y: (1000, 0.5, x.ctypes.data, y), TypeError, "found an int .*unchecked"),
        (lambda x, y: (1000, 0.5, [1.0], y), TypeError, "an array of float64; found a list"),
    ],
)
def test_what_is_wrong_is_named(
    axpy: kiln.Function, change: Callable[..., tuple[object, ...]], error: type[Exception], message: str
) -> None:
    x, y = pair()
    with pytest.raises(error, match=message):
        axpy(*change(x, y))
    np.testing.assert_array_equal(y, 1)


def test_read_only_arrays_are_read_but_not_written(axpy: kiln.Function) -> None:
    x, y = pair()
    x.flags.writeable = False
    axpy(1000, 0.5, x, y)
    y.flags.writeable = False
    with pytest.raises(
        ValueError,
        match=r"argument 3 \(y, double\*\): expected an array that can be written; found one that is read-only",
    ):
        axpy(1000, 0.5, x, y)
    np.testing.assert_array_equal(y, 1 + 0.5 * x)


def test_wrong_names_are_named(axpy: kiln.Function) -> None:
    x, y = pair()
    with pytest.raises(TypeError, match="has no argument 'z'"):
        axpy(1000, 0.5, x, z=y)
    with pytest.raises(TypeError, match="'x' is passed twice"):
        axpy(1000, 0.5, x, x=y)
    with pytest.raises(TypeError, match="takes 4 arguments; the call passes 3"):
        axpy(1000, 0.5, x=x)


@pytest.mark.parametrize("stream", ["x", 1.5, object()])
def test_what_is_no_stream_is_refused(axpy: kiln.Function, stream: object) -> None:
    x, y = pair()
    with pytest.raises(TypeError, match="stream: expected None, an address, or an object with __cuda_stream__"):
        axpy(1000, 0.5, x, y, stream=stream)


def test_buffers_of_the_standard_library(service: kiln.Service) -> None:
    text = "__global__ void add(int n, unsigned char* x) { for (int i = 0; i < n; ++i) x[i] += 1; }"
    add = service.program("add.cu", text).function("add", device="cpu", block=1, grid=1)
    data = bytearray(b"abc")
    add(3, data)
    assert data == b"bcd"
    array = (ctypes.c_ubyte * 3)(1, 2, 3)
    add(3, array)
    assert list(array) == [2, 3, 4]
    with pytest.raises(ValueError, match="read-only"):
        add(3, b"abc")


TYPES = [
    ("bool", np.bool_, True),
    ("char", np.int8, -5),
    ("unsigned char", np.uint8, 200),
    ("short", np.int16, -3000),
    ("uint16_t", np.uint16, 60000),
    ("int", np.int32, -(2**31)),
    ("unsigned int", np.uint32, 2**32 - 1),
    ("long long", np.int64, -(2**63)),
    ("unsigned long", np.uint64, 2**64 - 1),
    ("size_t", np.uint64, 2**63),
    ("float", np.float32, 1.5),
    ("double", np.float64, -2.25),
]


@pytest.mark.parametrize(("c_type", "dtype", "value"), TYPES)
def test_scalars_of_every_type_arrive(service: kiln.Service, c_type: str, dtype: type, value: object) -> None:
    text = f"typedef {c_type} Value;\n__global__ void put(Value value, Value* to) {{ *to = value; }}"
    put = service.program("put.cu", text).function(
        "put", f"{c_type} value, {c_type}* to", device="cpu", block=1, grid=1
    )
    to = np.zeros(1, dtype)
    put(value, to)
    assert to[0] == value


@pytest.mark.parametrize(
    ("c_type", "value"), [("uint8_t", 256), ("uint8_t", -1), ("int8_t", 128), ("uint64_t", -1), ("uint64_t", 2**64)]
)
def test_numbers_that_do_not_fit_are_refused(service: kiln.Service, c_type: str, value: int) -> None:
    put = service.program("put.cu", f"__global__ void put({c_type} value) {{}}").function(
        "put", device="cpu", block=1, grid=1
    )
    with pytest.raises(ValueError, match=f"argument 0 .*found {value}"):
        put(value)


def test_numbers_too_large_for_a_float_are_refused(service: kiln.Service) -> None:
    put = service.program("put.cu", "__global__ void put(float value, float* to) { *to = value; }").function(
        "put", device="cpu", block=1, grid=1
    )
    to = np.zeros(1, np.float32)
    put(float("inf"), to)
    assert to[0] == np.inf
    with pytest.raises(ValueError, match=r"argument 0 \(value, float\): expected a number of 4 bytes; found 1e\+300"):
        put(1e300, to)


def test_what_a_number_raises_is_passed_on(axpy: kiln.Function) -> None:
    class Broken:
        def __index__(self) -> int:
            raise LookupError("mine")

        def __float__(self) -> float:
            raise LookupError("mine")

    x, y = pair()
    with pytest.raises(LookupError, match="mine"):
        axpy(Broken(), 0.5, x, y)
    with pytest.raises(LookupError, match="mine"):
        axpy(1000, Broken(), x, y)
    huge = 10**5000  # more digits than Python prints
    with pytest.raises(ValueError, match="4 bytes; found a larger one"):
        axpy(huge, 0.5, x, y)


def test_a_call_inside_a_call(service: kiln.Service) -> None:
    """A number whose conversion launches the function that it is an argument of, with arrays of another package."""
    add = service.program("add.cu", "__global__ void add(double* x, int n) { x[0] += n; }").function(
        "add", device="cpu", block=1, grid=1
    )
    x, y = service.device("cpu").zeros(1), np.zeros(1)

    class Launches:
        def __index__(self) -> int:
            add(y, 1)
            return 2

    add(x, Launches())
    assert (x.host("read")[0], y[0]) == (2, 1)


def test_bools_are_bools(service: kiln.Service) -> None:
    put = service.program("put.cu", "__global__ void put(bool b, bool* to) { *to = b; }").function(
        "put", device="cpu", block=1, grid=1
    )
    to = np.zeros(1, bool)
    put(np.True_, to)
    assert to[0]
    with pytest.raises(TypeError, match="expected a bool; found an int"):
        put(1, to)


def test_structures_by_value(service: kiln.Service) -> None:
    text = """struct Particle { double x; int kind; };
    __global__ void put(double factor, Particle p, Particle q, double* to) { to[0] = factor * p.x; to[1] = p.kind + q.kind; }"""
    put = service.program("put.cu", text).function(
        "put", "double factor, Particle{16} p, Particle{16} q, double* to", device="cpu", block=1, grid=1
    )
    to = np.zeros(2)
    put(
        2.0,
        struct.pack("di4x", 1.5, 7),
        np.array([(0.0, 5, 0)], dtype=[("x", "f8"), ("kind", "i4"), ("pad", "i4")]),
        to,
    )
    np.testing.assert_array_equal(to, [3.0, 12.0])
    with pytest.raises(ValueError, match=r"argument 1 \(p, Particle\{16\}\): expected 16 bytes; found 8"):
        put(2.0, bytes(8), bytes(16), to)


def test_many_arguments(service: kiln.Service) -> None:
    names = [f"a{i}" for i in range(40)]
    text = (
        f"__global__ void add({', '.join(f'double {n}' for n in names)}, double* to) {{ *to = {' + '.join(names)}; }}"
    )
    add = service.program("add.cu", text).function("add", device="cpu", block=1, grid=1)
    to = np.zeros(1)
    add(*range(40), to)
    assert to[0] == sum(range(40))


def test_null_pointers_and_complex_numbers(service: kiln.Service) -> None:
    text = """#include <complex>
    __global__ void put(const double* x, std::complex<double>* to) { if (!x) to[0] *= 2.0; }"""
    put = service.program("put.cu", text).function("put", device="cpu", block=1, grid=1)
    to = np.array([1 + 2j])
    put(None, to)
    assert to[0] == 2 + 4j
    with pytest.raises(TypeError, match="an array of complex128; found one of float64"):
        put(None, np.zeros(2))


def test_void_pointers_take_any_array(service: kiln.Service) -> None:
    put = service.program("put.cu", "__global__ void put(const void* x, int* to) { *to = *(const int*)x; }").function(
        "put", device="cpu", block=1, grid=1
    )
    to = np.zeros(1, np.int32)
    put(np.array([1.0, 2.0], np.float32).view(np.int32), to)
    put(np.array([(7, 1)], dtype="i4,i4"), to)
    assert to[0] == 7


INDEX = """__global__ void index(int* to) {
  to[blockIdx.x * blockDim.x + threadIdx.x] = blockIdx.x * 100 + threadIdx.x;
}"""


def test_the_shape_of_a_launch(service: kiln.Service) -> None:
    index = service.program("index.cu", INDEX).function("index", device="cpu")
    to = np.full(12, -1, np.int32)
    index[3, 4](to)
    np.testing.assert_array_equal(to, [0, 1, 2, 3, 100, 101, 102, 103, 200, 201, 202, 203])
    to[:] = -1
    index[(2, 1, 1), (2,), 64].run(to)
    np.testing.assert_array_equal(to[:5], [0, 1, 100, 101, -1])
    blocks = service.program("index.cu", INDEX).function("index", device="cpu", block=4)
    blocks[2](to)
    np.testing.assert_array_equal(to[4:8], [100, 101, 102, 103])
    numbers = service.program("index.cu", INDEX).function(
        "index", device="cpu", block=np.int64(4), grid=np.array([3, 1])
    )
    numbers(to)
    assert to[11] == 203
    with pytest.raises(ValueError, match="block: expected 1 or more; found 0"):
        service.program("index.cu", INDEX).function("index", device="cpu", block=0)
    for wrong, message in (
        (0, "grid: expected 1 or more; found 0"),
        (((1, 1, 1, 1), 1), "one to three numbers; found 4"),
    ):
        with pytest.raises(ValueError, match=message):
            index[wrong]
    with pytest.raises(TypeError):
        index["x"]
    with pytest.raises(kiln.BadInputError):
        index(to)  # neither grid nor block


def test_grids_of_three_sizes(service: kiln.Service) -> None:
    text = """__global__ void fill(int nx, int ny, int nz, int* to) {
      const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z;
      if (x < nx && y < ny && z < nz) to[(z * ny + y) * nx + x] += 1;
    }"""
    fill = service.program("fill.cu", text).function("fill", device="cpu", block=(8, 4), cover=["nx", 1, "nz"])
    to = np.zeros((3, 5, 9), np.int32)
    fill(9, 5, 3, to)
    np.testing.assert_array_equal(to, 1)


def test_constants_are_of_the_code(service: kiln.Service) -> None:
    text = """__global__ void put(const int n, double a, bool on, double* to) {
      double all[n];
      for (int i = 0; i < n; ++i) all[i] = on ? a : 0;
      to[0] = all[n - 1] + sizeof all / 8;
    }"""
    put = service.program("put.cu", text).function(
        "put", device="cpu", block=1, grid=1, constants={"n": 7, 1: 0.5, "on": True}
    )
    to = np.zeros(1)
    put(7, 0.5, True, to)
    assert to[0] == 7.5
    with pytest.raises(kiln.BadInputError, match="7"):
        put(8, 0.5, True, to)


def test_families(service: kiln.Service) -> None:
    text = "__global__ void put(const int n, double a, double* to) { double all[n]; to[0] = sizeof all / 8 * a; }"
    program = service.program("put.cu", text)
    family = program.family("put", keyed=["n"], device="cpu", block=1, grid=1)
    to = np.zeros(1)
    compiled = service.statistics().compiled
    for n in (3, 5, 3):
        family(n, 2.0, to)
        assert to[0] == 2 * n
    assert service.statistics().compiled == compiled + 2
    family.run(5, 3.0, to)
    assert to[0] == 15
    with pytest.raises(AttributeError, match="a family has no info"):
        family.info  # noqa: B018
    with pytest.raises(TypeError, match="shape that it was got with"):
        family[1]
    with pytest.raises(TypeError, match="time"):
        family.time(1, 3, 2.0, to)
    with pytest.raises(ValueError, match="no argument is called 'm'; names: n, a, to"):
        program.family("put", keyed=["m"], device="cpu", block=1, grid=1)


def test_headers_defines_symbols_options(service: kiln.Service) -> None:
    text = """#include "two.h"
    __constant__ double factors[3];
    __device__ int once;
    __global__ void put(double* to) { to[0] = TWO * FOUR * factors[2] + once; }"""
    program = service.program("put.cu", text).header("two.h", "#define TWO 2")
    program.symbol("factors", np.array([1.0, 2.0, 3.0])).symbol("once", struct.pack("i", 5))
    assert program.kernels() == ["put"]
    to = np.zeros(1)
    program.function("put", device="cpu", block=1, grid=1, defines={"FOUR": 4})(to)
    assert to[0] == 29
    by_option = program.function(
        "put", device="cpu", block=1, grid=1, options={"cpu": ["-DFOUR=10"]}, fast_math=True, launch_bounds=(64, 2)
    )
    by_option(to)
    assert to[0] == 65


def test_signatures_are_read_from_the_text(service: kiln.Service) -> None:
    text = """namespace physics {
    // __global__ void step(wrong)
    template <class T, int N = 4, typename U = float>
    __global__ void __launch_bounds__(64) step(unsigned int n, const T* __restrict__ x, U *const to /* , int z */, long k)
    { if (threadIdx.x == 0) to[0] = N * x[0] + n + k; }
    }"""
    step = service.program("step.cu", text).function(
        "physics::step", device="cpu", template=["double", 3, "float"], block=64, grid=1
    )
    assert step.signature == "unsigned int n, const double* x, float* to, long k"
    to = np.zeros(1, np.float32)
    step(2, np.array([5.0]), to, 1)
    assert to[0] == 18


def test_what_is_not_to_be_read_from_the_text_is_asked_for(service: kiln.Service) -> None:
    program = service.program("a.cu", "#define ARGUMENTS int n, float* x\n__global__ void a(ARGUMENTS) { x[0] = n; }")
    with pytest.raises(kiln.BadInputError):
        program.function("a", device="cpu", block=1, grid=1)
    a = program.function("a", "int, float*", device="cpu", block=1, grid=1)
    x = np.zeros(1, np.float32)
    a(3, x)
    assert x[0] == 3
    with pytest.raises(ValueError, match="'b' are not to be read from the text; pass `signature`"):
        program.function("b", device="cpu")


def test_the_kernels_compiler_compares_signatures(service: kiln.Service) -> None:
    with pytest.raises(kiln.CompileError) as caught:
        service.program("axpy.cu", AXPY).function(
            "axpy", "int n, float a, const double* x, double* y", device="cpu", template=["double"]
        )
    assert "argument" in str(caught.value)
    assert "float" in str(caught.value)


def test_calls_do_not_leak(axpy: kiln.Function) -> None:
    x, y = pair()
    big = 1000.125  # not one of the interpreter's own numbers
    before = [sys.getrefcount(one) for one in (x, y, big)]
    for _ in range(1000):
        axpy(1000, big, x, y)
        axpy.unchecked(1000, big, 0 + x.ctypes.data, y.ctypes.data)
        with pytest.raises(TypeError):
            axpy(1000, big, x, "y")
    gc.collect()
    assert [sys.getrefcount(one) for one in (x, y, big)] == before


def test_functions_outlive_what_they_were_made_of(cache: object) -> None:
    def made() -> kiln.Function:
        service = kiln.Service(application="kiln-tests", settings={"cache_dir": cache})
        return service.program("axpy.cu", AXPY).function("axpy", device="cpu", template=["float"], block=64, cover=0)

    axpy = made()
    gc.collect()
    x, y = np.ones(5, np.float32), np.ones(5, np.float32)
    axpy(5, 2, x, y)
    np.testing.assert_array_equal(y, 3)


def test_other_threads_run_during_run_and_get(service: kiln.Service) -> None:
    text = "__global__ void spin(long n, double* x) { double s = 0; for (long i = 0; i < n; ++i) s += 1.0 / (s + i + 1); *x = s; }"
    counted = 0
    done = threading.Event()

    def count() -> None:
        nonlocal counted
        while not done.is_set():
            counted += 1
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    try:
        spin = service.program("spin.cu", text).function("spin", device="cpu", block=1, grid=1)
        before = counted
        spin.run(50_000_000, np.zeros(1))
        assert counted - before > 10
    finally:
        done.set()
        thread.join()


def test_threads_launch_one_function(axpy: kiln.Function) -> None:
    results = [np.zeros(100) for _ in range(4)]
    x = np.ones(100)

    def work(y: np.ndarray) -> None:
        for _ in range(200):
            axpy.run(100, 1.0, x, y)

    threads = [threading.Thread(target=work, args=(y,)) for y in results]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for y in results:
        np.testing.assert_array_equal(y, 200)
