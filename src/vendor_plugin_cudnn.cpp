// Convolutions by cuDNN 8 and 9, through its backend interface: a graph of operations, the engines that cuDNN
// proposes for it, the fastest of them.
#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>

#include "trial/vendor_call.h"

namespace kiln::vendor {
namespace {

// Numbers of cudnn_graph.h.
enum ValueType {
  kOfHandle = 0,
  kOfDataType = 1,
  kOfBool = 2,
  kOfInt64 = 3,
  kOfFloat = 4,
  kOfPointer = 6,
  kOfConvolutionMode = 7,
  kOfHeuristics = 8,
  kOfNote = 11,
  kOfPointwiseMode = 14,
  kOfDescriptor = 15
};
enum Kind {
  kPointwise = 0,
  kConvolution = 1,
  kEngine = 2,
  kConfiguration = 3,
  kHeuristics = 4,
  kPlan = 5,
  kConvolutionForward = 10,
  kPointwiseOperation = 13,
  kGraph = 15,
  kVariantPack = 16,
  kTensor = 17
};
constexpr int kFloatData = 0, kHalfData = 2, kBfloat16Data = 9;
constexpr int kTensorCore = 0, kDownConvert = 1;  // what is noted of an engine's numbers
constexpr std::int64_t kMostWorkspace = std::int64_t{1} << 30;

using Handle = void*;
using Raw = void*;  // cudnnBackendDescriptor_t

struct Cudnn {
  const Context& context;
  Library library;
  Handle handle = nullptr;
  int (*create)(int, Raw*);
  int (*destroy)(Raw);
  int (*set)(Raw, int, int, std::int64_t, const void*);
  int (*get)(Raw, int, int, std::int64_t, std::int64_t*, void*);
  int (*finalize)(Raw);
  int (*execute)(Handle, Raw, Raw);

  /// Opens the library; start() makes the handle.
  Cudnn(const Context& of, const kiln_vendor_request& request)
      : context(of),
        library(open_first(request, versions("libcudnn.so", {9, 8}))),
        create(function<int(int, Raw*)>(library, "cudnnBackendCreateDescriptor")),
        destroy(function<int(Raw)>(library, "cudnnBackendDestroyDescriptor")),
        set(function<int(Raw, int, int, std::int64_t, const void*)>(library, "cudnnBackendSetAttribute")),
        get(function<int(Raw, int, int, std::int64_t, std::int64_t*, void*)>(library,
                                                                             "cudnnBackendGetAttribute")),
        finalize(function<int(Raw)>(library, "cudnnBackendFinalize")),
        execute(function<int(Handle, Raw, Raw)>(library, "cudnnBackendExecute")) {}
  ~Cudnn() {
    if (handle == nullptr) return;
    context.release([&] { function<int(Handle)>(library, "cudnnDestroy")(handle); });
  }
  void start(void* stream) {
    require(function<int(Handle*)>(library, "cudnnCreate")(&handle), "cudnnCreate");
    require(function<int(Handle, void*)>(library, "cudnnSetStream")(handle, stream), "cudnnSetStream");
  }
  Cudnn(const Cudnn&) = delete;
  Cudnn& operator=(const Cudnn&) = delete;
};

/// A descriptor of cuDNN's backend interface.
class Descriptor {
 public:
  Descriptor(const Cudnn& dnn, Kind kind) : dnn_(&dnn) {
    require(dnn.create(kind, &raw_), "cudnnBackendCreateDescriptor");
  }
  ~Descriptor() {
    if (raw_ != nullptr) dnn_->destroy(raw_);
  }
  Descriptor(Descriptor&& other) noexcept : dnn_(other.dnn_), raw_(std::exchange(other.raw_, nullptr)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(dnn_, other.dnn_);
    std::swap(raw_, other.raw_);
    return *this;
  }
  template <class Value>
  Descriptor& set(int attribute, ValueType type, const std::vector<Value>& values) {
    require(dnn_->set(raw_, attribute, type, static_cast<std::int64_t>(values.size()), values.data()),
            "cudnnBackendSetAttribute");
    return *this;
  }
  template <class Value>
  Descriptor& set(int attribute, ValueType type, Value value) {
    return set(attribute, type, std::vector<Value>{value});
  }
  /// A bool is not what std::vector makes of it.
  Descriptor& set_bool(int attribute, bool value) {
    require(dnn_->set(raw_, attribute, kOfBool, 1, &value), "cudnnBackendSetAttribute");
    return *this;
  }
  Descriptor& set(int attribute, const Descriptor& value) {
    return set(attribute, kOfDescriptor, value.raw_);
  }
  /// Up to as many values as there is room for.
  template <class Value>
  std::int64_t get(int attribute, ValueType type, std::vector<Value>& values) const {
    std::int64_t count = 0;
    require(dnn_->get(raw_, attribute, type, static_cast<std::int64_t>(values.size()), &count,
                      values.empty() ? nullptr : values.data()),
            "cudnnBackendGetAttribute");
    return count;
  }
  [[nodiscard]] bool finalize() { return dnn_->finalize(raw_) == 0; }
  Descriptor& finalize(const char* what) {
    require(dnn_->finalize(raw_), what);
    return *this;
  }
  [[nodiscard]] Raw raw() const { return raw_; }

