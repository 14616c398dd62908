"""Writes networks of convolutions as workloads: programs of the kernels in kernels_src/layers. Used by tools/resnet18.py and
tools/import_onnx.py.

A network is made layer by layer; a tensor is the name of a buffer of activations, [batch, height, width, channels]. Heights and
widths are expressions of the parameters image_h and image_w. Activations are temporary buffers, so that layers share memory. The
checks run the same layers in double.
"""

import os
import pathlib
import re

LAYERS = pathlib.Path(__file__).resolve().parent.parent / "kernels_src" / "layers"
FUNCTIONS = {"copy": 0, "relu": 1, "sigmoid": 2, "tanh": 3}


def name_of(text):
    """A name that a buffer may have."""
    name = re.sub(r"[^A-Za-z0-9_]+", "_", text).strip("_").lower() or "t"
    return name if not name[0].isdigit() else "n" + name


def shared_parts():
    """Parameters, `let`, constraints and kernels of layers.yaml, which a network has, too."""
    return (LAYERS / "layers.yaml").read_text().split("\nparameters:\n")[1].split("# end of the parts that networks share")[0]


class Tensor:
    """Activations in `buffer`: rows and columns (names of `let`, or numbers) and channels, of which the first `used` are the
    network's and the rest 0. `border`: the rows and columns of zeros on the first filter's sides are part of the tensor."""

    def __init__(self, buffer, h, w, c, used=None, border=False):
        self.buffer, self.h, self.w, self.c, self.used, self.border = buffer, h, w, c, used or c, border


