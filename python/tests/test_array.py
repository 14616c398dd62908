"""kiln.Array, streams, events, graphs: on the cpu and, where there is one, on a GPU."""

from __future__ import annotations

import gc
import sys
import threading

import numpy as np
import pytest
from conftest import AXPY

import kiln


@pytest.fixture
def axpy(service: kiln.Service, device: kiln.Device) -> kiln.Function:
    return service.program("axpy.cu", AXPY).function("axpy", device=device, template=["double"], block=256, cover="n")


def test_arrays_are_copied_when_the_other_side_has_changed(axpy: kiln.Function, device: kiln.Device) -> None:
    x, y = device.array(np.arange(1000.0)), device.zeros(1000)
    assert (x.shape, x.dtype, x.size, x.nbytes, x.ndim, len(x)) == ((1000,), np.float64, 1000, 8000, 1, 1000)
    axpy(1000, 0.5, x, y)
    np.testing.assert_array_equal(y.host("read"), 0.5 * np.arange(1000))
    y.host("update")[:500] = 0
    axpy.run(1000, 1, x, y)
    expected = 1.5 * np.arange(1000)
    expected[:500] -= 0.5 * np.arange(500)
    np.testing.assert_array_equal(np.asarray(y), expected)
    y.host("write")[...] = 7
    axpy(1000, 0, x, y)
    np.testing.assert_array_equal(y.numpy(), 7)


def test_hosts_side_of_read_is_read_only(device: kiln.Device) -> None:
    x = device.array([[1, 2], [3, 4]], dtype="i4")
    assert repr(x) == f"<kiln.Array (2, 2) int32 on {device.id}>"
    with pytest.raises(ValueError, match="read-only"):
        x.host("read")[0, 0] = 5
    shown = x.host("update")
    del x
    shown[0, 0] = 5  # the view keeps the memory
    np.testing.assert_array_equal(shown, [[5, 2], [3, 4]])
    np.testing.assert_array_equal(np.asarray(device.array([1, 2]), dtype=float), [1.0, 2.0])


def test_dlpack_lends_the_memory(axpy: kiln.Function, cpu: kiln.Device) -> None:
    x = cpu.array(np.arange(6.0).reshape(2, 3))
    lent = np.from_dlpack(x)
    np.testing.assert_array_equal(lent, [[0, 1, 2], [3, 4, 5]])
    lent[0, 0] = 7
    assert x.host("read")[0, 0] == 7
    del x
    gc.collect()
    lent[1] = 8  # which keeps the memory
    np.testing.assert_array_equal(lent, [[7, 1, 2], [8, 8, 8]])
    assert np.from_dlpack(cpu.zeros((0, 3))).shape == (0, 3)
    assert np.from_dlpack(cpu.zeros(())).shape == ()


def test_dlpack_of_every_version(device: kiln.Device) -> None:
    x = device.array(np.ones(3))
    before = sys.getrefcount(x)
    assert '"dltensor"' in repr(x.__dlpack__())
    assert '"dltensor_versioned"' in repr(x.__dlpack__(max_version=(1, 1), stream=None))
    assert sys.getrefcount(x) == before  # capsules that were never taken release the array
    assert x.__dlpack_device__() == ((1, 0) if device.id == "cpu" else (2, 0) if "cuda" in device.id else (10, 0))
    with pytest.raises(BufferError, match="lends its memory"):
        x.__dlpack__(copy=True)
    with pytest.raises(BufferError, match=f"on {device.id}, and is not copied"):
        x.__dlpack__(dl_device=(2, 7))


def test_what_other_packages_write_is_seen(axpy: kiln.Function, device: kiln.Device) -> None:
    x, y = device.array(np.ones(10)), device.zeros(10)
    assert y.host("read")[0] == 0
    capsule = y.__dlpack__(stream=None if device.id == "cpu" else 1)
    axpy.unchecked(10, 3.0, x.pointer("read"), y.pointer("read"))  # a write that the array does not see
    device.synchronize()
    np.testing.assert_array_equal(y.host("read"), 3)
    del capsule