 private:
  const Cudnn* dnn_;
  Raw raw_ = nullptr;
};

/// An event of the driver. Its context is current as long as it exists.
class Event {
 public:
  explicit Event(const Library& driver) : destroy_(function<int(void*)>(driver, "cuEventDestroy_v2")) {
    require(function<int(void**, unsigned)>(driver, "cuEventCreate")(&raw_, 0), "cuEventCreate");
  }
  ~Event() { destroy_(raw_); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  [[nodiscard]] void* get() const { return raw_; }

 private:
  int (*destroy_)(void*);
  void* raw_ = nullptr;
};

struct Plan {
  Descriptor configuration, plan;
  std::int64_t workspace;
};

/// A convolution with what follows it, for tensors of n, c, h, w whose c lie together.
class Convolution final : public Call {
 public:
  explicit Convolution(const kiln_vendor_request& request) : Convolution(Opened{request}) {
    context_.with([&] {
      dnn_.start(stream_);
      prepare(Arguments(request));
    });
  }
  ~Convolution() override {
    context_.release([&] { graphs_.clear(); });
  }
  Convolution(const Convolution&) = delete;
  Convolution& operator=(const Convolution&) = delete;

  /// The first run finds the fastest plans: before, the buffers hold no data.
  void run() override {
    context_.with([&] {
      if (stages_.empty()) choose();
      for (const auto& [plan, pack] : stages_) require(dnn_.execute(dnn_.handle, plan, pack), kExecute);
    });
  }

 private:
  struct Opened {
    const kiln_vendor_request& request;
  };
  /// Holds nothing of the device; the destructor runs if what follows fails.
  explicit Convolution(const Opened& of)
      : context_(of.request), work_(context_), dnn_(context_, of.request), stream_(of.request.stream) {}

