#include "trial/references.h"

#include <algorithm>
#include <set>

#include "device/backend_kind.h"
#include "trial/buffer_layout.h"
#include "trial/content_key.h"
#include "trial/needs.h"

namespace kiln {

const KernelSpec& References::kernel_of(const CheckSpec& check) const {
  return *configuration_.workload().find_kernel(check.reference_kernel);
}

ReferenceContent References::run(const CheckSpec& check) {
  return {is_apart(configuration_, check) ? run_on_host(check) : run_here(check),
          "kernel " + check.reference_kernel};
}

ArrayContent References::run_here(const CheckSpec& check) {
  PreparedKernel kernel(configuration_, kernel_of(check), units_, workspace_);
  const WatchedLaunch watched(context_.watch, kernel.name());
  contents_.run(kernel, [&] {
    kernel.load_symbols();
    kernel.enqueue();
    kernel.read_symbols();
  });
  return {workspace_, check.reference_buffer};
}

/// Copies the variant's buffers as they are; makes the others, and addresses, which differ.
void References::copy_inputs(Workspace& host, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (!host.has_content(name)) continue;
    if (workspace_.has(name) && host.layout(name).spec->init.pointees().empty()) {
      host.copy_from(name, workspace_);
    } else {
      host.fill(name);
    }
  }
}

ArrayContent References::run_on_host(const CheckSpec& check) {
  const auto cpu = context_.devices.open(host_kind().name);
  const auto stream = cpu->create_stream();
  BufferPool pool;
  Workspace host(*cpu, *stream, configuration_, context_.files, pool);
  std::set<std::string> buffers;
  std::set<std::string> init_kernels;
  add_needs_of_kernel(configuration_, kernel_of(check), buffers, init_kernels);
  const std::vector<std::string> names(buffers.begin(), buffers.end());
  host.allocate(names);
  PreparedKernel kernel(configuration_, kernel_of(check), cpu_units_, host);
  const std::string launch = contents_.launch_key(kernel, [&](const std::string& name) {
    return workspace_.has(name) ? contents_.key_of(name)
                                : fill_key(configuration_, host.layout(name), context_.files);
  });
  KeptBuffers& kept = contents_.kept();
  const auto& taken = kernel.buffers();
  const auto output = std::find(taken.begin(), taken.end(), check.reference_buffer) - taken.begin();
  const std::string key =
      launch.empty() ? "" : BufferContents::output_key(launch, static_cast<std::size_t>(output));
  if (auto copy = kept.find(key)) {
    ++kept.counts().spared;
    return {workspace_, std::move(copy)};
  }
  ++kept.counts().run;
  copy_inputs(host, names);
  kernel.load_symbols();
  const WatchedLaunch watched(context_.watch, kernel.name());
  kernel.enqueue();
  kernel.read_symbols();
  // The workspace goes; what is looked at must stay.
  const std::span<const std::byte> bytes = host.content(check.reference_buffer).bytes;
  if (auto copy = kept.keep(key, workspace_.device(), workspace_.stream(), bytes))
    return {workspace_, std::move(copy)};
  return ArrayContent({bytes.begin(), bytes.end()});
}

}  // namespace kiln
