"""Networks that are built here, imported by tools/import_onnx.py, run on the CPU and compared with ONNX's reference evaluator.

    import_onnx.py SOURCE_DIR KILN       exit code 77: the package onnx is missing
"""

import pathlib
import subprocess
import sys
import tempfile

try:
    import numpy as np
    import onnx
    from onnx import TensorProto, helper, numpy_helper
    from onnx.reference import ReferenceEvaluator
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

SOURCE, KILN = pathlib.Path(sys.argv[1]), sys.argv[2]
NUMBERS = np.random.default_rng(7)


class Model:
    def __init__(self, shape):
        self.shape, self.nodes, self.constants, self.count = shape, [], [], 0

    def constant(self, array):
        self.count += 1
        self.constants.append(numpy_helper.from_array(np.asarray(array), f"c{self.count}"))
        return f"c{self.count}"

    def node(self, kind, inputs, name="", **attributes):
        self.count += 1
        self.nodes.append(helper.make_node(kind, inputs, [f"t{self.count}"], name=name or f"{kind.lower()}_{self.count}", **attributes))
        return f"t{self.count}"

    def conv(self, x, c, f, window, stride=1, pad=0, bias=False):
        w = NUMBERS.normal(0, (2 / (c * window * window)) ** 0.5, (f, c, window, window)).astype("f4")
        more = [self.constant(NUMBERS.normal(0, 0.1, f).astype("f4"))] if bias else []
        return self.node("Conv", [x, self.constant(w)] + more, kernel_shape=[window] * 2, strides=[stride] * 2, pads=[pad] * 4)

    def norm(self, x, c):
        numbers = [NUMBERS.uniform(0.5, 1, c), NUMBERS.normal(0, 0.1, c), NUMBERS.normal(0, 0.1, c), NUMBERS.uniform(0.5, 1.5, c)]
        return self.node("BatchNormalization", [x] + [self.constant(n.astype("f4")) for n in numbers], epsilon=1e-5)

    def gemm(self, x, inputs, outputs, transposed=True):
        w = NUMBERS.normal(0, (2 / inputs) ** 0.5, (outputs, inputs) if transposed else (inputs, outputs)).astype("f4")
        return self.node("Gemm", [x, self.constant(w), self.constant(NUMBERS.normal(0, 0.1, outputs).astype("f4"))], transB=int(transposed))

    def finish(self, y):
        graph = helper.make_graph(self.nodes, "network", [helper.make_tensor_value_info("input", TensorProto.FLOAT, self.shape)],
                                  [helper.make_tensor_value_info(y, TensorProto.FLOAT, None)], self.constants)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)


def resnet18():
    m = Model(["n", 3, 32, 32])
    x = m.node("Relu", [m.norm(m.conv("input", 3, 64, 7, 2, 3), 64)])
    x = m.node("MaxPool", [x], kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4)
    c = 64
    for f in (64, 128, 256, 512):
        for block in (0, 1):
            stride = 2 if f > 64 and block == 0 else 1
            between = m.node("Relu", [m.norm(m.conv(x, c, f, 3, stride, 1), f)])
            between = m.norm(m.conv(between, f, f, 3, 1, 1), f)
            if stride == 2:
                x = m.norm(m.conv(x, c, f, 1, 2), f)
            x = m.node("Relu", [m.node("Add", [between, x])])
            c = f
    x = m.node("Flatten", [m.node("GlobalAveragePool", [x])])
    return m.finish(m.gemm(x, 512, 10))


def vgg():
    m = Model(["n", 3, 16, 12])
    x, c = "input", 3
    for f in (8, 16):
        x = m.node("Relu", [m.conv(x, c, f, 3, 1, 1, True)])
        x = m.node("Relu", [m.conv(x, f, f, 3, 1, 1, True)])
        x = m.node("MaxPool", [x], kernel_shape=[2, 2], strides=[2, 2])
        c = f
    x = m.node("AveragePool", [x], kernel_shape=[3, 3], strides=[1, 1], pads=[1] * 4, count_include_pad=1)
    x = m.node("Reshape", [x, m.constant(np.array([0, -1]))])
    x = m.node("Dropout", [m.node("Relu", [m.gemm(x, 16 * 4 * 3, 40)])])
    return m.finish(m.gemm(x, 40, 9, False))


def mlp():
    m = Model(["n", 21])
    x = m.node("Tanh", [m.gemm("input", 21, 30)])
    w = NUMBERS.normal(0, 0.3, (30, 17)).astype("f4")
    x = m.node("Sigmoid", [m.node("Add", [m.node("MatMul", [x, m.constant(w)]), m.constant(NUMBERS.normal(0, 0.1, 17).astype("f4"))])])
    return m.finish(m.node("Identity", [m.gemm(x, 17, 5)]))