class Network:
    def __init__(self, name, summary, description, image):
        """`image`: (channels, height, width) of the default input."""
        self.name, self.summary, self.description = name, summary, description
        self.channels, self.height, self.width = image
        self.lets = {}  # heights and widths: name -> expression
        self.values = {"image_h": self.height, "image_w": self.width}  # of the default image
        self.extents = {}  # expression -> name
        self.buffers, self.kernels = [], []  # lines of the file
        self.activations = {}  # buffer -> number of elements
        self.taken = {"x", "y", "parts", "arrived", "errors", "images", "place", "weights", "input", "expected", "seed", "exact"}
        self.taken |= set(re.findall(r"^  (\w+):", shared_parts(), re.MULTILINE))
        self.packed = {}  # filters -> the same packed
        self.multiply_adds = []
        self.steps = []  # (kernel, tensor, arguments, values, (kernel in double, its arguments), inputs)

    # -- sizes

    def extent(self, prefix, expression):
        """The name of an expression; equal expressions share theirs."""
        if expression not in self.extents:
            name = f"{prefix}{sum(1 for e in self.extents.values() if e[0] == prefix) + 1}"
            self.lets[name] = expression
            self.values[name] = eval(expression, {}, self.values)  # pylint: disable=eval-used
            self.extents[expression] = name
        return self.extents[expression]

    def after(self, extent, window, stride, padding, prefix):
        if window == 1 and stride == 1 and padding == 0 or 2 * padding + 1 == window and stride == 1:
            return extent
        margin = 2 * padding - window
        inner = f"({extent} {'-' if margin < 0 else '+'} {abs(margin)})" if margin else f"{extent}"
        result = self.extent(prefix, f"{inner} // {stride} + 1" if stride > 1 else f"{inner} + 1")
        if self.values[result] < 1:
            raise ValueError(f"a window of {window} does not fit {self.value(extent)} rows or columns")
        return result

    def value(self, extent):
        """Of a height or width, for the default image."""
        return self.values[extent] if isinstance(extent, str) else extent

    # -- layers

    def fresh(self, name):
        name = name_of(name)
        unique, n = name, 2
        while unique in self.taken or re.fullmatch(r"[hwd]\d+", unique):  # heights, widths, buffers in double
            unique, n = f"{name}_{n}", n + 1
        self.taken.add(unique)
        return unique

    def tensor(self, name, h, w, c, used=None, border=False):
        buffer = self.fresh(name)
        self.activations[buffer] = f"batch * {h} * {w} * {c}"
        return Tensor(buffer, h, w, c, used, border)

    def step(self, kernel, tensor, arguments, values, reference, inputs):
        """A launch and its counterpart in double; `reference` is its kernel and the arguments beside tensors."""
        self.steps.append((kernel, tensor, arguments, values, reference, inputs))
        return tensor

    def weights(self, name, shape, bound, bias):
        """Buffers of filters [f, r, s, c] and biases [f]; random within `bound` without files."""
        w, b = self.fresh(name + "_w"), self.fresh(name + "_b")
        extents = ", ".join(map(str, shape))
        self.buffers.append(f"{w}: {{type: T, shape: [{extents}], init: {{file: {{path: \"{{weights}}/{w}.npy\", format: npy}}, "
                            f"otherwise: {{uniform: [-{bound}, {bound}]}}}}}}")
        self.buffers.append(f"{b}: {{type: float, shape: [{shape[0]}], init: {{file: {{path: \"{{weights}}/{b}.npy\", "
                            f"format: npy}}, otherwise: {{uniform: [-{bias}, {bias}]}}}}}}")
        return w, b

    def input(self, first=None):
        """The tensor of the images. With `first`, the {window, stride, padding} of the convolution that alone reads it: where it
        halves the image, the images get 4 channels and a border, so that a line under a filter is one piece of memory."""
        c = self.channels
        if first and first["stride"] % 2 == 0 and c <= 4 and first["window"] > 1:
            window, stride, padding = first["window"], first["stride"], first["padding"]
            wide = window + window % 2
            h = self.extent("h", f"({self.after('image_h', window, stride, padding, 'h')} - 1) * {stride} + {window}")
            w = self.extent("w", f"({self.after('image_w', window, stride, padding, 'w')} - 1) * {stride} + {wide}")
            border_h, border_w = padding, padding + wide - window
            t = self.tensor("arranged", h, w, 4, c, True)
        else:
            border_h, border_w = 0, 0
            t = self.tensor("arranged", "image_h", "image_w", (c + 7) // 8 * 8, c)
        values = f"h: {t.h}, w: {t.w}, c: {t.c}, border_h: {border_h}, border_w: {border_w}"
        return self.step("arrange", t, "x: images", values, ("arrange_images_in_double", "x: images"), [])

    def convolve(self, name, x, filters, window, stride=1, padding=0, relu=False, add=None, bound=None):
        """y = [relu](filters over x + bias [+ add]); returns the tensor, and the names of its filters and biases."""
        fan = window[0] * window[1] * x.used
        w, b = self.weights(name, (filters, window[0], window[1], x.used), bound or f"{(6 / fan) ** 0.5:.4g}", "0.1")
        used, filter_w, inner = w, window[1], padding
        if x.border:
            filter_w, inner = window[1] + window[1] % 2, 0
        if x.c != x.used or filter_w != window[1]:
            used = self.fresh(w + "_arranged")
            elements = filters * window[0] * filter_w * x.c
            numbers = ", ".join(f"{{value: {n}, type: int}}" for n in (filters * window[0], window[1], x.used, filter_w, x.c))
            self.buffers.append(f"{used}: {{type: T, shape: [{filters}, {window[0]}, {filter_w}, {x.c}], init: {{kernel: arrange_{w}}}}}")
            self.kernels.append(f"arrange_{w}: {{source: @/arrange.cu, entry: arrange_filters, grid: [\"ceil_div({elements}, 128)\"], "
                                f"block: [128], args: [{used}, {w}, {numbers}]}}")
        depth = window[0] * filter_w * x.c
        elements = (filters + 63) // 64 * 64 * depth
        packed = self.packed[used] = self.fresh(w + "_packed")  # for a CPU
        self.buffers.append(f"{packed}: {{type: float, shape: [\"operation == vectors ? {elements} : 1\"], init: {{kernel: pack_{w}}}}}")
        self.kernels.append(f"pack_{w}: {{source: @/arrange.cu, entry: pack_filters, grid: [\"operation == vectors ? ceil_div({elements}, 128) : 1\"], "
                            f"block: [128], args: [{packed}, {used}, {{value: \"operation == vectors ? {filters} : 0\", type: int}}, {{value: {depth}, type: int}}]}}")
        of = ("image_h", "image_w") if x.border else (x.h, x.w)
        out_h, out_w = (self.after(of[i], window[i], stride, padding, "hw"[i]) for i in (0, 1))
        y = self.tensor(name, out_h, out_w, filters)
        self.multiply_adds.append(f"batch * {out_h} * {out_w} * {filters} * {fan}")
        values = (f"h: {x.h}, w: {x.w}, c: {x.c}, filters: {filters}, filter_h: {window[0]}, filter_w: {filter_w}, stride: {stride}, "
                  f"padding: {inner}, relu: {str(relu).lower()}, add: {str(add is not None).lower()}")
        self.step("convolve", y, f"weights: {used}, bias: {b}", values, ("convolve_in_double", f"weights: {used}, bias: {b}"),
                  [("x", x), ("residual", add or x)])
        return y, w, b

    def pool(self, name, x, kind, window, stride, padding, count_padding=False):
        h, w = (self.after(x.h, window[0], stride, padding, "h"), self.after(x.w, window[1], stride, padding, "w"))
        y = self.tensor(name, h, w, x.c, x.used)
        values = (f"h: {x.h}, w: {x.w}, c: {x.c}, filter_h: {window[0]}, filter_w: {window[1]}, stride: {stride}, padding: {padding}, "
                  f"count_padding: {str(count_padding).lower()}")
        return self.step(kind + "_pool", y, "", values, ("pool_in_double", f"average: {int(kind == 'average')}"), [("x", x)])

    def average_all(self, name, x):
        y = self.tensor(name, 1, 1, x.c, x.used)
        values = f"h: {x.h}, w: {x.w}, c: {x.c}, filter_h: {x.h}, filter_w: {x.w}, stride: 1, padding: 0, count_padding: false"
        return self.step("average_pool", y, "", values, ("pool_in_double", "average: 1"), [("x", x)])

    def pointwise(self, name, x, function="copy", add=None):
        y = self.tensor(name, x.h, x.w, x.c, x.used)
        values = f"h: {x.h}, w: {x.w}, c: {x.c}, function: {FUNCTIONS[function]}, add: {str(add is not None).lower()}"
        return self.step("pointwise", y, "", values, ("pointwise_in_double", ""), [("x", x), ("other", add or x)])

    # -- the file

    def text(self, output, folder, job=False, weights=""):
        """The workload, whose last layer makes the result y; `folder` is where the file will be. As a job: with the workload
        inside. `weights` is the default of the folder with the files of the filters."""
        final = self.steps[-1][1].buffer
        rename = {final: "y"}
        sources = os.path.relpath(LAYERS, folder) if LAYERS.parent in pathlib.Path(folder).resolve().parents else str(LAYERS)
        shared = shared_parts()
        for parameter, value in (("image_h", self.height), ("image_c", self.channels)):
            shared = re.sub(rf"(  {parameter}: .*?default: )\d+", rf"\g<1>{value}", shared)
        if self.width != self.height:
            shared = shared.replace("default: image_h,", f"default: {self.width},")
        shared = re.sub(r"(  batch: .*?)\}, min: 1, help: images\}", r'\1}, min: 1, from: {file: "{input}", format: npy, index: 0}, help: images}', shared)
        shared = shared.replace("source: ", f"source: {sources}/")
        self.lets.setdefault("exact", "T == float && operation != mma && operation != wgmma")
        lets = [f"  {name}: \"{expression}\"" for name, expression in self.lets.items()]
        shared = shared.replace("\nconstraints:\n", "\n  # heights and widths; whether sums are in float\n" + "\n".join(lets) + "\n\nconstraints:\n")
        last = self.steps[-1][1]
        numbers = f"{last.h} * {last.w} * {last.c}"
        lines = [f"# Written by {output}; the parts up to `kernels` are those of {sources}/layers.yaml.",
                 f"workload: {self.name}", f"summary: {self.summary}", "description: |"]
        lines += ["  " + line for line in self.description.strip().splitlines()]
        lines += ["", "parameters:",
                  f"  weights:   {{type: path, default: \"{weights}\", help: folder of the filters and biases; else random numbers}}",
                  "  input:     {type: path, default: \"\", help: \"images, NumPy's file of batch x channels x rows x columns; else random numbers\"}",
                  "  expected:  {type: path, default: \"\", help: \"results to compare with, NumPy's file\"}"]
        lines += [shared.rstrip()]
        lines += ["  " + k.replace("@", sources) for k in self.kernels]
        lines += ["", "buffers:",
                  "  images: {type: float, shape: [batch, image_c, image_h, image_w], init: {file: {path: \"{input}\", format: npy}, otherwise: {normal: [0, 1]}}}"]
        lines += ["  " + b for b in self.buffers]
        lines += [f"  {name}: {{type: T, shape: [\"{elements}\"], temporary: true}}" for name, elements in self.activations.items() if name != final]
        lines += [f"  y: {{type: T, shape: [batch, \"{numbers}\"]}}",
                  "  parts: {type: float, shape: [part_limit], temporary: true}",
                  "  arrived: {type: int, shape: [4096], init: 0}",
                  "  place: {type: T, shape: [1]}   # stands for activations and filters where a kernel has tensor maps of them"]
        run, checks, doubles = self.launches(rename)
        lines += doubles + ["  errors: {type: double, shape: [batch]}", "", "inputs:  [images]", "outputs: [y]", "", "run:"] + run
        lines += ["", "verify:", "  run:"] + checks
        lines += [f"    - {{kernel: find_errors, args: {{errors: errors, y: y, reference: {self.result}, numbers: \"{numbers}\"}}}}",
                  "  checks:",
                  "    - {name: \"each image against the network in double, by norm\", buffer: errors, expected: 0, "
                  "atol: \"exact ? 1e-4 : T == bfloat16 ? 1e-1 : 2e-2\"}",
                  "    - {name: \"against the given results\", when: \"expected\", buffer: y, file: {path: \"{expected}\", format: npy}, "
                  "rtol: \"exact ? 1e-3 : 5e-2\", atol: \"exact ? 1e-3 : 5e-2\"}",
                  "", "metrics:", "  images_per_second: {unit: 1/s, value: batch / time, higher_is: better}",
                  "  arithmetic: {unit: GFLOP/s, value: \"2e-9 * (" + " + ".join(self.multiply_adds or ["0"]) + ") / time\", higher_is: better}",
                  "", "tune:", "  sizes_by: [batch, image_h, image_w]", "  values: {}", ""]
        text = "\n".join(lines)
        if not job:
            return "# yaml-language-server: $schema=../../schemas/workload.schema.json\n" + text
        head, rest = text.split("\n", 1)
        return (head + "\nworkload:\n" + "\n".join("  " + line if line else "" for line in rest.splitlines()) +
                "\ndevice: auto\nwisdom: true\nset: {graph: true}\nmeasure: {min_time: 0.2 s, max_time: 2 s}\n")

    def launches(self, rename):
        last = {}
        for i, (_, _, _, _, _, inputs) in enumerate(self.steps):
            for _, t in inputs:
                last[t.buffer] = i
        pool, held, sizes = [], {}, []
        run, checks = [], []
        for i, (kernel, y, arguments, values, (reference, more), inputs) in enumerate(self.steps):
            free = next((n for n, owner in enumerate(pool) if owner is None), len(pool))
            if free == len(pool):
                pool.append(None)
                sizes.append([])
            pool[free] = y.buffer
            held[y.buffer] = free
            sizes[free].append(self.activations[y.buffer])
            tensors = ", ".join(f"{name}: {rename.get(t.buffer, t.buffer)}" for name, t in inputs)
            out = rename.get(y.buffer, y.buffer)
            given = ", ".join(filter(None, [f"y: {out}", tensors, arguments]))
            when = ", when: operation != wgmma && operation != wgmma_split && operation != vectors" if kernel == "convolve" else ""
            wisdom = ", wisdom: layers" if kernel == "convolve" else ""
            run.append(f"  - {{kernel: {kernel}, as: {y.buffer}{when}, args: {{{given}}}, with: &{y.buffer} {{{values}}}{wisdom}}}")
            if kernel == "convolve":
                on_cpu = re.sub(r"weights: (\w+)", lambda used: f"packed: {self.packed[used.group(1)]}", given)
                run.append(f"  - {{kernel: convolve_vectors, as: {y.buffer}, when: operation == vectors, args: {{{on_cpu}}}, with: *{y.buffer}{wisdom}}}")
            if kernel == "convolve":  # by instructions of a warpgroup, where boxes of 128 bytes of channels and pixels beside each other are
                x = inputs[0][1]
                other, values_of = ("convolve_wgmma", f"*{y.buffer}") if x.c % 64 == 0 else ("convolve", f"{{<<: *{y.buffer}, operation: mma}}")
                run.append(f"  - {{kernel: {other}, as: {y.buffer}, when: operation == wgmma, args: {{{given}}}, with: {values_of}{wisdom}}}")
                other, values_of = ("convolve_wgmma_split", f"*{y.buffer}") if x.c % 32 == 0 else ("convolve", f"{{<<: *{y.buffer}, operation: split}}")
                run.append(f"  - {{kernel: {other}, as: {y.buffer}, when: operation == wgmma_split, args: {{{given}}}, with: {values_of}{wisdom}}}")
            tensors = ", ".join(f"{name}: d{held[t.buffer] + 1}" for name, t in inputs)
            given = ", ".join(filter(None, [f"y: d{free + 1}", tensors, more]))
            checks.append(f"    - {{kernel: {reference}, as: {y.buffer}_in_double, args: {{{given}}}, with: *{y.buffer}}}")
            for _, t in inputs:
                if last[t.buffer] == i and t.buffer in held and t.buffer != y.buffer:
                    pool[held[t.buffer]] = None
        self.result = f"d{held[self.steps[-1][1].buffer] + 1}"
        doubles = []
        for n, elements in enumerate(sizes):
            unique = list(dict.fromkeys(elements))
            largest = unique[0]
            for e in unique[1:]:
                largest = f"max({largest}, {e})"
            doubles.append(f"  d{n + 1}: {{type: double, shape: [\"{largest}\"]}}")
        return run, checks, doubles
