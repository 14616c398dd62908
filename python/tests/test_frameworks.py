"""Arrays of PyTorch, CuPy and JAX, on the cpu and on a GPU."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from conftest import AXPY

import kiln


def axpy_on(service: kiln.Service, device: kiln.Device, kind: str = "double") -> kiln.Function:
    return service.program("axpy.cu", AXPY).function("axpy", device=device, template=[kind], block=256, cover="n")


@pytest.fixture
def torch(device: kiln.Device) -> Any:
    module = pytest.importorskip("torch")
    if device.id != "cpu" and not module.cuda.is_available():
        pytest.skip("this PyTorch sees no GPU")
    return module


def test_torch(service: kiln.Service, device: kiln.Device, torch: Any) -> None:
    axpy = axpy_on(service, device)
    x = torch.arange(1000, dtype=torch.float64, device=device.id)
    y = torch.ones_like(x)
    axpy(1000, 0.5, x, y)
    assert torch.equal(y, 1 + 0.5 * x)
    axpy(1000, 0.5, x.requires_grad_(), y)
    assert torch.equal(y, 1 + x)


def test_torch_views_begin_at_their_first_element(service: kiln.Service, device: kiln.Device, torch: Any) -> None:
    axpy = axpy_on(service, device)
    all_of_it = torch.zeros(10, dtype=torch.float64, device=device.id)
    axpy(4, 1.0, torch.ones(4, dtype=torch.float64, device=device.id), all_of_it[3:7])
    assert all_of_it.tolist() == [0, 0, 0, 1, 1, 1, 1, 0, 0, 0]


def test_torch_arrays_are_checked(service: kiln.Service, device: kiln.Device, torch: Any) -> None:
    axpy = axpy_on(service, device)
    x = torch.ones(10, dtype=torch.float64, device=device.id)
    with pytest.raises(TypeError, match="argument 2 .*float64; found one of bfloat16"):
        axpy(10, 1.0, x.bfloat16(), x)
    with pytest.raises(ValueError, match="contiguous"):
        axpy(5, 1.0, x[::2], x)
    if device.id != "cpu":
        with pytest.raises(ValueError, match=f"on {device.id}; found one on the cpu"):
            axpy(10, 1.0, x.cpu(), x)


def test_torch_half_precision(service: kiln.Service, device: kiln.Device, torch: Any) -> None:
    if device.id == "cpu":
        text, name = "__global__ void twice(_Float16* x) { x[threadIdx.x] *= 2; }", "_Float16"
    else:
        text, name = (
            "#include <cuda_fp16.h>\n__global__ void twice(__half* x) { x[threadIdx.x] = x[threadIdx.x] + x[threadIdx.x]; }",
            "__half",
        )
    x = torch.ones(8, dtype=torch.float16, device=device.id)
    try:
        twice = service.program("twice.cu", text).function("twice", f"{name}* x", device=device, block=8, grid=1)
    except kiln.CompileError as error:
        if "cuda_fp16" not in error.log:
            raise
        pytest.skip("the CUDA headers of half precision are not found")
    twice(x)
    assert x.tolist() == [2] * 8


@pytest.mark.gpu
def test_torch_launches_go_to_its_current_stream(service: kiln.Service, gpu: kiln.Device) -> None:
    torch = pytest.importorskip("torch")
    if not torch.cuda.is_available():
        pytest.skip("this PyTorch sees no GPU")
    axpy = axpy_on(service, gpu)
    n = 1 << 22
    x, y = torch.ones(n, dtype=torch.float64, device=gpu.id), torch.zeros(n, dtype=torch.float64, device=gpu.id)
    axpy.run(n, 0.0, x, y)
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        torch.cuda._sleep(200_000_000)  # on this stream: what follows waits for it
        x.fill_(3)
        axpy(n, 1.0, x, y)
        busy = not stream.query()
    stream.synchronize()
    assert busy
    assert torch.all(y == 3)
    axpy(n, 1.0, x, y, stream=stream)  # the same, by hand
    stream.synchronize()
    assert torch.all(y == 6)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        axpy(n, 1.0, x, y)
    torch.cuda.synchronize()
    assert torch.all(y == 6)
    graph.replay()
    torch.cuda.synchronize()
    assert torch.all(y == 9)


def test_torch_takes_kilns_arrays(service: kiln.Service, device: kiln.Device, torch: Any) -> None:
    axpy = axpy_on(service, device)
    x, y = device.array(np.arange(1000.0)), device.zeros(1000)
    axpy(1000, 2.0, x, y)
    taken = torch.from_dlpack(y)
    assert (taken.device.type, taken.data_ptr()) == ("cpu" if device.id == "cpu" else "cuda", y.pointer())
    assert torch.equal(taken.cpu(), 2 * torch.arange(1000, dtype=torch.float64))
    taken += 1
    if device.id != "cpu":
        torch.cuda.synchronize()
    np.testing.assert_array_equal(y.host("read"), 2 * np.arange(1000.0) + 1)
    del y
    assert taken[1] == 3  # the tensor keeps the memory


SPIN = """__global__ void spin(long long cycles) {
  const long long begin = clock64();
  while (clock64() - begin < cycles) {}
}"""


@pytest.fixture
def spin(service: kiln.Service, gpu: kiln.Device) -> kiln.Function:
    """Keeps a stream busy for some 0.1 s."""
    return service.program("spin.cu", SPIN).function("spin", device=gpu, block=1, grid=1)


@pytest.mark.gpu
def test_cupy_launches_go_to_its_current_stream(service: kiln.Service, gpu: kiln.Device, spin: kiln.Function) -> None:
    cupy = pytest.importorskip("cupy")
    axpy = axpy_on(service, gpu)
    n = 1 << 20
    x, y = cupy.ones(n), cupy.zeros(n)
    axpy.run(n, 0.0, x, y)
    stream = cupy.cuda.Stream(non_blocking=True)
    cupy.cuda.Device().synchronize()
    with stream:
        spin(200_000_000, stream=stream)
        x.fill(3)
        axpy(n, 1.0, x, y)  # behind the spin and the fill, on the stream that CuPy works on
        gpu.synchronize()  # the null stream is idle: the launch did not go there
        busy = not stream.done
    stream.synchronize()
    assert busy
    assert bool(cupy.all(y == 3))
    graph_stream = cupy.cuda.Stream(non_blocking=True)
    with graph_stream:
        graph_stream.begin_capture()
        axpy(n, 1.0, x, y)
        graph = graph_stream.end_capture()
        graph.launch(graph_stream)
        graph.launch(graph_stream)
    graph_stream.synchronize()
    assert bool(cupy.all(y == 9))


@pytest.mark.gpu
def test_cupy_takes_kilns_arrays(service: kiln.Service, gpu: kiln.Device) -> None:
    cupy = pytest.importorskip("cupy")
    axpy = axpy_on(service, gpu)
    x, y = gpu.array(np.arange(1000.0)), gpu.zeros(1000)
    axpy(1000, 2.0, x, y)
    for taken in (cupy.from_dlpack(y), cupy.asarray(y)):  # DLPack, __cuda_array_interface__
        assert taken.data.ptr == y.pointer()
        taken += 1
    cupy.cuda.Device().synchronize()
    np.testing.assert_array_equal(y.host("read"), 2 * np.arange(1000.0) + 2)


@pytest.mark.gpu
def test_cupy(service: kiln.Service, gpu: kiln.Device) -> None:
    cupy = pytest.importorskip("cupy")
    axpy = axpy_on(service, gpu)
    n = 1 << 20
    x, y = cupy.arange(n, dtype="f8"), cupy.ones(n)
    axpy(n, 0.5, x, y)
    cupy.testing.assert_array_equal(y, 1 + 0.5 * x)
    stream = cupy.cuda.Stream(non_blocking=True)
    cupy.cuda.Device().synchronize()
    with stream:
        x.fill(2)
        y.fill(0)
        axpy(n, 1.0, x, y)
        axpy(n, 1.0, x, y, stream=stream)
    stream.synchronize()
    assert bool(cupy.all(y == 4))
    with pytest.raises(TypeError, match="float64; found one of float32"):
        axpy(n, 0.5, x.astype("f"), y)
    with pytest.raises(ValueError, match="contiguous"):
        axpy(n // 2, 0.5, x[::2], y)


@pytest.fixture
def jax(device: kiln.Device) -> Any:
    """The package, with the device as its default."""
    module = pytest.importorskip("jax")
    kind = "cpu" if device.id == "cpu" else "gpu"
    try:
        place = module.devices(kind)[0]
    except RuntimeError as error:
        pytest.skip(f"this JAX has no {kind}: {error}")
    with module.default_device(place):
        yield module


def test_jax_computes_before_and_after(service: kiln.Service, device: kiln.Device, jax: Any) -> None:
    axpy = axpy_on(service, device, "float")
    n = 1 << 20
    x = jax.numpy.ones(n, dtype="float32")
    y = device.zeros(n, dtype="f4")
    axpy(n, 0.0, x, y)
    x = jax.jit(lambda v: jax.lax.fori_loop(0, 200, lambda _, w: w + 1, v))(x)  # enqueued, not awaited
    axpy(n, 2.0, x, y)
    taken = jax.dlpack.from_dlpack(y)
    assert taken.devices() == x.devices()
    assert float((taken + 1).sum()) == n * 403
    # A stream of the caller's, which waits for JAX's arrays too.
    stream = device.stream()
    axpy.run(n, 1.0, jax.jit(lambda v: v * 2)(x), y, stream=stream)
    np.testing.assert_array_equal(y.host("read"), 804)


def test_decorated_kernels_take_jax_arrays(service: kiln.Service, device: kiln.Device, jax: Any) -> None:
    @kiln.kernel(service=service, block=64, cover="n")
    def square(n: kiln.i32, x: kiln.const_ptr[kiln.T], y: kiln.ptr[kiln.T]) -> None:
        """y[i] = x[i] * x[i];"""

    for dtype in ("float32", "int32"):
        y = device.empty(100, dtype)
        square(100, jax.numpy.arange(100, dtype=dtype), y)
        np.testing.assert_array_equal(y, np.arange(100, dtype=dtype) ** 2)


def test_jax(service: kiln.Service, device: kiln.Device, jax: Any) -> None:
    place = jax.devices("cpu" if device.id == "cpu" else "gpu")[0]
    x = jax.device_put(np.arange(1000, dtype=np.float32), place)
    y = device.zeros(1000, dtype="f4")
    axpy = axpy_on(service, device, "float")
    axpy(1000, 0.5, x, y)
    np.testing.assert_array_equal(y, 0.5 * np.arange(1000, dtype=np.float32))
    # JAX's arrays do not change; a launch that would write one is refused where JAX says so.
    with pytest.raises(ValueError, match="read-only"):
        axpy(1000, 0.5, x, x)


class Exporter:
    """An array that has `__dlpack__` alone, as packages had it before DLPack 1.0 or have it since."""

    def __init__(self, array: np.ndarray, versioned: bool) -> None:
        self.array = array
        self.versioned = versioned

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.array.__dlpack_device__()

    def __dlpack__(self, **options: Any) -> object:
        if self.versioned:
            assert options == {"max_version": (1, 0)}
            return self.array.__dlpack__(max_version=(1, 0))
        if "max_version" in options:
            raise TypeError("unexpected keyword argument 'max_version'")
        return self.array.__dlpack__()


@pytest.mark.parametrize("versioned", [False, True])
def test_dlpack_alone(service: kiln.Service, cpu: kiln.Device, versioned: bool) -> None:
    axpy = axpy_on(service, cpu)
    x, y = np.arange(100.0), np.ones(100)
    axpy(100, 0.5, Exporter(x, versioned), Exporter(y, versioned))
    np.testing.assert_array_equal(y, 1 + 0.5 * x)
    with pytest.raises(TypeError, match="found one of int64"):
        axpy(100, 0.5, Exporter(np.arange(100), versioned), Exporter(y, versioned))
    with pytest.raises(ValueError, match="contiguous"):
        axpy(50, 0.5, Exporter(x[::2], versioned), Exporter(y, versioned))
    if versioned:
        y.flags.writeable = False
        with pytest.raises(ValueError, match="read-only"):
            axpy(100, 0.5, Exporter(x, True), Exporter(y, True))


def test_what_an_array_raises_is_passed_on(service: kiln.Service, cpu: kiln.Device) -> None:
    class Broken:
        def __dlpack_device__(self) -> tuple[int, int]:
            return 1, 0

        def __dlpack__(self, **options: Any) -> object:
            raise BufferError("not now")

    with pytest.raises(BufferError, match="not now"):
        axpy_on(service, cpu)(10, 1.0, Broken(), np.ones(10))