def test_threads_share_an_array(axpy: kiln.Function, device: kiln.Device) -> None:
    x, y = device.array(np.ones(100_000)), device.zeros(100_000)
    errors: list[BaseException] = []

    def work(launches: bool) -> None:
        try:
            for _ in range(100):
                if launches:
                    axpy.run(100_000, 1.0, x, y)
                else:
                    assert x.host("read")[0] == 1
                    y.host("read")
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(launches,)) for launches in (True, False, True, False)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert x.host("read").min() == 1


def test_types_of_arrays_are_checked(axpy: kiln.Function, device: kiln.Device) -> None:
    x, y = device.array(np.ones(10, np.float32)), device.zeros(10)
    with pytest.raises(TypeError, match="an array of float64; found one of float32"):
        axpy(10, 1, x, y)
    with pytest.raises(TypeError, match="holds numbers"):
        device.empty(3, dtype="U5")
    with pytest.raises(TypeError, match="byte order; found >f8"):
        device.empty(3, dtype=">f8")
    with pytest.raises(ValueError, match="negative"):
        device.empty(-3)
    with pytest.raises(ValueError, match="more elements"):
        device.empty((1 << 40, 1 << 40))
    assert device.empty(np.int64(3)).shape == device.empty(np.array([3])).shape == (3,)
    with pytest.raises(ValueError, match="without a copy"):
        y.__array__(np.float32, copy=False)


def test_empty_arrays(device: kiln.Device) -> None:
    none = device.array(np.zeros((0, 3)))
    assert none.host().shape == (0, 3)
    assert none.nbytes == 0
    assert none.pointer() == 0


def test_empty_arrays_are_passed(axpy: kiln.Function, device: kiln.Device) -> None:
    axpy.run(0, 1.0, device.zeros(0), device.zeros(0))


def test_results_need_no_content_before(service: kiln.Service, device: kiln.Device) -> None:
    text = "__global__ void fill(int n, double* x) { const int i = threadIdx.x; if (i < n) x[i] = i; }"
    fill = service.program("fill.cu", text).function("fill", device=device, block=64, grid=1)
    x = device.empty(10)
    fill(10, x)
    np.testing.assert_array_equal(x, np.arange(10.0))


def test_addresses_for_unchecked(axpy: kiln.Function, device: kiln.Device) -> None:
    x, y = device.array(np.ones(10)), device.zeros(10)
    axpy.unchecked(10, 3.0, x.pointer("read"), y.pointer("update"))
    np.testing.assert_array_equal(y, 3)


def test_streams_events_and_graphs(axpy: kiln.Function, device: kiln.Device) -> None:
    stream, other = device.stream(), device.stream()
    x, y = device.array(np.ones(1000)), device.zeros(1000)
    begin = stream.record()
    axpy(1000, 1.0, x, y, stream=stream)
    end = stream.record()
    other.wait(end)
    axpy(1000, 2.0, x, y, stream=other)
    other.synchronize()
    assert 0 <= end.seconds_since(begin) < 10
    np.testing.assert_array_equal(y, 3)

    from_, to = x.pointer("read", stream), y.pointer("update", stream)
    graph = stream.capture(lambda: [axpy.unchecked(1000, a, from_, to, stream=stream) for a in (0.5, 0.25)])
    np.testing.assert_array_equal(y, 3)
    y.pointer("update", stream)
    graph.launch(stream)
    graph.launch(stream)
    stream.synchronize()
    np.testing.assert_array_equal(y, 4.5)
    graph.update(stream, lambda: [axpy.unchecked(1000, a, from_, to, stream=stream) for a in (1.0, 2.0)])
    y.pointer("update", stream)
    graph.launch(stream)
    np.testing.assert_array_equal(y, 7.5)
    with pytest.raises(KeyError, match="mine"):
        graph.update(stream, fail)
    graph.launch(stream)
    y.pointer("update", stream)
    np.testing.assert_array_equal(y, 10.5)
    with kiln.Timer(stream) as timer:
        axpy(1000, 0.0, x, y, stream=stream)
    assert 0 < timer.seconds < 10