  static constexpr const char* kExecute = "cudnnBackendExecute";
  enum Tensor { kX, kW, kY, kBias, kSums, kBiased };  // and their numbers in graphs
  /// Operations that run as one, each engine's plan of them, and their buffers.
  struct Graph {
    std::vector<Descriptor> parts;
    std::vector<Plan> plans;
    std::unique_ptr<Descriptor> pack;
  };
  [[nodiscard]] Descriptor tensor(int number, const std::vector<std::int64_t>& extents, int type,
                                  bool is_virtual = false) const {
    const std::int64_t c = extents[1], w = extents[3];
    const std::vector<std::int64_t> strides = {extents[1] * extents[2] * w, 1, w * c, c};
    Descriptor made(dnn_, kTensor);
    made.set(906, kOfInt64, std::int64_t{number} + 1);
    made.set(901, kOfDataType, type).set(902, kOfInt64, extents).set(903, kOfInt64, strides);
    made.set(900, kOfInt64, std::int64_t{16}).set_bool(907, is_virtual);
    return std::move(made.finalize("a tensor of cuDNN"));
  }
  /// y = x + b, or max(x, 0), as an operation; its description goes to `parts`.
  [[nodiscard]] Descriptor pointwise(std::vector<Descriptor>& parts, const Descriptor& x, const Descriptor* b,
                                     const Descriptor& y) const {
    constexpr int kAdd = 0, kRelu = 100;
    Descriptor what(dnn_, kPointwise);
    what.set(0, kOfPointwiseMode, b != nullptr ? kAdd : kRelu).set(1, kOfDataType, kFloatData);
    what.finalize("a pointwise operation of cuDNN");
    Descriptor made(dnn_, kPointwiseOperation);
    made.set(750, what).set(751, x).set(753, y);
    if (b != nullptr) made.set(752, *b);
    parts.push_back(std::move(what));
    return std::move(made.finalize("a pointwise operation of cuDNN"));
  }

