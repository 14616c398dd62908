"""One service with an empty cache for all tests, and the devices that this machine has."""

from __future__ import annotations

from pathlib import Path

import pytest

import kiln

AXPY = """template <class T> __global__ void axpy(int n, T a, const T* x, T* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] += a * x[i];
}"""


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "gpu: needs a GPU that Kiln can use")


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="session")
def service(cache: Path) -> kiln.Service:
    return kiln.Service(application="kiln-tests", settings={"cache_dir": cache, "log_level": "error"})


@pytest.fixture(scope="session")
def cpu(service: kiln.Service) -> kiln.Device:
    return service.device("cpu")


def gpu_or_skip(service: kiln.Service) -> kiln.Device:
    reasons = []
    for name in ("cuda:0", "hip:0"):
        try:
            return service.device(name)
        except kiln.Error as error:
            reasons.append(str(error).split(": looked for", 1)[0].splitlines()[0])
    pytest.skip(f"no GPU: {reasons[0]}")


@pytest.fixture(params=["cpu", pytest.param("gpu", marks=pytest.mark.gpu)])
def device(request: pytest.FixtureRequest, service: kiln.Service) -> kiln.Device:
    """Each of the kinds of device in turn."""
    return service.device("cpu") if request.param == "cpu" else gpu_or_skip(service)


@pytest.fixture
def gpu(service: kiln.Service) -> kiln.Device:
    return gpu_or_skip(service)
