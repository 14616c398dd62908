#include "trial/buffer_layout.h"

#include <algorithm>

#include "base/checked_size.h"
#include "base/text.h"

namespace kiln {
namespace {

constexpr std::int64_t kMaxExtent = std::int64_t{1} << 48;

/// The file or its `otherwise`.
const InitSpec& own_init(const Configuration& configuration, const InitSpec& init) {
  if (init.kind != InitSpec::Kind::kFile || !init.otherwise) return init;
  const bool set = configuration.expand_path(init.file->path.text, init.file->path.where).has_value();
  return set ? init : own_init(configuration, *init.otherwise);
}

std::size_t alignment_of(const BufferLayout& layout) {
  return layout.record != nullptr ? layout.record->alignment
                                  : ElementType{layout.scalar.value(), layout.lanes}.alignment();
}

std::string size_text(const BufferLayout& layout) {
  return std::to_string(layout.count) + " elements of " + std::to_string(layout.element_bytes) + " bytes";
}

/// Finds where in the memory of another buffer the view stands.
void place_view(const Configuration& configuration, BufferLayout& view) {
  const ExpressionText& offset = view.spec->view->offset;
  const BufferLayout whole = layout_of(configuration, configuration.workload().memory_of(*view.spec));
  const auto first = static_cast<std::uint64_t>(configuration.evaluate_integer(offset, 0, kMaxExtent));
  const std::string subject = "buffers." + view.spec->name + ".view: ";
  if (first > whole.count || view.bytes > whole.bytes - first * whole.element_bytes) {
    throw bad_input(subject + size_text(view) + " that begin at element " + std::to_string(first) +
                        " of buffer '" + whole.spec->name + "' do not fit into its " + size_text(whole),
                    offset.where);
  }
  view.memory = whole.spec;
  view.offset = first * whole.element_bytes;
  if (view.offset % alignment_of(view) == 0) return;
  throw bad_input(subject + "it begins at byte " + std::to_string(view.offset) + " of buffer '" +
                      whole.spec->name + "'; expected a multiple of " + std::to_string(alignment_of(view)) +
                      ", the alignment of its elements",
                  offset.where);
}

}  // namespace

bool BufferLayout::overlaps(const BufferLayout& other) const {
  return memory == other.memory && offset < other.offset + other.bytes && other.offset < offset + bytes;
}

std::string BufferLayout::index_text(std::uint64_t linear) const {
  std::vector<std::string> parts(shape.size());
  for (std::size_t i = shape.size(); i-- > 0;) {
    parts[i] = std::to_string(linear % shape[i]);
    linear /= shape[i];
  }
  return "[" + join(parts, ", ") + "]";
}

BufferLayout layout_of(const Configuration& configuration, const BufferSpec& buffer) {
  BufferLayout layout;
  layout.spec = &buffer;
  layout.memory = &buffer;
  layout.record = configuration.workload().find_type(buffer.type);
  if (layout.record == nullptr) {
    const ElementType element = configuration.element_type(buffer).value();
    layout.scalar = element.scalar;
    layout.lanes = element.lanes;
  }
  layout.element_bytes = layout.record != nullptr ? layout.record->bytes : size_of(layout.scalar.value());
  layout.count = 1;
  for (const ExpressionText& extent : buffer.shape) {
    layout.shape.push_back(static_cast<std::uint64_t>(configuration.evaluate_integer(extent, 1, kMaxExtent)));
    if (layout.count > static_cast<std::uint64_t>(kMaxExtent) / layout.shape.back()) {
      throw bad_input(extent.key + ": the buffer has more than 2^48 elements", extent.where);
    }
    layout.count *= layout.shape.back();
  }
  if (layout.lanes > 1) {
    layout.shape.push_back(layout.lanes);
    layout.count *= layout.lanes;
  }
  const auto bytes = (CheckedSize(layout.count) * layout.element_bytes).value();
  if (!bytes || *bytes > kMostBufferBytes) {
    throw bad_input("buffers." + buffer.name + ": " + std::to_string(layout.count) + " elements of " +
                        std::to_string(layout.element_bytes) + " bytes are more than 2^60 bytes",
                    buffer.where);
  }
  layout.bytes = *bytes;
  if (buffer.view) place_view(configuration, layout);
  return layout;
}

std::uint64_t used_extent(const Configuration& configuration, const BufferLayout& layout,
                          const Variables& variables) {
  const auto& used = layout.spec->used;
  if (!used) return layout.shape.front();
  const auto most = static_cast<std::int64_t>(layout.shape.front());
  return static_cast<std::uint64_t>(configuration.evaluate_integer(*used, 0, most, variables));
}

const InitSpec& effective_init(const Configuration& configuration, const InitSpec& init) {
  const InitSpec& own = own_init(configuration, init);
  if (own.kind != InitSpec::Kind::kSameAs) return own;
  return effective_init(configuration, configuration.workload().find_buffer(own.same_as)->init);
}

const BufferSpec& starting_buffer(const Configuration& configuration, const BufferSpec& buffer) {
  const InitSpec& own = own_init(configuration, buffer.init);
  if (own.kind != InitSpec::Kind::kSameAs) return buffer;
  return starting_buffer(configuration, *configuration.workload().find_buffer(own.same_as));
}

std::vector<std::pair<std::string, std::string>> copies_after_init(const Configuration& configuration,
                                                                   const std::vector<std::string>& buffers) {
  std::vector<std::pair<std::string, std::string>> copies;
  for (const std::string& name : buffers) {
    const BufferSpec& buffer = *configuration.workload().find_buffer(name);
    const BufferSpec& start = starting_buffer(configuration, buffer);
    if (&start != &buffer && effective_init(configuration, start.init).kind == InitSpec::Kind::kKernel)
      copies.emplace_back(name, start.name);
  }
  return copies;
}

void add_needed_buffer(const Configuration& configuration, const std::string& name,
                       const SourceLocation& where, std::set<std::string>& buffers,
                       std::set<std::string>& init_kernels) {
  if (!buffers.insert(name).second) return;
  const Workload& workload = configuration.workload();
  const BufferSpec& buffer = *workload.find_buffer(name);
  if (buffer.when && !configuration.evaluate_condition(*buffer.when)) {
    throw bad_input("buffer '" + name + "' is needed here, but not there: it is made when " +
                        configuration.explain(*buffer.when),
                    where);
  }
  if (buffer.view) add_needed_buffer(configuration, buffer.view->of, where, buffers, init_kernels);
  for (const ExpressionText& pointee : buffer.init.pointees())
    add_needed_buffer(configuration, pointee.text, pointee.where, buffers, init_kernels);
  const InitSpec& init = effective_init(configuration, buffer.init);
  if (init.kind != InitSpec::Kind::kKernel || !init_kernels.insert(init.kernel).second) return;
  add_needs_of_kernel(configuration, *workload.find_kernel(init.kernel), buffers, init_kernels);
}

void add_needs_of_kernel(const Configuration& configuration, const KernelSpec& kernel,
                         std::set<std::string>& buffers, std::set<std::string>& init_kernels) {
  for (const ArgumentSpec& argument : kernel.args) {
    if (argument.names_buffer())
      add_needed_buffer(configuration, argument.name, argument.where, buffers, init_kernels);
  }
  for (const auto* symbols : {&kernel.symbols, &kernel.read_symbols})
    for (const auto& [symbol, buffer] : *symbols)
      add_needed_buffer(configuration, buffer, kernel.where, buffers, init_kernels);
}

std::vector<std::string> in_init_order(const Configuration& configuration,
                                       const std::set<std::string>& buffers) {
  std::vector<std::string> kernels;
  for (const BufferSpec& buffer : configuration.workload().buffers) {
    if (!buffers.contains(buffer.name) || &starting_buffer(configuration, buffer) != &buffer) continue;
    const InitSpec& init = effective_init(configuration, buffer.init);
    if (init.kind != InitSpec::Kind::kKernel) continue;
    if (std::find(kernels.begin(), kernels.end(), init.kernel) == kernels.end())
      kernels.push_back(init.kernel);
  }
  return kernels;
}

}  // namespace kiln