  void prepare(const Arguments& of) {
    static const std::map<std::string, int> types = {
        {"float", kFloatData}, {"half", kHalfData}, {"bfloat16", kBfloat16Data}};
    const auto type = types.find(of.type("x"));
    if (type == types.end()) throw Error("cuDNN is not asked for elements of the type " + of.type("x"));
    exact_ = type->second == kFloatData && of.number("tf32") == 0;
    const auto large = [&](const char* name) { return std::int64_t{of.large(name)}; };
    const std::int64_t groups = std::max<std::int64_t>(1, large("groups"));
    const std::vector<std::int64_t> of_y = {large("batch"), large("filters"), large("out_h"), large("out_w")};
    const std::vector<std::int64_t> of_bias = {1, large("filters"), 1, 1};
    data_ = {of.buffer("x"), of.buffer("weights"), of.buffer("y"), nullptr};
    const bool relu = of.number("relu") != 0;
    const bool biased = of.has("bias");
    if (biased) data_[kBias] = of.buffer("bias");

    // One graph with all operations, whose steps between are not stored; and the convolution and the rest
    // apart.
    for (const bool fused : {true, false}) {
      if (!fused && !biased && !relu) break;
      Graph graph;
      std::vector<Descriptor>& parts = graph.parts;
      parts.reserve(16);
      const auto keep = [&](Descriptor made) -> Descriptor& { return parts.emplace_back(std::move(made)); };
      const bool more = fused && (biased || relu);
      Descriptor& x = keep(tensor(kX, {large("batch"), large("c"), large("h"), large("w")}, type->second));
      Descriptor& w = keep(tensor(
          kW, {large("filters"), large("c") / groups, large("filter_h"), large("filter_w")}, type->second));
      Descriptor& y = keep(tensor(kY, of_y, type->second));
      Descriptor& sums = more ? keep(tensor(kSums, of_y, kFloatData, true)) : y;
      Descriptor& how = keep(Descriptor(dnn_, kConvolution));
      const auto pair = [&](const char* name) { return std::vector<std::int64_t>(2, large(name)); };
      how.set(100, kOfDataType, kFloatData)
          .set(101, kOfConvolutionMode, 1)
          .set(106, kOfInt64, std::int64_t{2});
      how.set(102, kOfInt64, pair("dilation")).set(103, kOfInt64, pair("stride"));
      how.set(104, kOfInt64, pair("padding")).set(105, kOfInt64, pair("padding"));
      how.finalize("a convolution of cuDNN");
      std::vector<Descriptor> operations;
      Descriptor& forward = operations.emplace_back(dnn_, kConvolutionForward);
      forward.set(700, kOfFloat, 1.0F).set(701, kOfFloat, 0.0F).set(702, how).set(703, w).set(704, x);
      forward.set(705, sums).finalize("a convolution of cuDNN");
      if (fused) {
        if (more) add_rest(parts, operations, sums, y, of_bias, of_y, biased, relu);
        finish(graph, std::move(operations), {kX, kW, kY, kBias}, biased);
      } else {
        finish(graph, std::move(operations), {kX, kW, kY}, false);
      }
      graphs_.push_back(std::move(graph));
    }
    if (graphs_.size() == 2) {
      Graph rest;
      rest.parts.reserve(8);
      rest.parts.push_back(tensor(kSums, of_y, type->second));
      rest.parts.push_back(tensor(kY, of_y, type->second));
      std::vector<Descriptor> operations;
      add_rest(rest.parts, operations, rest.parts[0], rest.parts[1], of_bias, of_y, biased, relu);
      finish(rest, std::move(operations), {kSums, kY, kBias}, biased);
      graphs_.push_back(std::move(rest));
    }
    const bool whole = !graphs_[0].plans.empty();
    if (!whole && (graphs_.size() < 3 || graphs_[1].plans.empty() || graphs_[2].plans.empty()))
      throw Error("cuDNN has no engine for this convolution");
    std::size_t count = 0;
    std::int64_t bytes = 0;
    for (const Graph& graph : graphs_) {
      count += graph.plans.size();
      for (const Plan& plan : graph.plans) bytes = std::max(bytes, plan.workspace);
    }
    work_.allocate(static_cast<size_t>(bytes));
    for (Graph& graph : graphs_) {
      graph.pack->set(1003, kOfPointer, work_.data()).finalize("buffers of cuDNN");
    }
    const auto version = function<size_t()>(dnn_.library, "cudnnGetVersion")();
    const size_t major = version >= 90000 ? 10000 : 1000;
    description = std::string("the fastest of ") + std::to_string(count) + " plans of cuDNN " +
                  std::to_string(version / major) + "." + std::to_string(version % major / 100) + "." +
                  std::to_string(version % 100);
  }
  /// The bias and ReLU, from `sums` to `y`.
  void add_rest(std::vector<Descriptor>& parts, std::vector<Descriptor>& operations, const Descriptor& sums,
                const Descriptor& y, const std::vector<std::int64_t>& of_bias,
                const std::vector<std::int64_t>& of_y, bool biased, bool relu) const {
    const Descriptor* from = &sums;
    if (biased) {
      const Descriptor& bias = parts.emplace_back(tensor(kBias, of_bias, kFloatData));
      const Descriptor& to = relu ? parts.emplace_back(tensor(kBiased, of_y, kFloatData, true)) : y;
      operations.push_back(pointwise(parts, *from, &bias, to));
      from = &to;
    }
    if (relu) operations.push_back(pointwise(parts, *from, nullptr, y));
  }
  /// The plans that cuDNN proposes for a graph, and its buffers.
  void finish(Graph& graph, std::vector<Descriptor> operations, std::vector<Tensor> tensors, bool biased) {
    if (tensors.back() == kBias && !biased) tensors.pop_back();
    std::vector<std::int64_t> numbers;
    std::vector<void*> pointers;
    for (const Tensor tensor : tensors) {
      numbers.push_back(tensor + 1);
      pointers.push_back(data_.at(tensor == kSums ? kY : tensor));
    }
    graph.pack = std::make_unique<Descriptor>(dnn_, kVariantPack);
    graph.pack->set(1000, kOfInt64, numbers).set(1001, kOfPointer, pointers);
    std::vector<Raw> raw;
    raw.reserve(operations.size());
    for (const Descriptor& operation : operations) raw.push_back(operation.raw());
    Descriptor whole(dnn_, kGraph);
    whole.set(800, kOfHandle, dnn_.handle).set(801, kOfDescriptor, raw);
    const bool known = whole.finalize();
    for (Descriptor& operation : operations) graph.parts.push_back(std::move(operation));
    if (known) {
      for (const int mode : {3, 2})
        propose(graph, whole, mode);  // the better heuristics, and what always works
    }
    graph.parts.push_back(std::move(whole));
  }
  void propose(Graph& graph, const Descriptor& whole, int mode) const {
    Descriptor heuristics(dnn_, kHeuristics);
    heuristics.set(201, whole).set(200, kOfHeuristics, mode);
    if (!heuristics.finalize()) return;
    std::vector<Raw> raw;
    const std::int64_t count = heuristics.get(202, kOfDescriptor, raw);
    std::vector<Descriptor> found;
    for (std::int64_t i = 0; i < count; ++i) found.emplace_back(dnn_, kConfiguration);
    for (const Descriptor& configuration : found) raw.push_back(configuration.raw());
    found.erase(found.begin() + (raw.empty() ? 0 : heuristics.get(202, kOfDescriptor, raw)), found.end());
    for (Descriptor& configuration : found) {
      if (exact_ && rounds(configuration)) continue;
      Descriptor plan(dnn_, kPlan);
      plan.set(400, kOfHandle, dnn_.handle).set(401, configuration);
      if (!plan.finalize()) continue;
      std::vector<std::int64_t> bytes(1);
      plan.get(402, kOfInt64, bytes);
      if (bytes[0] <= kMostWorkspace)
        graph.plans.push_back({std::move(configuration), std::move(plan), bytes[0]});
    }
  }
  /// Whether an engine's products have fewer digits than float.
  [[nodiscard]] bool rounds(const Descriptor& configuration) const {
    const Descriptor engine(dnn_, kEngine);
    std::vector<Raw> raw = {engine.raw()};
    configuration.get(300, kOfDescriptor, raw);
    std::vector<int> notes(32);
    notes.resize(static_cast<size_t>(std::min<std::int64_t>(engine.get(1303, kOfNote, notes), 32)));
    return std::any_of(notes.begin(), notes.end(),
                       [](int note) { return note == kTensorCore || note == kDownConvert; });
  }

