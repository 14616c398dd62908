#!/usr/bin/env python3
"""Turns a network of convolutions in an ONNX file into a job of Kiln: a program of the kernels in kernels_src/layers, and its weights.

    tools/import_onnx.py resnet18.onnx FOLDER          # writes FOLDER/resnet18.yaml and FOLDER/resnet18/*.npy
    kiln run FOLDER/resnet18.yaml --set input=images.npy T=half

Known operators: Conv, Gemm, MatMul, BatchNormalization, Relu, Sigmoid, Tanh, Add, Sum of two, MaxPool, AveragePool,
GlobalAveragePool, ReduceMean over rows and columns, Flatten, Reshape, Squeeze, Identity, Dropout. Operators of constants alone
are evaluated by ONNX's reference. Batch norm is folded into the convolution or product before it; a residual and a ReLU become
part of the convolution. Other operators are named with their node, and the exit code is 2. The batch is a parameter of the job.
Results are stored as batch, rows, columns, channels.
Needs the packages onnx and numpy.
"""

import argparse
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import network  # noqa: E402  (beside this file)

try:
    import numpy as np
    import onnx
    from onnx import numpy_helper
    from onnx.reference import ReferenceEvaluator
except ImportError as missing:
    print(f"import_onnx.py: error: {missing}; pip install onnx", file=sys.stderr)
    sys.exit(2)

ACTIVATIONS = {"Relu": "relu", "Sigmoid": "sigmoid", "Tanh": "tanh"}
SAME = {"Flatten", "Reshape", "Squeeze", "Identity", "Dropout"}


class Unknown(Exception):
    """What this tool cannot import, with its node."""


def described(node):
    return f"node '{node.name or node.output[0]}' ({node.op_type})"


def attributes(node):
    return {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}


def is_sum(node):
    return node.op_type == "Add" or node.op_type == "Sum" and len(node.input) == 2


def require(condition, node, message):
    if not condition:
        raise Unknown(f"{described(node)}: {message}")


def values_of(node, constants, opset):
    """The results of a node whose inputs are constant, by ONNX's reference: Constant, ConstantOfShape, Transpose of a weight, ..."""
    for key in ("value_string", "value_strings", "sparse_value"):
        require(node.op_type != "Constant" or key not in attributes(node), node, f"expected a tensor, floats or integers; found {key}")
    try:
        return ReferenceEvaluator(node, opsets={"": opset}).run(None, {i: constants[i] for i in node.input if i})
    except Exception as error:  # whatever that operator's implementation raises
        raise Unknown(f"{described(node)}: cannot be evaluated ({error})") from None


class Product:
    """A convolution or a product with constant weights, with what is folded into it."""

    def __init__(self, node, x, weights, bias, stride, padding):
        self.node, self.x, self.weights, self.bias, self.stride, self.padding = node, x, weights, bias, stride, padding
        self.flat = weights.ndim == 2  # [outputs, inputs]
        self.add = None
        self.relu = False
        self.output = node.output[0]


