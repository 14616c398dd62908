#include "trial/library_call.h"

#include <array>
#include <deque>

#include "base/plugin.h"
#include "config/scalar_type.h"
#include "device/backend_kind.h"
#include "device/fault.h"

namespace kiln {
namespace {

constexpr PluginKind kPlugin{"plug-in for libraries of vendors",
                             "libkiln_vendor.so",
                             KILN_VENDOR_PLUGIN_SYMBOL,
                             KILN_VENDOR_PLUGIN_VERSION,
                             "it is built with -D KILN_VENDOR=ON",
                             false};

const kiln_vendor_plugin* open_table(FileSystem& files, const SourceLocation& where) {
  try {
    return static_cast<const kiln_vendor_plugin*>(open_plugin(kPlugin, "", files).table);
  } catch (const Error& error) {
    throw unfit_kernel("library: " + error.message(), where);
  }
}

}  // namespace

LibraryCall::LibraryCall(const Configuration& configuration, const LibrarySpec& spec, Workspace& workspace)
    : configuration_(configuration),
      spec_(spec),
      workspace_(workspace),
      plugin_(open_table(workspace.files(), spec.where)) {
  prepare(workspace.stream().native());
}

LibraryCall::~LibraryCall() {
  if (call_ != nullptr) plugin_->release(call_);
}

void LibraryCall::prepare(void* stream) {
  stream_ = stream;
  std::vector<kiln_vendor_argument> arguments;
  std::deque<std::string> types;
  addresses_.clear();
  for (const LibraryArgument& argument : spec_.args) {
    if (argument.buffer) {
      const BufferLayout& layout = workspace_.layout(argument.value.text);
      void* const address = *workspace_.address(argument.value.text);
      addresses_.push_back(address);
      const std::string& type = types.emplace_back(layout.scalar ? to_string(*layout.scalar) : "");
      arguments.push_back({argument.name.c_str(), address, type.c_str(), 0});
    } else {
      arguments.push_back({argument.name.c_str(), nullptr, "", configuration_.evaluate(argument.value)});
    }
  }
  std::vector<std::string> folders;
  for (const auto& folder : backend_kind(configuration_.backend()).library_folders(workspace_.files()))
    folders.push_back(folder.string());
  std::vector<const char*> folder_names;
  folder_names.reserve(folders.size());
  for (const std::string& folder : folders) folder_names.push_back(folder.c_str());
  if (call_ != nullptr) plugin_->release(call_);
  std::array<char, 2048> text = {};
  const kiln_vendor_request request{spec_.routine.c_str(),
                                    configuration_.backend().c_str(),
                                    stream,
                                    arguments.data(),
                                    arguments.size(),
                                    folder_names.data(),
                                    folder_names.size()};
  call_ = plugin_->prepare(&request, text.data(), text.size());
  name_ = text.data();
  if (call_ == nullptr) throw unfit_kernel("library " + spec_.routine + ": " + name_, spec_.where);
}

void LibraryCall::enqueue(Stream& stream) {
  std::size_t next = 0;
  bool moved = stream.native() != stream_;
  for (const LibraryArgument& argument : spec_.args) {
    if (argument.buffer) moved = moved || *workspace_.address(argument.value.text) != addresses_[next++];
  }
  if (moved) prepare(stream.native());  // after a swap, or on another stream
  if (const char* problem = plugin_->run(call_)) throw device_fault(name_ + ": " + problem);
}

}  // namespace kiln
