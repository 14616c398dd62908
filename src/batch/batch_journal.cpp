#include "batch/batch_journal.h"

#include "kiln/error.h"
#include "record/json_fields.h"

namespace kiln {

template <class Io>
void fields(Io& io, Is<BatchBegin> auto& begin) {
  io("time", begin.time);
  io.group("kiln", [&](auto& kiln) {
    kiln("version", begin.kiln_version);
    kiln("revision", begin.kiln_revision);
  });
  io.known("file", begin.file);
}

template <class Io>
void fields(Io& io, Is<BatchJobLine> auto& job) {
  io.need("job", job.name);
  io("digest", job.digest);
  io("time", job.time);
  io.need("end", job.end);
  io("exit_code", job.exit_code);
  io("seconds", job.seconds);
  io.known("message", job.message);
}

namespace {

constexpr const char* kBatchBeginning = "{\"batch\":";
constexpr int kBatchFormat = 1;

/// Every line has the form's number first, as the mark of these files.
template <class Line>
std::string line_of(const Line& line) {
  JsonWriter writer;
  writer("batch", kBatchFormat);
  fields(writer, line);
  return json_line(std::move(writer));
}

}  // namespace

BatchJournal::BatchJournal(FileSystem& files, const std::filesystem::path& folder, const std::string& ending)
    : files_(files), file_(files, folder / ("batch" + ending + ".jsonl"), kBatchBeginning) {}

void BatchJournal::begin(const BatchBegin& line) {
  file_.require_own("a journal of a batch");
  try {
    files_.make_directories(path().parent_path(), false);
  } catch (const std::filesystem::filesystem_error& error) {
    throw bad_input("the output folder '" + path().parent_path().string() +
                    "' cannot be written: " + error.code().message());
  }
  file_.append(line_of(line));
}

void BatchJournal::append(const BatchJobLine& line) {
  file_.append(line_of(line));
}

std::map<std::string, BatchJobLine> BatchJournal::read(Log& log) const {
  std::map<std::string, BatchJobLine> jobs;
  const auto lines = file_.read();
  if (!lines) return jobs;
  for (const std::string& note : lines->notes) log.warn(note);
  for (const JsonLines::Line& line : lines->lines) {
    read_json(line.text, path().string(), line.number, [&](const JsonNode& node) {
      if (const JsonNode format = node.at("batch"); format.integer() != kBatchFormat)
        throw format.expected("format " + std::to_string(kBatchFormat) + " of Kiln's batches");
      if (!node.find("job")) return;
      BatchJobLine job;
      JsonReader reader(node);
      fields(reader, job);
      jobs.insert_or_assign(job.name, job);
    });
  }
  return jobs;
}

}  // namespace kiln