def fail() -> None:
    raise KeyError("mine")


def test_an_exception_ends_a_capture(device: kiln.Device) -> None:
    with pytest.raises(KeyError, match="mine"):
        device.stream().capture(fail)


class Holder:
    """A stream of another package."""

    def __init__(self, **attributes: object) -> None:
        self.__dict__.update(attributes)


class Protocol:
    def __init__(self, address: int) -> None:
        self.address = address

    def __cuda_stream__(self) -> tuple[int, int]:
        return 0, self.address


def test_streams_by_address_attribute_and_protocol(axpy: kiln.Function, device: kiln.Device) -> None:
    stream = device.stream()
    assert stream.__cuda_stream__() == (0, stream.ptr)
    x, y = device.array(np.ones(10)), device.zeros(10)
    forms = [stream, stream.ptr, Holder(cuda_stream=stream.ptr), Holder(ptr=stream.ptr), Protocol(stream.ptr), None, 0]
    for form in forms:
        axpy.run(10, 1.0, x, y, stream=form)
    np.testing.assert_array_equal(y, len(forms))
    for form in forms[:5]:
        borrowed = device.stream(form)
        assert borrowed.ptr == stream.ptr
        borrowed.synchronize()
    with pytest.raises(TypeError, match="__cuda_stream__, .cuda_stream or .ptr; found str"):
        device.stream("x")


def test_a_pointer_that_is_no_stream_is_refused_on_the_cpu(service: kiln.Service) -> None:
    axpy = service.program("axpy.cu", AXPY).function("axpy", device="cpu", template=["double"], block=256, cover="n")
    with pytest.raises(kiln.BadInputError, match="stream"):
        axpy(10, 1.0, np.ones(10), np.ones(10), stream=12345)


def test_memory_of_the_cpu_is_no_cuda_memory(cpu: kiln.Device) -> None:
    assert not hasattr(cpu.zeros(3), "__cuda_array_interface__")


@pytest.mark.gpu
def test_arrays_of_the_host_are_refused_on_a_gpu(service: kiln.Service, gpu: kiln.Device) -> None:
    axpy = service.program("axpy.cu", AXPY).function("axpy", device=gpu, template=["double"], block=256, cover="n")
    with pytest.raises(ValueError, match="expected an array on .*:0; found one on the cpu"):
        axpy(10, 1.0, np.ones(10), gpu.zeros(10))


@pytest.mark.gpu
def test_what_has_a_cuda_array_interface(service: kiln.Service, gpu: kiln.Device) -> None:
    axpy = service.program("axpy.cu", AXPY).function("axpy", device=gpu, template=["double"], block=256, cover="n")
    x, y = gpu.array(np.ones(10)), gpu.zeros(10)

    def lent(array: kiln.Array, **changes: object) -> Holder:
        class Lent:
            @property
            def __cuda_array_interface__(self) -> dict[str, object]:
                return {**array.__cuda_array_interface__, **changes}

        return Lent()  # type: ignore[return-value]

    axpy(10, 2.0, lent(x), lent(y))
    gpu.synchronize()
    np.testing.assert_array_equal(y, 2)
    for changes, error in (
        ({"typestr": "<f4"}, TypeError),
        ({"strides": (16,)}, ValueError),
        ({"data": (1 << 20, True)}, ValueError),
        ({"mask": lent(x)}, ValueError),
        ({"typestr": ">f8"}, TypeError),
    ):
        with pytest.raises(error):
            axpy(10, 2.0, lent(x), lent(y, **changes))
