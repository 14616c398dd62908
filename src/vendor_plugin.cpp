// libkiln_vendor.so: trial/vendor_plugin.h over cuBLAS, cuSPARSE and an OpenBLAS; cuDNN is in
// vendor_plugin_cudnn.cpp.
#include <algorithm>
#include <cstdio>
#include <cstring>

#include "trial/vendor_call.h"

namespace kiln::vendor {
namespace {

/// Products of matrices that lie row by row, as a library that takes them column by column sees them: the
/// transposed product, of b and a.
struct Product {
  int m, n, k;
  int transposed_b, transposed_a;
  int pitch_b, pitch_a;
  explicit Product(const Arguments& of)
      : m(of.whole("m")),
        n(of.whole("n")),
        k(of.whole("k")),
        transposed_b(of.whole("trans_b")),
        transposed_a(of.whole("trans_a")),
        pitch_b(transposed_b != 0 ? k : n),
        pitch_a(transposed_a != 0 ? m : k) {}
};

// Numbers of CUDA's library_types.h, cublas_api.h and cusparse.h.
constexpr int kFloat = 0, kDouble = 1, kHalf = 2, kBfloat16 = 14;
constexpr int kCompute32F = 68, kCompute64F = 70, kComputeTf32 = 77;
constexpr int kDefaultAlgorithm = -1;
constexpr int kIndices32 = 2;

int cuda_type(const std::string& type) {
  static const std::map<std::string, int> types = {
      {"float", kFloat}, {"double", kDouble}, {"half", kHalf}, {"bfloat16", kBfloat16}};
  const auto found = types.find(type);
  if (found == types.end()) throw Error("it does not take elements of the type " + type);
  return found->second;
}

/// cuBLAS with a handle on the request's stream.
class Cublas {
 public:
  explicit Cublas(const kiln_vendor_request& request)
      : Cublas(Context(request), open_first(request, versions("libcublas.so", {13, 12, 11}))) {
    context_.with([&] {
      require(function<int(void**)>(library_, "cublasCreate_v2")(&handle_), "cublasCreate");
      require(function<int(void*, void*)>(library_, "cublasSetStream_v2")(handle_, request.stream),
              "cublasSetStream");
      function<int(void*, int*)>(library_, "cublasGetVersion_v2")(handle_, &version_);
    });
  }
  ~Cublas() {
    if (handle_ == nullptr) return;
    context_.release([&] { get<int(void*)>("cublasDestroy_v2")(handle_); });
  }
  Cublas(const Cublas&) = delete;
  Cublas& operator=(const Cublas&) = delete;

  template <class Function>
  [[nodiscard]] Function* get(const char* name) const {
    return function<Function>(library_, name);
  }
  /// `call(handle)` gives a status.
  template <class Make>
  void run(const char* name, const Make& call) const {
    require(context_.with([&] { return call(handle_); }), name);
  }
  /// "cublasGemmEx of cuBLAS 13.0.2"
  [[nodiscard]] std::string name_of(const std::string& routine) const {
    return routine + " of cuBLAS " + std::to_string(version_ / 10000) + "." +
           std::to_string(version_ / 100 % 100) + "." + std::to_string(version_ % 100);
  }

 private:
  /// Holds nothing of the device; the destructor runs if what follows fails.
  Cublas(const Context& context, Library library) : context_(context), library_(std::move(library)) {}

