"""A PyTorch operator whose forward and backward are Kiln kernels, on CPU and CUDA tensors: python torch_op.py [cpu|cuda].

swish(x, beta) = x / (1 + exp(-beta x)), differentiable in both arguments. One text serves every device and both precisions; a
launch goes to PyTorch's current stream.
"""

from __future__ import annotations

import functools
import sys

import torch

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


class Swish(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, beta):
        x = x.contiguous()
        y = torch.empty_like(x)
        function("forward", str(x.device), x.dtype)(x.numel(), x.detach(), beta.detach(), y)
        ctx.save_for_backward(x, beta)
        return y

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, grad):
        x, beta = ctx.saved_tensors
        grad_x, grad_beta = torch.empty_like(x), torch.empty_like(x)
        launch = function("backward", str(x.device), x.dtype)
        launch(x.numel(), x.detach(), beta.detach(), grad.contiguous(), grad_x, grad_beta)
        return grad_x, grad_beta.sum().reshape(beta.shape)


def swish(x: torch.Tensor, beta: torch.Tensor) -> torch.Tensor:
    """`beta` has one element, and the type and the device of `x`."""
    return Swish.apply(x, beta)


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
