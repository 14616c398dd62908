#include "tune/tune_journal.h"

#include <array>
#include <cmath>
#include <utility>

#include "record/json_fields.h"

namespace kiln {

template <class Io>
void fields(Io& io, Is<JournalHeader> auto& header) {
  io("kiln", header.kiln_version);
  io.need("workload", header.workload);
  io("source_digest", header.source_digest);
  io("space", header.space);
  io.need("names", header.names);
  io("searcher", header.searcher);
  io("seed", header.seed);
  io.need("device", header.device);
  io("arch", header.arch);
  io.known("driver", header.driver);
  io("compiler", header.compiler);
}

template <class Io>
void fields(Io& io, Is<JournalAsk> auto& ask) {
  io.need("wanted", ask.wanted);
  io.need("points", ask.points);
}

template <class Io>
void fields(Io& io, Is<JournalFinalist> auto& finalist) {
  io.need("label", finalist.label);
  io.need("median", finalist.median);
  io.pair("interval", finalist.low, finalist.high);
}

template <class Io>
void fields(Io& io, Is<JournalEnd> auto& end) {
  io.need("reason", end.reason);
  io("best", end.best);
  io("compile_seconds", end.compile_seconds);
  io("device_seconds", end.device_seconds);
  io("wait_seconds", end.wait_seconds);
}

namespace {

constexpr int kJournalFormat = 1;
// In the order of JournalEvent.
constexpr std::array kEvents = {"tune", "ask", "outcome", "finalist", "end"};

void require_value(const JsonNode& node, const Evaluation& evaluation) {
  const Outcome& outcome = evaluation.outcome;
  if (outcome.kind != OutcomeKind::kFailed && !(outcome.value > 0 && std::isfinite(outcome.value)))
    throw node.at("outcome").at("value").expected("a number above 0");
}

template <std::size_t index = 0>
void read_event(const JsonNode& node, const std::string& word, std::vector<JournalEvent>& events) {
  if constexpr (index < kEvents.size()) {
    if (word != kEvents[index]) return read_event<index + 1>(node, word, events);
    std::variant_alternative_t<index, JournalEvent> event;
    JsonReader reader(node);
    fields(reader, event);
    if constexpr (std::is_same_v<decltype(event), Evaluation>) require_value(node, event);
    events.emplace_back(std::move(event));
  }
}

}  // namespace

void TuneJournal::append(const JournalEvent& event) {
  JsonWriter writer;
  writer("event", kEvents.at(event.index()));
  if (std::holds_alternative<JournalHeader>(event)) writer("format", kJournalFormat);
  std::visit([&](const auto& one) { fields(writer, one); }, event);
  file_.append(json_line(std::move(writer)));
}

std::vector<JournalEvent> TuneJournal::read(Log& log) const {
  const auto lines = file_.read();
  if (!lines) return {};
  for (const std::string& note : lines->notes) log.warn(note);
  return journal_events(*lines, path().string());
}

std::vector<JournalEvent> journal_events(const JsonLines& lines, const std::string& file) {
  std::vector<JournalEvent> events;
  for (const JsonLines::Line& line : lines.lines) {
    read_json(line.text, file, line.number, [&](const JsonNode& node) {
      const std::string word = node.at("event").text();
      if (word == kEvents.front()) {
        if (const JsonNode format = node.at("format"); format.integer() != kJournalFormat)
          throw format.expected("format " + std::to_string(kJournalFormat) + " of Kiln's journals");
      } else if (events.empty()) {
        throw node.at("event").expected("tune, as the first line's");
      }
      read_event(node, word, events);
    });
  }
  return events;
}

}  // namespace kiln
