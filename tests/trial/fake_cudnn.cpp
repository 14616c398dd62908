// A libcuda.so.1 and a libcudnn.so.9 in one, written for tests: descriptors keep their attributes, and a plan
// computes its graph of convolution, sum and ReLU in the host's memory, with channels last. The heuristics
// propose three engines: the first needs too much, the second is noted to use tensor cores, the third is
// slow.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <vector>

namespace {

void count(const std::string& what) {
  const char* path = std::getenv("FAKE_CUDNN_CALLS");
  std::FILE* file = path == nullptr ? nullptr : std::fopen(path, "a");
  if (file == nullptr) return;
  std::fprintf(file, "%s\n", what.c_str());
  std::fclose(file);
}
bool fails(const char* what) {
  const char* named = std::getenv("FAKE_CUDNN_FAILS");
  return named != nullptr && std::strcmp(named, what) == 0;
}

struct Descriptor {
  int kind = 0;
  int engine = 0;  // of configurations and engines
  std::map<int, std::vector<char>> values;

  template <class Value>
  [[nodiscard]] std::vector<Value> all(int attribute) const {
    const std::vector<char>& bytes = values.at(attribute);
    std::vector<Value> result(bytes.size() / sizeof(Value));
    std::memcpy(result.data(), bytes.data(), bytes.size());
    return result;
  }
  template <class Value>
  [[nodiscard]] Value one(int attribute) const {
    Value value;
    std::memcpy(&value, values.at(attribute).data(), sizeof(value));
    return value;
  }
  [[nodiscard]] const Descriptor& at(int attribute) const { return *one<Descriptor*>(attribute); }
};

float clock_now = 0;

/// What is allocated stays known to the end, so that it is no leak: a test lets the context end before it is
/// freed.
std::vector<void*>& memory_of_all() {
  static auto* const all = new std::vector<void*>;
  return *all;
}

using Buffers = std::map<std::int64_t, float*>;

float* buffer_of(const Descriptor& tensor, Buffers& buffers, std::vector<std::vector<float>>& own) {
  const auto number = tensor.one<std::int64_t>(906);
  if (tensor.one<bool>(907)) {
    const auto extents = tensor.all<std::int64_t>(902);
    buffers[number] =
        own.emplace_back(static_cast<std::size_t>(extents[0] * extents[1] * extents[2] * extents[3])).data();
  }
  return buffers.at(number);
}

void convolve(const Descriptor& operation, Buffers& buffers, std::vector<std::vector<float>>& own) {
  const Descriptor &how = operation.at(702), &w = operation.at(703), &x = operation.at(704),
                   &y = operation.at(705);
  const auto of_x = x.all<std::int64_t>(902), of_w = w.all<std::int64_t>(902),
             of_y = y.all<std::int64_t>(902);
  const auto step_x = x.all<std::int64_t>(903), step_w = w.all<std::int64_t>(903),
             step_y = y.all<std::int64_t>(903);
  const auto dilation = how.all<std::int64_t>(102), stride = how.all<std::int64_t>(103),
             padding = how.all<std::int64_t>(105);
  float* to = buffer_of(y, buffers, own);
  const float *image = buffer_of(x, buffers, own), *filter = buffer_of(w, buffers, own);
  const std::int64_t groups = of_x[1] / of_w[1], per_group = of_y[1] / groups;
  for (std::int64_t n = 0; n < of_y[0]; ++n)
    for (std::int64_t f = 0; f < of_y[1]; ++f)
      for (std::int64_t p = 0; p < of_y[2]; ++p)
        for (std::int64_t q = 0; q < of_y[3]; ++q) {
          double sum = 0;
          for (std::int64_t c = 0; c < of_w[1]; ++c)
            for (std::int64_t r = 0; r < of_w[2]; ++r)
              for (std::int64_t s = 0; s < of_w[3]; ++s) {
                const std::int64_t i = p * stride[0] + r * dilation[0] - padding[0];
                const std::int64_t j = q * stride[1] + s * dilation[1] - padding[1];
                if (i < 0 || j < 0 || i >= of_x[2] || j >= of_x[3]) continue;
                sum += double(image[n * step_x[0] + (f / per_group * of_w[1] + c) * step_x[1] +
                                    i * step_x[2] + j * step_x[3]]) *
                       filter[f * step_w[0] + c * step_w[1] + r * step_w[2] + s * step_w[3]];
              }
          to[n * step_y[0] + f * step_y[1] + p * step_y[2] + q * step_y[3]] = static_cast<float>(sum);
        }
}

void point_by_point(const Descriptor& operation, Buffers& buffers, std::vector<std::vector<float>>& own) {
  const bool relu = operation.at(750).one<int>(0) == 100;
  const auto extents = operation.at(753).all<std::int64_t>(902);
  float* to = buffer_of(operation.at(753), buffers, own);
  const float* from = buffers.at(operation.at(751).one<std::int64_t>(906));
  const float* bias = relu ? nullptr : buffer_of(operation.at(752), buffers, own);
  const std::int64_t all = extents[0] * extents[1] * extents[2] * extents[3];
  for (std::int64_t i = 0; i < all; ++i)  // the channels lie together
    to[i] = relu ? std::max(0.0F, from[i]) : from[i] + bias[i % extents[1]];
}

}  // namespace

