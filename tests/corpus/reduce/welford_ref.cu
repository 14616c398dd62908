// Two passes over a column.
__device__ double average(const double* samples, int rows, int columns, int column) {
  double sum = 0;
  for (int r = 0; r < rows; ++r) sum += samples[r * columns + column];
  return sum / rows;
}
extern "C" __global__ void mean_of_columns(const double* samples, int rows, int columns, double* mean) {
  mean[blockIdx.x] = average(samples, rows, columns, blockIdx.x);
}
extern "C" __global__ void variance_of_columns(const double* samples, int rows, int columns, double* variance) {
  double mean = average(samples, rows, columns, blockIdx.x), sum = 0;
  for (int r = 0; r < rows; ++r) {
    double d = samples[r * columns + blockIdx.x] - mean;
    sum += d * d;
  }
  variance[blockIdx.x] = sum / (rows - 1);
}