  Context context_;
  Library library_;
  void* handle_ = nullptr;
  int version_ = 0;
};

/// alpha and beta as a computation takes them.
struct Factors {
  bool in_double;
  double doubles[2];
  float floats[2];
  Factors(const Arguments& of, bool wide)
      : in_double(wide),
        doubles{of.number("alpha"), of.number("beta")},
        floats{static_cast<float>(doubles[0]), static_cast<float>(doubles[1])} {}
  [[nodiscard]] const void* at(int i) const {
    return in_double ? static_cast<const void*>(doubles + i) : floats + i;
  }
};

int compute_type(const Arguments& arguments, int type) {
  if (type == kDouble) return kCompute64F;
  return type == kFloat && arguments.number("tf32") != 0 ? kComputeTf32 : kCompute32F;
}

std::unique_ptr<Call> cublas_gemm(const kiln_vendor_request& request) {
  using Gemm = int(void*, int, int, int, int, int, const void*, const void*, int, int, const void*, int, int,
                   const void*, void*, int, int, int, int);
  const Arguments of(request);
  const int type = cuda_type(of.type("a"));
  const int out = cuda_type(of.type("d"));
  auto blas = std::make_shared<Cublas>(request);
  return bound(blas->name_of("cublasGemmEx"), [blas, gemm = blas->get<Gemm>("cublasGemmEx"), p = Product(of),
                                               type, out, compute = compute_type(of, type),
                                               factors = Factors(of, type == kDouble), a = of.buffer("a"),
                                               b = of.buffer("b"), d = of.buffer("d")] {
    blas->run("cublasGemmEx", [&](void* handle) {
      return gemm(handle, p.transposed_b, p.transposed_a, p.n, p.m, p.k, factors.at(0), b, type, p.pitch_b, a,
                  type, p.pitch_a, factors.at(1), d, out, p.n, compute, kDefaultAlgorithm);
    });
  });
}

std::unique_ptr<Call> cublas_batched_gemm(const kiln_vendor_request& request) {
  using Gemm = int(void*, int, int, int, int, int, const void*, const void*, int, int, long long, const void*,
                   int, int, long long, const void*, void*, int, int, long long, int, int, int);
  const char* const name = "cublasGemmStridedBatchedEx";
  const Arguments of(request);
  const int type = cuda_type(of.type("a"));
  auto blas = std::make_shared<Cublas>(request);
  return bound(blas->name_of(name),
               [=, gemm = blas->get<Gemm>(name), p = Product(of), compute = compute_type(of, type),
                factors = Factors(of, type == kDouble), a = of.buffer("a"), b = of.buffer("b"),
                d = of.buffer("d"), stride_a = of.large("stride_a"), stride_b = of.large("stride_b"),
                stride_d = of.large("stride_d"), batch = of.whole("batch")] {
                 blas->run(name, [&](void* handle) {
                   return gemm(handle, p.transposed_b, p.transposed_a, p.n, p.m, p.k, factors.at(0), b, type,
                               p.pitch_b, stride_b, a, type, p.pitch_a, stride_a, factors.at(1), d, type, p.n,
                               stride_d, batch, compute, kDefaultAlgorithm);
                 });
               });
}

std::unique_ptr<Call> cublas_transpose(const kiln_vendor_request& request) {
  using Geam = int(void*, int, int, int, int, const void*, const void*, int, const void*, const void*, int,
                   void*, int);
  const Arguments of(request);
  const int bytes = of.whole("bytes");
  if (bytes != 4 && bytes != 8) throw Error("cuBLAS transposes elements of 4 and 8 bytes");
  if (of.whole("batch") != 1) throw Error("cuBLAS transposes one matrix");
  const char* const name = bytes == 4 ? "cublasSgeam" : "cublasDgeam";
  auto blas = std::make_shared<Cublas>(request);
  Factors factors(of, bytes == 8);
  factors.doubles[0] = factors.floats[0] = 1;
  return bound(blas->name_of(name),
               [=, geam = blas->get<Geam>(name), rows = of.whole("rows"), columns = of.whole("columns"),
                in = of.buffer("in"), out = of.buffer("out")] {
                 blas->run(name, [&](void* handle) {
                   return geam(handle, 1, 0, rows, columns, factors.at(0), in, columns, factors.at(1), out,
                               rows, out, rows);
                 });
               });
}

/// y = A x by cuSPARSE's generic interface, with its buffer and what it prepares made once.
class SparseProduct final : public Call {
 public:
  explicit SparseProduct(const kiln_vendor_request& request)
      : SparseProduct(Context(request), open_first(request, versions("libcusparse.so", {13, 12, 11}))) {
    context_.with([&] { prepare(request); });
  }
  ~SparseProduct() override {
    context_.release([&] {
      if (matrix_ != nullptr) get<int(void*)>("cusparseDestroySpMat")(matrix_);
      for (void* vector : {x_, y_}) {
        if (vector != nullptr) get<int(void*)>("cusparseDestroyDnVec")(vector);
      }
      if (handle_ != nullptr) get<int(void*)>("cusparseDestroy")(handle_);
    });
  }
  SparseProduct(const SparseProduct&) = delete;
  SparseProduct& operator=(const SparseProduct&) = delete;
  void run() override {
    context_.with([&] {
      if (!analysed_) analyse();
      require(apply(spmv_), "cusparseSpMV");
    });
  }

