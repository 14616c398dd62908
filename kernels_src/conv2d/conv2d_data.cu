#include "conv2d.h"

// |y - the direct sum in double| over its bound, as in gemm; samples are outputs at random, all where there
// are few.
extern "C" __global__ void find_errors(double* __restrict__ errors, const T* __restrict__ y,
                                       const T* __restrict__ x, const T* __restrict__ w,
                                       const Sum* __restrict__ bias, int samples, double unit,
                                       double sum_epsilon, double out_epsilon, double smallest,
                                       const Params p) {
  const int s = int(kiln::global_index_x());
  if (s >= samples) return;
  const long long all = (long long)p.batch * p.out_h * p.out_w * p.filters;
  const unsigned long long bits = kiln::random_bits((unsigned long long)p.seed, (unsigned long long)s);
  long long at = all == samples ? s : (long long)(bits % (unsigned long long)all);
  const int filter = int(at % p.filters);
  at /= p.filters;
  const int q = int(at % p.out_w);
  at /= p.out_w;
  const int o = int(at % p.out_h);
  const long long image = at / p.out_h;
  const int channels = p.c / p.groups;
  const int first = filter / (p.filters / p.groups) * channels;
  double sum = 0;
  double squares = 0;
  for (int r = 0; r < p.filter_h; ++r) {
    for (int t = 0; t < p.filter_w; ++t) {
      const long long i = o * p.stride + r * p.dilation - p.padding;
      const long long j = q * p.stride + t * p.dilation - p.padding;
      if (i < 0 || i >= p.h || j < 0 || j >= p.w) continue;
      for (int c = 0; c < channels; ++c) {
        const long long from = Params::layout == 0 ? ((image * p.h + i) * p.w + j) * p.c + first + c
                                                   : ((image * p.c + first + c) * p.h + i) * p.w + j;
        const double product =
            double(float(x[from])) *
            double(float(w[(((long long)filter * p.filter_h + r) * p.filter_w + t) * channels + c]));
        sum += product;
        squares += product * product;
      }
    }
  }
  double value = sum + double(bias[filter]);
  if (p.relu && value < 0) value = 0;
  const long long to = Params::layout == 0 ? ((image * p.out_h + o) * p.out_w + q) * p.filters + filter
                                           : ((image * p.filters + filter) * p.out_h + o) * p.out_w + q;
  const double difference = fabs(double(float(y[to])) - value);
  const double depth = double(channels) * p.filter_h * p.filter_w;
  const double bound = sqrt(squares) * (8 * unit + 4 * sum_epsilon * sqrt(depth)) +
                       (out_epsilon + 2 * sum_epsilon) * (fabs(value) + fabs(double(bias[filter]))) +
                       smallest;
  errors[s] = difference == 0 ? 0 : difference / bound;
}