def constants():
    """Nodes Constant of each kind, operators of constants alone, a residual by Sum, and nodes with names that the workload has for something else."""
    m = Model(["n", 3, 4, 4])
    half = numpy_helper.from_array(np.array([0.5], "f4"))
    x = m.node("Relu", [m.conv("input", 3, 6, 3, 1, 1)], name="c")
    x = m.node("Sum", [m.conv(x, 6, 6, 3, 1, 1), x])
    x = m.node("ReduceMean", [x], name="batch", axes=[2, 3], keepdims=1)
    x = m.node("Reshape", [x, m.node("Constant", [], value_ints=[0, -1])])
    w = m.node("Transpose", [m.constant(NUMBERS.normal(0, 0.3, (4, 6)).astype("f4"))], perm=[1, 0])
    x = m.node("MatMul", [x, m.node("Identity", [m.node("Mul", [w, m.node("ConstantOfShape", [m.constant(np.array([6, 4]))], value=half)])])], name="h1")
    x = m.node("Tanh", [m.node("Add", [x, m.node("Constant", [], value_floats=[0.5, -0.25, 1.0, 2.0])])], name="d1")
    x = m.node("Add", [m.node("MatMul", [x, m.constant(NUMBERS.normal(0, 0.3, (4, 3)).astype("f4"))], name="input"), m.node("Constant", [], value_float=0.75)])
    return m.finish(x)


def run(*command):
    return subprocess.run([str(c) for c in command], capture_output=True, text=True, check=False)


def expect(condition, *shown):
    if not condition:
        print(*shown)
        sys.exit(1)


def check(folder, name, model, batch):
    onnx.save(model, folder / f"{name}.onnx")
    shape = [batch] + [d.dim_value for d in model.graph.input[0].type.tensor_type.shape.dim][1:]
    x = NUMBERS.normal(0, 1, shape).astype("f4")
    np.save(folder / "x.npy", x)
    np.save(folder / f"{name}_y.npy", ReferenceEvaluator(model).run(None, {"input": x})[0].astype("f4"))
    imported = run(sys.executable, SOURCE / "tools/import_onnx.py", folder / f"{name}.onnx", folder)
    expect(imported.returncode == 0, name, imported.stderr)
    done = run(KILN, "run", folder / f"{name}.yaml", "--device", "cpu", "--require-checks", "--output", folder / "out", "--set",
               f"input={folder}/x.npy", f"expected={folder}/{name}_y.npy", "bind.all=run")
    expect(done.returncode == 0, name, done.stdout, done.stderr)
    print(f"{name}: {imported.stdout.strip()}; agrees with ONNX's reference")
    other = NUMBERS.normal(0, 1, shape).astype("f4")  # the comparison can fail
    np.save(folder / f"{name}_y.npy", ReferenceEvaluator(model).run(None, {"input": other})[0].astype("f4"))
    wrong = run(KILN, "run", folder / f"{name}.yaml", "--device", "cpu", "--output", folder / "out", "--set", f"input={folder}/x.npy",
                f"expected={folder}/{name}_y.npy", "bind.all=run")
    expect(wrong.returncode == 1, name, "a wrong result was accepted", wrong.stdout)


def refused(folder, model, words):
    onnx.save(model, folder / "refused.onnx")
    result = run(sys.executable, SOURCE / "tools/import_onnx.py", folder / "refused.onnx", folder)
    expect(result.returncode == 2 and all(w in result.stderr for w in words), words, result.returncode, result.stderr)


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        check(folder, "mlp", mlp(), 5)
        check(folder, "vgg", vgg(), 3)
        check(folder, "constants", constants(), 2)
        check(folder, "resnet18", resnet18(), 2)
        m = Model(["n", 3, 8, 8])
        refused(folder, m.finish(m.node("Elu", [m.conv("input", 3, 8, 3)])), ["elu_", "Elu", "unknown operator", "Conv"])
        m = Model(["n", 4, 8, 8])
        w = m.constant(np.zeros((4, 2, 3, 3), "f4"))
        refused(folder, m.finish(m.node("Conv", ["input", w], kernel_shape=[3, 3], group=2)), ["conv_", "groups"])
        m = Model(["n", 3, 8, 8])
        m.nodes.append(helper.make_node("Relu", ["input"], ["b"], name="r"))
        m.nodes.append(helper.make_node("Conv", ["input", m.constant(np.zeros((8, 3, 3, 3), "f4")), "b"], ["y"], name="c", kernel_shape=[3, 3]))
        refused(folder, m.finish("y"), ["'c'", "the bias must be constant"])
        m = Model(["n", 3, 8, 8])
        normal = [m.constant(np.ones(8, "f4")) for _ in range(4)]
        x = m.node("BatchNormalization", [m.conv("input", 3, 8, 3), *normal], training_mode=1)
        refused(folder, m.finish(x), ["batchnormalization_", "training_mode"])
        m = Model(["n", 3, 8, 8])
        x = m.node("BatchNormalization", [m.conv("input", 3, 8, 3), normal[0], m.node("Relu", ["input"]), *normal[2:]])
        refused(folder, m.finish(x), ["batchnormalization_", "must be constant"])
        m = Model(["n", 3])
        refused(folder, m.finish(m.node("Add", ["input", m.node("Constant", [], value_string=b"s")])), ["constant_", "floats or integers", "value_string"])
        m = Model(["n", 3])
        bad = m.node("Reshape", [m.constant(np.zeros(6, "f4")), m.constant(np.array([4, -1]))])
        refused(folder, m.finish(m.node("Add", ["input", bad])), ["reshape_", "cannot be evaluated"])
        m = Model(["n", 3, 2, 2])
        refused(folder, m.finish(m.conv("input", 3, 8, 5)), ["conv_", "window"])


main()
