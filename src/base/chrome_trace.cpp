#include "base/chrome_trace.h"

#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "base/version.h"

namespace kiln {
namespace {

using Json = nlohmann::ordered_json;

double microseconds(std::int64_t ns) {
  constexpr double kNanosecondsPerMicrosecond = 1e3;
  return static_cast<double>(ns) / kNanosecondsPerMicrosecond;
}

/// One event a line, so that a file can be looked into with the usual tools.
class EventList {
 public:
  void add(const Json& event) {
    text_ += text_.empty() ? "\n" : ",\n";
    text_ += event.dump(-1, ' ', false, Json::error_handler_t::replace);
  }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_;
};

Json arguments_of(const TraceLabel& label) {
  Json arguments = Json::object();
  for (const auto& [name, value] : label.arguments)
    std::visit([&, &key = name](const auto& held) { arguments[key] = held; }, value);
  return arguments;
}

void add_name(const char* what, const TraceTrack& track, const std::string& name, EventList& list) {
  list.add({{"ph", "M"},
            {"name", what},
            {"pid", track.process},
            {"tid", track.thread},
            {"args", {{"name", name}}}});
}

/// A flow's end is drawn from the span that encloses its time: the last moment of the span where it begins,
/// the first of the others.
void add_flow(const TraceEvent& event, const TraceTrack& track, std::int64_t begin_ns, EventList& list) {
  constexpr std::array<const char*, 3> kPhases = {"s", "t", "f"};
  const bool begins = event.flow.step == TraceFlow::Step::kBegin;
  const std::int64_t at = begins ? std::max(event.begin_ns, event.end_ns - 1) : event.begin_ns;
  Json flow = {{"ph", kPhases.at(static_cast<std::size_t>(event.flow.step))},
               {"id", event.flow.id},
               {"cat", "code"},
               {"name", "code"},
               {"pid", track.process},
               {"tid", track.thread},
               {"ts", microseconds(at - begin_ns)}};
  if (!begins) flow["bp"] = "e";
  list.add(flow);
}

/// In order of time, an enclosing span before what it encloses. Spans are recorded when they end, so of two
/// that take the same time the later recorded is the outer one.
std::vector<const TraceEvent*> in_order(const std::vector<TraceEvent>& events) {
  std::vector<const TraceEvent*> order;
  order.reserve(events.size());
  for (auto event = events.rbegin(); event != events.rend(); ++event) order.push_back(&*event);
  std::stable_sort(order.begin(), order.end(), [](const TraceEvent* a, const TraceEvent* b) {
    return a->begin_ns != b->begin_ns ? a->begin_ns < b->begin_ns : a->end_ns > b->end_ns;
  });
  return order;
}

void add_track(const TraceTrack& track, const std::vector<TraceEvent>& events, std::int64_t begin_ns,
               EventList& list) {
  for (const TraceEvent* event : in_order(events)) {
    Json json = {{"ph", "X"},
                 {"name", event->label->name},
                 {"cat", to_string(event->label->kind)},
                 {"pid", track.process},
                 {"tid", track.thread},
                 {"ts", microseconds(event->begin_ns - begin_ns)},
                 {"dur", microseconds(event->end_ns - event->begin_ns)}};
    if (!event->label->arguments.empty()) json["args"] = arguments_of(*event->label);
    list.add(json);
    if (event->flow.id != 0) add_flow(*event, track, begin_ns, list);
  }
}

Json facts_of(const TraceContent& content) {
  Json uncertainty = Json::object();
  for (const auto& [device, ns] : content.uncertainty_ns) uncertainty[device] = microseconds(ns);
  return {{"program", "kiln " + build_info().version},
          {"begin", to_iso8601(content.begin_system_ns)},
          {"dropped_spans", content.dropped},
          {"launches_without_device_time", content.unplaced},
          {"device_clock_uncertainty_us", uncertainty}};
}

}  // namespace

std::string chrome_trace_json(const TraceContent& content) {
  EventList list;
  std::set<std::int64_t> named;
  for (const auto& [track, events] : content.tracks) {
    if (named.insert(track.process).second) add_name("process_name", track, track.process_name, list);
    add_name("thread_name", track, track.thread_name, list);
  }
  for (const auto& [track, events] : content.tracks) add_track(track, events, content.begin_ns, list);
  return "{\"displayTimeUnit\": \"ms\",\n\"otherData\": " + facts_of(content).dump() +
         ",\n\"traceEvents\": [" + list.text() + "\n]}\n";
}

void write_chrome_trace(FileSystem& files, const std::filesystem::path& file, const TraceContent& content) {
  std::filesystem::path made = file;
  made += ".tmp-" + std::to_string(::getpid());
  try {
    files.write_file(made, chrome_trace_json(content), false);
    if (!files.rename(made, file)) {
      throw std::filesystem::filesystem_error("cannot replace", file,
                                              std::make_error_code(std::errc::is_a_directory));
    }
  } catch (const std::filesystem::filesystem_error&) {
    files.remove_all(made);
    throw;
  }
}

}  // namespace kiln
