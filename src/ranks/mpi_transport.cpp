#include "ranks/mpi_transport.h"

#include <deque>
#include <utility>

#include "base/plugin.h"
#include "kiln/error.h"
#include "ranks/mpi_plugin.h"

namespace kiln {
namespace {

constexpr PluginKind kPlugin{"MPI plug-in",
                             "libkiln_mpi.so",
                             KILN_MPI_PLUGIN_SYMBOL,
                             KILN_MPI_PLUGIN_VERSION,
                             "it is built where CMake finds an MPI, with -D KILN_MPI=ON",
                             true};

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

}  // namespace

std::unique_ptr<RankTransport> open_mpi(const std::string& stated, FileSystem& files) {
  const OpenedPlugin opened = open_plugin(kPlugin, stated, files);
  const auto& plugin = *static_cast<const kiln_mpi_plugin*>(opened.table);
  kiln_mpi_place place = {};
  if (const char* problem = plugin.begin(&place)) throw environment_error(opened.path + ": " + problem);
  const std::string library = plugin.library;
  return std::make_unique<MpiTransport>(
      plugin, RankPlace{place.rank, place.ranks, place.node_rank, place.node_ranks, place.host,
                        library.substr(0, library.find_first_of(",\n"))});
}

}  // namespace kiln
