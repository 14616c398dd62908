"""A PyTorch operator whose forward and backward are Kiln kernels, on CPU and CUDA tensors: python torch_op.py [cpu|cuda].

swish(x, beta) = x / (1 + exp(-beta x)), differentiable in both arguments. It is registered as kiln_example::swish, so that
torch.compile takes it into a graph. One text serves every device and both precisions; a launch goes to PyTorch's current stream.
"""

import functools
import sys

import torch
from torch import Tensor

import kiln

TEXT = """
template <class T> __device__ T sigmoid(T x) { return T(1) / (T(1) + exp(-x)); }

template <class T> __global__ void forward(long n, const T* x, const T* beta, T* y) {
  const long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] * sigmoid(beta[0] * x[i]);
}

// grad_beta holds each element's part; their sum is the gradient.
template <class T> __global__ void backward(long n, const T* x, const T* beta, const T* grad, T* grad_x, T* grad_beta) {
  const long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
  if (i >= n) return;
  const T s = sigmoid(beta[0] * x[i]);
  const T slope = s * (T(1) - s);
  grad_x[i] = grad[i] * (s + beta[0] * x[i] * slope);
  grad_beta[i] = grad[i] * x[i] * x[i] * slope;
}
"""

C_TYPES = {torch.float32: "float", torch.float64: "double"}


@functools.cache
def program() -> kiln.Program:
    return kiln.Service(application="kiln-torch-op").program("swish.cu", TEXT)


@functools.cache
def function(name: str, device: str, dtype: torch.dtype) -> kiln.Function:
    return program().function(name, device=device, template=[C_TYPES[dtype]], block=256, cover="n")


@torch.library.custom_op("kiln_example::swish", mutates_args=())
def swish(x: Tensor, beta: Tensor) -> Tensor:
    """`beta` has one element, and the type and the device of `x`."""
    x = x.contiguous()
    y = torch.empty_like(x)
    function("forward", str(x.device), x.dtype)(x.numel(), x, beta, y)
    return y


@torch.library.custom_op("kiln_example::swish_backward", mutates_args=())
def swish_backward(x: Tensor, beta: Tensor, grad: Tensor) -> tuple[Tensor, Tensor]:
    """The gradients of x and, element by element, of beta."""
    x = x.contiguous()
    grad_x, grad_beta = torch.empty_like(x), torch.empty_like(x)
    launch = function("backward", str(x.device), x.dtype)
    launch(x.numel(), x, beta, grad.contiguous(), grad_x, grad_beta)
    return grad_x, grad_beta


def empty(x: Tensor) -> Tensor:
    return torch.empty_like(x, memory_format=torch.contiguous_format)


# Shapes and types of the results, for torch.compile.
swish.register_fake(lambda x, beta: empty(x))
swish_backward.register_fake(lambda x, beta, grad: (empty(x), empty(x)))


def backward(ctx, grad: Tensor) -> tuple[Tensor, Tensor]:
    x, beta = ctx.saved_tensors
    grad_x, grad_beta = swish_backward(x, beta, grad)
    return grad_x, grad_beta.sum().reshape(beta.shape)


swish.register_autograd(backward, setup_context=lambda ctx, inputs, output: ctx.save_for_backward(*inputs))


def main() -> None:
    device = sys.argv[1] if len(sys.argv) > 1 else "cuda" if torch.cuda.is_available() else "cpu"
    device = "cuda:0" if device == "cuda" else device
    x = torch.randn(6, 7, dtype=torch.float64, device=device, requires_grad=True)
    beta = torch.tensor([1.5], dtype=torch.float64, device=device, requires_grad=True)
    print("gradcheck:", torch.autograd.gradcheck(swish, (x, beta)))
    difference = (swish(x, beta) - x * torch.sigmoid(beta * x)).abs().max().item()
    print(f"largest difference from x * torch.sigmoid(beta * x): {difference:.1e}")
    print(function("forward", device, x.dtype).info)


if __name__ == "__main__":
    main()