 private:
  /// Holds nothing of the device; the destructor runs if what follows fails.
  SparseProduct(const Context& context, Library library)
      : context_(context), library_(std::move(library)), work_(context_) {}

  using SpMV = int(void*, int, const void*, void*, void*, const void*, void*, int, int, void*);
  using BufferSize = int(void*, int, const void*, void*, void*, const void*, void*, int, int, size_t*);
  using MakeMatrix = int(void**, int64_t, int64_t, int64_t, void*, void*, void*, int, int, int, int);
  using MakeVector = int(void**, int64_t, void*, int);

  template <class Function>
  [[nodiscard]] Function* get(const char* name) const {
    return function<Function>(library_, name);
  }
  int apply(SpMV* routine) const {
    return routine(handle_, 0, type_ == kDouble ? static_cast<const void*>(&wide_one_) : &one_, matrix_, x_,
                   type_ == kDouble ? static_cast<const void*>(&wide_zero_) : &zero_, y_, type_, algorithm_,
                   work_.data());
  }
  /// The first run does it: before, the buffers hold no matrix.
  void analyse() {
    if (::dlsym(library_.handle, "cusparseSpMV_preprocess") != nullptr)  // from CUDA 12.4 on
      require(apply(get<SpMV>("cusparseSpMV_preprocess")), "cusparseSpMV_preprocess");
    analysed_ = true;
  }
  void prepare(const kiln_vendor_request& request) {
    const Arguments of(request);
    type_ = cuda_type(of.type("values"));
    algorithm_ = of.whole("algorithm") == 2 ? 3 : 2;  // CUSPARSE_SPMV_CSR_ALG2, ALG1
    spmv_ = get<SpMV>("cusparseSpMV");
    require(get<int(void**)>("cusparseCreate")(&handle_), "cusparseCreate");
    require(get<int(void*, void*)>("cusparseSetStream")(handle_, request.stream), "cusparseSetStream");
    require(get<MakeMatrix>("cusparseCreateCsr")(&matrix_, of.large("rows"), of.large("columns"),
                                                 of.large("nonzeros"), of.buffer("row_offsets"),
                                                 of.buffer("column_indices"), of.buffer("values"), kIndices32,
                                                 kIndices32, 0, type_),
            "cusparseCreateCsr");
    auto* const make_vector = get<MakeVector>("cusparseCreateDnVec");
    require(make_vector(&x_, of.large("columns"), of.buffer("x"), type_), "cusparseCreateDnVec");
    require(make_vector(&y_, of.large("rows"), of.buffer("y"), type_), "cusparseCreateDnVec");
    size_t bytes = 0;
    require(
        get<BufferSize>("cusparseSpMV_bufferSize")(
            handle_, 0, type_ == kDouble ? static_cast<const void*>(&wide_one_) : &one_, matrix_, x_,
            type_ == kDouble ? static_cast<const void*>(&wide_zero_) : &zero_, y_, type_, algorithm_, &bytes),
        "cusparseSpMV_bufferSize");
    work_.allocate(bytes);
    int version = 0;
    get<int(void*, int*)>("cusparseGetVersion")(handle_, &version);
    description = "cusparseSpMV (CSR_ALG" + std::to_string(algorithm_ - 1) + ") of cuSPARSE " +
                  std::to_string(version / 1000) + "." + std::to_string(version / 100 % 10) + "." +
                  std::to_string(version % 100);
  }

