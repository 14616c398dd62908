#include "record/progress.h"

#include <unistd.h>

#include <utility>

#include "base/input_file.h"
#include "record/json_fields.h"

namespace kiln {

template <class Io>
void fields(Io& io, Is<ProgressJob> auto& job) {
  io.need("name", job.name);
  io("command", job.command);
  io.known("output", job.output);
  io("state", job.state);
  io("total", job.total);
  io("seconds", job.seconds);
}

template <class Io>
void fields(Io& io, Is<Progress> auto& progress) {
  io.need("command", progress.command);
  io("unit", progress.unit);
  io.known("stage", progress.stage);
  io("begin_ns", progress.begin_ns);
  io("updated_ns", progress.updated_ns);
  io("total", progress.total);
  io("done", progress.done);
  io("failed", progress.failed);
  io("known", progress.known);
  io("seconds_left", progress.seconds_left);
  io.known("best", progress.best);
  io("messages", progress.messages);
  io("exit_code", progress.exit_code);
  io("jobs", progress.jobs);
}

ProgressFile::ProgressFile(FileSystem& files, std::filesystem::path folder, std::string name)
    : files_(files), path_(std::move(folder) / (std::move(name) + ".json")) {}

void ProgressFile::write(const Progress& progress) {
  JsonWriter writer;
  fields(writer, progress);
  const std::filesystem::path fresh = path_.string() + "." + std::to_string(::getpid());
  files_.write_file(fresh, json_line(std::move(writer)) + "\n", false);
  static_cast<void>(files_.rename(fresh, path_));
}

std::optional<Progress> ProgressFile::read() const {
  constexpr InputRules kRules{std::uint64_t{16} << 20};
  if (!files_.status(path_)) return std::nullopt;
  Progress progress;
  read_json(read_input(files_, path_, kRules), path_.string(), 1, [&](const JsonNode& node) {
    JsonReader reader(node);
    fields(reader, progress);
  });
  return progress;
}

}  // namespace kiln
