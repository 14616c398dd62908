"""The examples: the notebook is executed, the PyTorch operator's gradients are checked."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import kiln

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "python"


def outputs_of(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Executes a notebook of examples/python; the outputs of its cells."""
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    for module in ("ipykernel", "matplotlib", "pandas"):
        pytest.importorskip(module)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    package = str(Path(kiln.__file__).parents[1])  # also where the tests found it by PYTHONPATH
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([package, str(EXAMPLES), os.environ.get("PYTHONPATH", "")]))
    notebook = nbformat.read(EXAMPLES / f"{name}.ipynb", as_version=4)
    nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3").execute(cwd=str(tmp_path))
    return [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]


def pictures_of(outputs: list[Any]) -> int:
    return sum("image/png" in output.get("data", {}) for output in outputs)


def test_the_notebook_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    outputs = outputs_of("kiln", tmp_path, monkeypatch)
    kinds = {kind for output in outputs for kind in output.get("data", {})}
    assert {"image/png", "text/html"} <= kinds
    assert "stencil7" in str(outputs) or "bind.all" in str(outputs)


@pytest.mark.parametrize(
    ("name", "pictures", "figure"),
    [
        ("paper_mojo", 6, "3134"),  # the H200's first cell of docs/reproduction.md, Fig. 3
        ("paper_models", 4, "11.79"),
        ("paper_transpose", 2, "2775.49"),
        ("paper_lapis", 2, "54 times as fast"),
    ],
)
def test_the_notebooks_of_the_papers_run(
    name: str, pictures: int, figure: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Figures from the records in docs/data, and jobs that are small enough for a CPU."""
    monkeypatch.delenv("KILN_PAPER_DEVICE", raising=False)
    outputs = outputs_of(name, tmp_path, monkeypatch)
    assert pictures_of(outputs) == pictures
    assert figure in str(outputs)


@pytest.fixture
def torch_op() -> ModuleType:
    pytest.importorskip("torch")
    spec = importlib.util.spec_from_file_location("torch_op", EXAMPLES / "torch_op.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_gradients_of_the_torch_operator(torch_op: Any, device: kiln.Device) -> None:
    import torch

    if device.id != "cpu" and not torch.cuda.is_available():
        pytest.skip("this PyTorch sees no GPU")
    options = {"dtype": torch.float64, "device": device.id, "requires_grad": True}
    x = torch.randn(4, 5, **options)  # type: ignore[call-overload]
    beta = torch.tensor([0.7], **options)  # type: ignore[arg-type]
    assert torch.autograd.gradcheck(torch_op.swish, (x, beta))
    assert torch.autograd.gradcheck(lambda a, b: torch_op.swish(a.T, b), (x, beta))
    torch.library.opcheck(torch_op.swish, (x, beta))
    torch.library.opcheck(torch_op.swish, (x.detach().T, beta.detach()))


def test_the_torch_operator_agrees_with_torch(torch_op: Any, device: kiln.Device) -> None:
    import torch

    if device.id != "cpu" and not torch.cuda.is_available():
        pytest.skip("this PyTorch sees no GPU")
    for dtype in (torch.float32, torch.float64):
        x = torch.randn(1000, dtype=dtype, device=device.id, requires_grad=True)
        beta = torch.tensor([1.3], dtype=dtype, device=device.id, requires_grad=True)
        torch.testing.assert_close(torch_op.swish(x, beta), x * torch.sigmoid(beta * x))
        ours = torch.autograd.grad((torch_op.swish(x, beta) ** 2).sum(), (x, beta))
        theirs = torch.autograd.grad(((x * torch.sigmoid(beta * x)) ** 2).sum(), (x, beta))
        for one, other in zip(ours, theirs, strict=True):
            torch.testing.assert_close(one, other)
        compiled = torch.compile(
            lambda a, b: (torch_op.swish(2 * a, b) ** 2).sum(), backend="aot_eager", fullgraph=True
        )
        theirs = torch.autograd.grad((2 * x * torch.sigmoid(beta * 2 * x)).square().sum(), (x, beta))
        for one, other in zip(torch.autograd.grad(compiled(x, beta), (x, beta)), theirs, strict=True):
            torch.testing.assert_close(one, other)


def blocks_of(document: Path) -> dict[str, list[str]]:
    """The Python of a document, by its headings."""
    found: dict[str, list[str]] = {}
    heading, inside = "", False
    for line in document.read_text().splitlines():
        if line.startswith("```"):
            inside = line == "```python"
            if inside:
                found.setdefault(heading, []).append("")
        elif inside:
            found[heading][-1] += line + "\n"
        elif line.startswith("## "):
            heading = line[3:]
    return found


def test_the_document_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What docs/python.md shows and needs no GPU, one block after the other."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.chdir(EXAMPLES.parents[1])
    blocks = blocks_of(Path("docs/python.md"))
    known: dict[str, Any] = {}
    for heading in ("Quick start", "A kernel as a Python function"):
        exec(blocks[heading][0], known)
    assert known["y"].tolist() == [0.5] * 1000
    assert known["x"].tolist() == [2.0] * 1000
    pytest.importorskip("pandas")
    exec(blocks["Jobs and workloads"][0], known)
    assert known["records"].good
    assert {record.parameters["block"] for record in known["records"]} == {128, 256}


def test_the_tutorial_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """What docs/tutorials/embed_python.md shows, one block after the other."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    blocks = blocks_of(EXAMPLES.parents[1] / "docs" / "tutorials" / "embed_python.md")
    known: dict[str, Any] = {}
    for heading in ("A function", "A check of the arguments", "A constant"):
        exec(blocks[heading][0], known)
    said = capsys.readouterr().out.splitlines()
    assert said[0] == "2.5 compiled"
    assert "float" in said[1]
    assert said[-1] == "3.0"


def test_an_image_is_classified(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    for module in ("PIL", "matplotlib"):
        pytest.importorskip(module)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    spec = importlib.util.spec_from_file_location("classify", EXAMPLES / "classify.py")
    assert spec is not None and spec.loader is not None
    classify = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(classify)
    monkeypatch.setattr("sys.argv", ["classify.py"])
    classify.main()
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("The weights are random")
    assert lines[1] == "grace_hopper.jpg" and len(lines) == 7
    shares = [float(line.split("%")[0]) for line in lines[2:]]
    assert shares == sorted(shares, reverse=True) and 0 < sum(shares) <= 100


def test_a_trained_network_on_real_images(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    for module in ("sklearn", "torch", "torchvision"):
        pytest.importorskip(module)
    spec = importlib.util.spec_from_file_location("digits", EXAMPLES / "digits.py")
    assert spec is not None
    assert spec.loader is not None
    digits: Any = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(digits)
    monkeypatch.setattr("sys.argv", ["digits.py", "--epochs", "1", "--images", "2"])
    digits.main()
    shown = capsys.readouterr().out
    assert shown.count("written as") == 2
    assert "100.0% have PyTorch's label" in shown
    assert float(shown.rsplit(" by ", 1)[1].split()[0]) < 1e-5