  Context context_;
  Library library_;
  Workspace work_;
  SpMV* spmv_ = nullptr;
  void *handle_ = nullptr, *matrix_ = nullptr, *x_ = nullptr, *y_ = nullptr;
  int type_ = 0, algorithm_ = 0;
  bool analysed_ = false;
  float one_ = 1, zero_ = 0;
  double wide_one_ = 1, wide_zero_ = 0;
};

std::unique_ptr<Call> cusparse_spmv(const kiln_vendor_request& request) {
  return std::make_unique<SparseProduct>(request);
}

// A CPU's library with the interface of CBLAS, and for `transpose` with OpenBLAS's extension.
constexpr int kRowMajor = 101, kPlain = 111, kTransposed = 112;

Library open_blas(const kiln_vendor_request& request) {
  return open_first(request, {"libopenblas.so.0", "libopenblas.so", "libmkl_rt.so.2", "libblas.so.3"});
}

template <class Real>
std::unique_ptr<Call> blas_gemm(const kiln_vendor_request& request, const char* name) {
  using Gemm = void(int, int, int, int, int, int, Real, const Real*, int, const Real*, int, Real, Real*, int);
  const Arguments of(request);
  const Library library = open_blas(request);
  return bound(std::string(name) + " of " + library.path,
               [gemm = function<Gemm>(library, name), p = Product(of), alpha = Real(of.number("alpha")),
                beta = Real(of.number("beta")), a = static_cast<const Real*>(of.buffer("a")),
                b = static_cast<const Real*>(of.buffer("b")), d = static_cast<Real*>(of.buffer("d"))] {
                 gemm(kRowMajor, p.transposed_a != 0 ? kTransposed : kPlain,
                      p.transposed_b != 0 ? kTransposed : kPlain, p.m, p.n, p.k, alpha, a, p.pitch_a, b,
                      p.pitch_b, beta, d, p.n);
               });
}

std::unique_ptr<Call> blas_gemm_of_type(const kiln_vendor_request& request) {
  const std::string type = Arguments(request).type("a");
  if (type == "float") return blas_gemm<float>(request, "cblas_sgemm");
  if (type == "double") return blas_gemm<double>(request, "cblas_dgemm");
  throw Error("a CPU's BLAS does not take elements of the type " + type);
}

template <class Real>
std::unique_ptr<Call> blas_transpose(const kiln_vendor_request& request, const char* name) {
  using Copy = void(int, int, int, int, Real, const Real*, int, Real*, int);
  const Arguments of(request);
  const Library library = open_blas(request);
  return bound(std::string(name) + " of " + library.path,
               [copy = function<Copy>(library, name), rows = of.whole("rows"), columns = of.whole("columns"),
                in = static_cast<const Real*>(of.buffer("in")), out = static_cast<Real*>(of.buffer("out"))] {
                 copy(kRowMajor, kTransposed, rows, columns, Real(1), in, columns, out, rows);
               });
}

std::unique_ptr<Call> blas_transpose_of_size(const kiln_vendor_request& request) {
  const Arguments of(request);
  if (of.whole("batch") != 1) throw Error("a CPU's BLAS transposes one matrix");
  if (of.whole("bytes") == 4) return blas_transpose<float>(request, "cblas_somatcopy");
  if (of.whole("bytes") == 8) return blas_transpose<double>(request, "cblas_domatcopy");
  throw Error("a CPU's BLAS transposes elements of 4 and 8 bytes");
}

struct Routine {
  const char* backend;
  const char* name;
  std::unique_ptr<Call> (*make)(const kiln_vendor_request& request);
};
constexpr Routine kRoutines[] = {{"cuda", "gemm", cublas_gemm},
                                 {"cuda", "batched_gemm", cublas_batched_gemm},
                                 {"cuda", "transpose", cublas_transpose},
                                 {"cuda", "spmv", cusparse_spmv},
                                 {"cuda", "conv2d", cudnn_conv2d},
                                 {"cpu", "gemm", blas_gemm_of_type},
                                 {"cpu", "transpose", blas_transpose_of_size}};

void* prepare(const kiln_vendor_request* request, char* text, size_t text_size) {
  try {
    for (const Routine& routine : kRoutines) {
      if (std::strcmp(routine.backend, request->backend) != 0) continue;
      if (std::strcmp(routine.name, request->routine) != 0) continue;
      std::unique_ptr<Call> call = routine.make(*request);
      std::snprintf(text, text_size, "%s", call->description.c_str());
      return call.release();
    }
    throw Error(std::string("no library is known that does this on ") + request->backend);
  } catch (const std::exception& error) {
    std::snprintf(text, text_size, "%s", error.what());
    return nullptr;
  }
}

const char* run(void* call) {
  static thread_local std::string problem;
  try {
    static_cast<Call*>(call)->run();
    return nullptr;
  } catch (const std::exception& error) {
    problem = error.what();
    return problem.c_str();
  }
}

void release(void* call) {
  delete static_cast<Call*>(call);
}

}  // namespace
}  // namespace kiln::vendor

extern "C" const kiln_vendor_plugin* kiln_vendor_plugin_table() {
  static const kiln_vendor_plugin table{KILN_VENDOR_PLUGIN_VERSION, kiln::vendor::prepare, kiln::vendor::run,
                                        kiln::vendor::release};
  return &table;
}