extern "C" {

int cuStreamGetCtx(void* /*stream*/, void** context) {
  *context = nullptr;
  return 0;
}
int cuCtxPushCurrent_v2(void* /*context*/) {
  return fails("context") ? 709 : 0;
}
int cuCtxPopCurrent_v2(void** /*context*/) {
  return 0;
}
int cuMemAlloc_v2(unsigned long long* address, std::size_t bytes) {
  count("allocated " + std::to_string(bytes));
  void* memory = std::malloc(bytes);
  memory_of_all().push_back(memory);
  *address = reinterpret_cast<unsigned long long>(memory);
  return 0;
}
int cuMemFree_v2(unsigned long long address) {
  count("freed");
  std::erase(memory_of_all(), reinterpret_cast<void*>(address));
  std::free(reinterpret_cast<void*>(address));
  return 0;
}
int cuEventCreate(void** event, unsigned /*flags*/) {
  *event = new float(0);
  return 0;
}
int cuEventRecord(void* event, void* /*stream*/) {
  *static_cast<float*>(event) = clock_now;
  return 0;
}
int cuEventSynchronize(void* /*event*/) {
  return fails("synchronize") ? 700 : 0;
}
int cuEventElapsedTime(float* time, void* from, void* to) {
  *time = *static_cast<float*>(to) - *static_cast<float*>(from);
  return 0;
}
int cuEventDestroy_v2(void* event) {
  if (fails("synchronize")) count("event destroyed");
  delete static_cast<float*>(event);
  return 0;
}

int cudnnCreate(void** handle) {
  static int only = 0;
  *handle = &only;
  return 0;
}
int cudnnDestroy(void* /*handle*/) {
  count("ended");
  return 0;
}
int cudnnSetStream(void* /*handle*/, void* /*stream*/) {
  return 0;
}
std::size_t cudnnGetVersion() {
  return 91900;
}
int cudnnBackendCreateDescriptor(int kind, void** made) {
  auto* descriptor = new Descriptor;
  descriptor->kind = kind;
  *made = descriptor;
  return 0;
}
int cudnnBackendDestroyDescriptor(void* descriptor) {
  delete static_cast<Descriptor*>(descriptor);
  return 0;
}
int cudnnBackendSetAttribute(void* descriptor, int attribute, int type, std::int64_t number,
                             const void* values) {
  static const std::map<int, std::size_t> kSizes = {{0, 8}, {1, 4}, {2, 1}, {3, 8},  {4, 4},
                                                    {6, 8}, {7, 4}, {8, 4}, {14, 4}, {15, 8}};
  const auto* bytes = static_cast<const char*>(values);
  static_cast<Descriptor*>(descriptor)->values[attribute] = {
      bytes, bytes + static_cast<std::size_t>(number) * kSizes.at(type)};
  return 0;
}
int cudnnBackendGetAttribute(void* descriptor, int attribute, int /*type*/, std::int64_t room,
                             std::int64_t* number, void* values) {
  auto& of = *static_cast<Descriptor*>(descriptor);
  if (attribute == 202) {  // the heuristics' engines
    *number = of.one<int>(200) == 3 ? 3 : 0;
    for (std::int64_t i = 0; i < std::min(room, *number); ++i) {
      Descriptor& configuration = *static_cast<Descriptor**>(values)[i];
      configuration.engine = static_cast<int>(i);
      configuration.values[801] = of.at(201).values.at(801);
    }
  } else if (attribute == 300) {
    (*static_cast<Descriptor**>(values))->engine = of.engine;
  } else if (attribute == 1303) {
    *number = of.engine == 1 ? 1 : 0;
    if (of.engine == 1) *static_cast<int*>(values) = 0;
  } else if (attribute == 402) {
    *number = 1;
    const std::int64_t bytes[] = {std::int64_t{1} << 40, 128, 64};
    *static_cast<std::int64_t*>(values) = bytes[of.at(401).engine];
  } else {
    return 2000;
  }
  return 0;
}
int cudnnBackendFinalize(void* descriptor) {
  const auto& of = *static_cast<Descriptor*>(descriptor);
  if (of.kind == 15) return fails("fused") && of.all<void*>(801).size() > 1 ? 3001 : 0;
  if (of.kind == 5) return fails("plans") ? 3000 : 0;
  if (of.kind == 16) return fails("pack") ? 2000 : 0;
  return 0;
}
int cudnnBackendExecute(void* /*handle*/, void* plan, void* pack) {
  const Descriptor& configuration = static_cast<Descriptor*>(plan)->at(401);
  const auto& buffers_of = *static_cast<Descriptor*>(pack);
  if (buffers_of.one<void*>(1003) == nullptr) return 2002;
  count("engine " + std::to_string(configuration.engine));
  clock_now += configuration.engine == 2 ? 3.0F : 1.0F;
  const auto numbers = buffers_of.all<std::int64_t>(1000);
  const auto pointers = buffers_of.all<float*>(1001);
  Buffers buffers;
  for (std::size_t i = 0; i < numbers.size(); ++i) buffers[numbers[i]] = pointers[i];
  std::vector<std::vector<float>> own;
  own.reserve(8);
  for (const Descriptor* operation : configuration.all<const Descriptor*>(801)) {
    if (operation->kind == 10)
      convolve(*operation, buffers, own);
    else
      point_by_point(*operation, buffers, own);
  }
  return 0;
}

}  // extern "C"
