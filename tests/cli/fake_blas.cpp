// A library with some of CBLAS's functions and OpenBLAS's transposes, written for tests: each counts its
// calls in the file that FAKE_BLAS_CALLS names.
#include <cstdio>
#include <cstdlib>

namespace {

void count(const char* name) {
  const char* path = std::getenv("FAKE_BLAS_CALLS");
  std::FILE* file = path == nullptr ? nullptr : std::fopen(path, "a");
  if (file == nullptr) return;
  std::fprintf(file, "%s\n", name);
  std::fclose(file);
}

}  // namespace

extern "C" void cblas_somatcopy(int /*order*/, int /*trans*/, int rows, int columns, float alpha,
                                const float* a, int lda, float* b, int ldb) {
  count("cblas_somatcopy");
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < columns; ++c) b[long(c) * ldb + r] = alpha * a[long(r) * lda + c];
}

extern "C" void cblas_sgemm(int /*order*/, int trans_a, int trans_b, int m, int n, int k, float alpha,
                            const float* a, int lda, const float* b, int ldb, float beta, float* c, int ldc) {
  count("cblas_sgemm");
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      double sum = 0;
      for (int l = 0; l < k; ++l)
        sum += double(trans_a == 112 ? a[long(l) * lda + i] : a[long(i) * lda + l]) *
               double(trans_b == 112 ? b[long(j) * ldb + l] : b[long(l) * ldb + j]);
      float& to = c[long(i) * ldc + j];
      to = alpha * static_cast<float>(sum) + (beta == 0 ? 0 : beta * to);
    }
}
