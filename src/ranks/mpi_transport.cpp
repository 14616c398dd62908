#include "ranks/mpi_transport.h"

#include <dlfcn.h>

#include <algorithm>
#include <deque>
#include <filesystem>
#include <utility>

#include "base/environment.h"
#include "base/text.h"
#include "kiln/error.h"
#include "ranks/mpi_plugin.h"

namespace kiln {
namespace {

using Path = std::filesystem::path;

constexpr const char* kPlugin = "libkiln_mpi.so";

class MpiTransport final : public RankTransport {
 public:
  MpiTransport(const kiln_mpi_plugin& mpi, RankPlace place) : mpi_(mpi), place_(std::move(place)) {}

  const RankPlace& place() const override { return place_; }

  void send(int to, std::string bytes) override {
    // The bytes stay where they are until they have left: a deque does not move its elements.
    Sending& sending = sending_.emplace_back(Sending{std::move(bytes), nullptr});
    sending.request = mpi_.send(to, sending.bytes.data(), sending.bytes.size());
  }

  std::optional<Message> receive() override {
    int from = 0;
    std::size_t size = 0;
    if (mpi_.probe(&from, &size) == 0) return std::nullopt;
    Message message{from, std::string(size, '\0')};
    mpi_.receive(from, message.bytes.data(), size);
    return message;
  }

  bool all_sent() override {
    for (Sending& one : sending_) {
      if (one.request != nullptr && mpi_.is_sent(one.request) != 0) one.request = nullptr;
    }
    while (!sending_.empty() && sending_.front().request == nullptr) sending_.pop_front();
    return sending_.empty();
  }

  void end() override { mpi_.end(); }
  void abort(int exit_code) override { mpi_.abort(exit_code); }

 private:
  struct Sending {
    std::string bytes;
    void* request;
  };

  const kiln_mpi_plugin& mpi_;
  RankPlace place_;
  std::deque<Sending> sending_;
};

/// MPI's own plug-ins need its symbols, so they are global. The plug-in stays loaded: MPI has exit handlers.
const kiln_mpi_plugin& open_plugin(const std::string& path) {
  void* handle = ::dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (handle == nullptr) {
    const char* why = ::dlerror();
    throw environment_error(std::string("the MPI plug-in cannot be opened: ") + (why == nullptr ? "" : why));
  }
  const auto table = reinterpret_cast<const kiln_mpi_plugin* (*)()>(::dlsym(handle, KILN_MPI_PLUGIN_SYMBOL));
  if (table == nullptr)
    throw environment_error(path + " is no MPI plug-in of Kiln's: it has no " KILN_MPI_PLUGIN_SYMBOL);
  const kiln_mpi_plugin& plugin = *table();
  if (plugin.version != KILN_MPI_PLUGIN_VERSION)
    throw environment_error(path + " is a plug-in of version " + std::to_string(plugin.version) +
                            "; this Kiln takes version " + std::to_string(KILN_MPI_PLUGIN_VERSION));
  return plugin;
}

}  // namespace

std::vector<std::string> mpi_plugin_candidates(const std::string& stated) {
  if (!stated.empty()) return {stated};
  std::vector<std::string> paths;
  for (const Path& object : {Path("/proc/self/exe"), this_object()}) {
    std::error_code failure;
    const Path folder = std::filesystem::canonical(object, failure).parent_path();
    if (failure) continue;
    for (const Path& place : {folder, folder.parent_path() / "lib" / "kiln", folder / "kiln"}) {
      std::string path = (place / kPlugin).string();
      if (std::find(paths.begin(), paths.end(), path) == paths.end()) paths.push_back(std::move(path));
    }
  }
  return paths;
}

std::unique_ptr<RankTransport> open_mpi(const std::string& stated, FileSystem& files) {
  const std::vector<std::string> candidates = mpi_plugin_candidates(stated);
  const auto found = std::find_if(candidates.begin(), candidates.end(), [&](const std::string& path) {
    return files.target_status(path).has_value();
  });
  if (found == candidates.end())
    throw environment_error("the MPI plug-in " + std::string(kPlugin) +
                            " is not there (looked for: " + join(candidates, ", ") +
                            "); it is built where CMake finds an MPI, with -D KILN_MPI=ON");
  const kiln_mpi_plugin& plugin = open_plugin(*found);
  kiln_mpi_place place = {};
  if (const char* problem = plugin.begin(&place)) throw environment_error(*found + ": " + problem);
  const std::string library = plugin.library;
  return std::make_unique<MpiTransport>(
      plugin, RankPlace{place.rank, place.ranks, place.node_rank, place.node_ranks, place.host,
                        library.substr(0, library.find_first_of(",\n"))});
}

}  // namespace kiln