class Importer:
    def __init__(self, model, name):
        graph = model.graph
        opset = next(o.version for o in model.opset_import if o.domain in ("", "ai.onnx"))
        self.constants = {t.name: numpy_helper.to_array(t) for t in graph.initializer}
        self.nodes = []
        for node in graph.node:
            if all(i in self.constants for i in node.input if i):
                self.constants.update(zip(node.output, values_of(node, self.constants, opset)))
            else:
                self.nodes.append(node)
        inputs = [i for i in graph.input if i.name not in self.constants]
        if len(inputs) != 1 or len(graph.output) != 1:
            raise Unknown(f"expected a graph of one input and one output; found {len(inputs)} and {len(graph.output)}")
        self.result = graph.output[0].name
        self.input = inputs[0].name
        extents = [d.dim_value for d in inputs[0].type.tensor_type.shape.dim]
        if len(extents) not in (2, 4) or 0 in extents[1:]:
            raise Unknown(f"input '{self.input}': expected batch x channels [x rows x columns] with known sizes; found {extents}")
        image = (extents[1], 1, 1) if len(extents) == 2 else tuple(extents[1:])
        self.net = network.Network(network.name_of(name), f"The network of {name}", f"Imported from ONNX (opset {opset}).", image)
        self.users = {}
        for node in self.nodes:
            for i in node.input:
                self.users.setdefault(i, []).append(node)
        self.users.setdefault(self.result, []).append(None)
        self.files = {}

    def only_user(self, value):
        """The node that alone reads the value; None where there are several, or where it is the result."""
        users = self.users.get(value, [])
        return users[0] if len(users) == 1 else None

    def constant(self, node, index, what):
        """The numbers of an input, in double."""
        require(node.input[index] in self.constants, node, f"{what} must be constant")
        return self.constants[node.input[index]].astype("f8")

    # -- folding: a list of Product and other nodes

    def product(self, node):
        a = attributes(node)
        if node.op_type == "Conv":
            weights = self.constant(node, 1, "filters")
            require(weights.ndim == 4, node, f"expected filters of 4 dimensions; found {weights.ndim}")
            require(a.get("group", 1) == 1, node, f"groups are not supported; found {a.get('group')}")
            require(set(a.get("dilations", [1])) == {1}, node, f"dilations are not supported; found {a.get('dilations')}")
            stride, padding = self.window(node, a)
            bias = self.constant(node, 2, "the bias") if len(node.input) > 2 and node.input[2] else np.zeros(len(weights))
            return Product(node, node.input[0], weights, bias, stride, padding)
        weights = self.constant(node, 1, "the second operand")
        require(weights.ndim == 2, node, f"expected a matrix; found {weights.ndim} dimensions")
        if node.op_type == "MatMul":
            return Product(node, node.input[0], weights.T, np.zeros(weights.shape[1]), 1, 0)
        require(not a.get("transA", 0), node, "transA is not supported")
        weights = (weights if a.get("transB", 0) else weights.T) * a.get("alpha", 1.0)
        bias = self.constant(node, 2, "the bias") * a.get("beta", 1.0) if len(node.input) > 2 and node.input[2] else 0.0
        return Product(node, node.input[0], weights, np.zeros(len(weights)) + bias, 1, 0)

    @staticmethod
    def window(node, a):
        strides, pads = a.get("strides", [1, 1]), a.get("pads", [0, 0, 0, 0])
        require(a.get("auto_pad", b"NOTSET") in (b"NOTSET", b"VALID"), node, "auto_pad is not supported; export explicit pads")
        require(len(set(strides)) == 1 and len(set(pads)) == 1, node, f"expected one stride and one pad; found {strides} and {pads}")
        return strides[0], pads[0]

    def folded(self):
        """Nodes in order, products with what belongs to them, at the place of the last node of each."""
        items, made, pending = [], {}, {}
        for node in self.nodes:
            kind = node.op_type
            if kind in ("Conv", "Gemm", "MatMul"):
                item = self.product(node)
            else:
                item = self.fold(node, pending)
                if item is None:
                    items.append(node)
                    continue
                items.remove(item)
                del pending[item.output]
                item.output = node.output[0]
            items.append(item)
            made[item.output] = item
            pending[item.output] = item
        return items

    def fold(self, node, pending):
        """The product that the node becomes part of, or None."""
        if node.op_type == "BatchNormalization":
            item = pending.get(node.input[0])
            require(item is not None and self.only_user(node.input[0]) is node and item.add is None and not item.relu, node,
                    "expected a convolution or a product before it, whose result nothing else reads")
            require(not attributes(node).get("training_mode", 0), node, "training_mode is not supported; export the model in inference mode")
            gamma, beta, mean, variance = (self.constant(node, i, "what normalises") for i in range(1, 5))
            scale = gamma / np.sqrt(variance + attributes(node).get("epsilon", 1e-5))
            item.weights = item.weights * scale.reshape((-1,) + (1,) * (item.weights.ndim - 1))
            item.bias = (item.bias - mean) * scale + beta
            return item
        if node.op_type == "Relu":
            item = pending.get(node.input[0])
            if item is not None and self.only_user(node.input[0]) is node and not item.relu:
                item.relu = True
                return item
        if is_sum(node):
            for value, other in (node.input, reversed(node.input)):
                item = pending.get(value)
                if item is None or item.relu or item.add or self.only_user(value) is not node:
                    continue
                if other not in self.constants:
                    item.add = other
                    return item
                constant = self.constants[other].astype("f8")
                if item.flat and constant.size in (1, len(item.bias)):
                    item.bias = item.bias + constant.reshape(-1)
                    return item
        return None

    # -- layers

    def run(self):
        items = self.folded()
        first = None
        user = self.only_user(self.input)
        if user is not None and user.op_type == "Conv":
            w = self.product(user)
            first = {"window": w.weights.shape[2], "stride": w.stride, "padding": w.padding}
            if w.weights.shape[2] != w.weights.shape[3]:
                first = None
        self.tensors = {self.input: self.net.input(first)}
        for item in items:
            node = item.node if isinstance(item, Product) else item
            try:
                if isinstance(item, Product):
                    self.tensors[item.output] = self.convolve(item)
                else:
                    self.tensors[item.output[0]] = self.layer(item)
            except KeyError as value:
                raise Unknown(f"{described(node)}: its input {value} is not the result of a layer") from None
            except ValueError as error:
                raise Unknown(f"{described(node)}: {error}") from None
        if self.result not in self.tensors or self.tensors[self.result] is not self.net.steps[-1][1]:
            self.tensors[self.result] = self.net.pointwise("result", self.tensors[self.result])

    def convolve(self, item):
        x = self.tensors[item.x]
        window, weights = (1, 1), item.weights
        if item.flat:  # of channels, rows, columns, which are stored as rows, columns, channels
            window = (self.net.value(x.h), self.net.value(x.w))
            inputs = window[0] * window[1] * x.used
            require(weights.shape[1] == inputs, item.node, f"expected {inputs} inputs; found {weights.shape[1]}")
            weights = weights.reshape(len(weights), x.used, *window)
        else:
            window = weights.shape[2:]
            require(weights.shape[1] == x.used, item.node, f"expected filters of {x.used} channels; found {weights.shape[1]}")
        add = self.tensors[item.add] if item.add else None
        name = item.node.name or item.node.output[0]
        y, w, b = self.net.convolve(name, x, len(weights), window, item.stride, item.padding, item.relu, add)
        if add is not None:
            shape = [self.net.value(y.h), self.net.value(y.w), y.c]
            other = [self.net.value(add.h), self.net.value(add.w), add.c]
            require(shape == other, item.node, f"is added to a tensor of another shape, {other} in place of {shape}")
        self.files[w] = np.ascontiguousarray(weights.transpose(0, 2, 3, 1), "f4")
        self.files[b] = item.bias.astype("f4")
        return y

    def layer(self, node):
        a = attributes(node)
        name = node.name or node.output[0]
        kind = node.op_type
        if is_sum(node):
            left, right = (self.tensors[i] for i in node.input)
            shapes = [[self.net.value(t.h), self.net.value(t.w), t.c] for t in (left, right)]
            require(shapes[0] == shapes[1], node, f"expected tensors of one shape; found {shapes[0]} and {shapes[1]}")
            return self.net.pointwise(name, left, "copy", right)
        x = self.tensors[node.input[0]]
        if kind in SAME:
            following = self.only_user(node.output[0])
            one = self.net.value(x.h) == 1 and self.net.value(x.w) == 1
            require(one or kind in ("Identity", "Dropout") or following is None or following.op_type in ("Gemm", "MatMul") or following.op_type in SAME,
                    node, "a change of shape must come before a product or the result")
            return x
        if kind in ACTIVATIONS:
            return self.net.pointwise(name, x, ACTIVATIONS[kind])
        if kind in ("MaxPool", "AveragePool"):
            require(not a.get("ceil_mode", 0), node, "ceil_mode is not supported")
            require(set(a.get("dilations", [1])) == {1}, node, f"dilations are not supported; found {a.get('dilations')}")
            require(len(node.output) == 1, node, "indices are not supported")
            stride, padding = self.window(node, a)
            return self.net.pool(name, x, "max" if kind == "MaxPool" else "average", a["kernel_shape"], stride, padding, bool(a.get("count_include_pad", 0)))
        if kind == "GlobalAveragePool" or kind == "ReduceMean" and self.axes(node, a) == [2, 3]:
            return self.net.average_all(name, x)
        raise Unknown(f"{described(node)}: unknown operator; expected one of Conv, Gemm, MatMul, BatchNormalization, Add, MaxPool, AveragePool, "
                      f"GlobalAveragePool, ReduceMean over rows and columns, {', '.join(list(ACTIVATIONS) + sorted(SAME))}")

    def axes(self, node, a):
        axes = a.get("axes")
        if axes is None and len(node.input) > 1 and node.input[1] in self.constants:
            axes = self.constants[node.input[1]].tolist()
        return sorted(i % 4 for i in axes or [])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=pathlib.Path, help="file of ONNX")
    parser.add_argument("folder", type=pathlib.Path, help="where the job and its weights are written")
    arguments = parser.parse_args()
    name = network.name_of(arguments.model.stem)
    try:
        if not arguments.model.is_file():
            raise Unknown("no such file")
        importer = Importer(onnx.load(arguments.model), name)
        importer.run()
    except (Unknown, onnx.checker.ValidationError) as error:
        print(f"import_onnx.py: error: {arguments.model}: {error}", file=sys.stderr)
        sys.exit(2)
    weights = arguments.folder / name
    weights.mkdir(parents=True, exist_ok=True)
    for file, numbers in importer.files.items():
        np.save(weights / f"{file}.npy", numbers)
    job = arguments.folder / f"{name}.yaml"
    job.write_text(importer.net.text("tools/import_onnx.py", arguments.folder, True, str(weights.resolve())))
    print(f"{job}: {len(importer.net.steps)} layers, {sum(f.size for f in importer.files.values())} weights in {weights}")


if __name__ == "__main__":
    main()