  /// The fastest plan of each graph, and whether the first one or the other two together are faster.
  void choose() {
    std::array<float, 3> times{};
    std::array<Raw, 3> best{};
    for (std::size_t i = 0; i < graphs_.size(); ++i) {
      times.at(i) = std::numeric_limits<float>::infinity();
      for (Plan& plan : graphs_[i].plans) {
        const float time = measure(plan.plan.raw(), graphs_[i].pack->raw());
        if (time < times.at(i)) times.at(i) = time, best.at(i) = plan.plan.raw();
      }
    }
    const bool apart = graphs_.size() == 3 && times[1] + times[2] < times[0];
    for (std::size_t i = apart ? 1 : 0; i < (apart ? 3U : 1U); ++i) {
      if (best.at(i) == nullptr) throw Error("none of cuDNN's plans for this convolution runs");
      stages_.push_back({best.at(i), graphs_[i].pack->raw()});
    }
  }
  /// Milliseconds, the least of some; infinity for a plan that fails.
  float measure(Raw plan, Raw pack) const {
    constexpr float kNever = std::numeric_limits<float>::infinity();
    const Library& driver = context_.driver();
    auto* const record = function<int(void*, void*)>(driver, "cuEventRecord");
    const Event begin(driver), end(driver);
    float least = kNever;
    for (int i = 0; i < 6; ++i) {
      record(begin.get(), stream_);
      if (dnn_.execute(dnn_.handle, plan, pack) != 0) break;
      record(end.get(), stream_);
      require(function<int(void*)>(driver, "cuEventSynchronize")(end.get()), kExecute);
      float time = kNever;
      function<int(float*, void*, void*)>(driver, "cuEventElapsedTime")(&time, begin.get(), end.get());
      if (i > 0) least = std::min(least, time);
    }
    return least;
  }

  Context context_;
  Workspace work_;
  Cudnn dnn_;
  void* stream_;
  bool exact_ = false;
  std::array<void*, 4> data_{};
  std::vector<Graph> graphs_;                // all at once; the convolution, the rest
  std::vector<std::pair<Raw, Raw>> stages_;  // plans that run, with their buffers
};

}  // namespace

std::unique_ptr<Call> cudnn_conv2d(const kiln_vendor_request& request) {
  return std::make_unique<Convolution>(request);
}

}  // namespace kiln::vendor
