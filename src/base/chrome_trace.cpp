#include "base/chrome_trace.h"

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "base/output_file.h"
#include "base/version.h"

namespace kiln {
namespace {

using Json = nlohmann::ordered_json;

double microseconds(std::int64_t ns) {
  constexpr double kNanosecondsPerMicrosecond = 1e3;
  return static_cast<double>(ns) / kNanosecondsPerMicrosecond;
}

/// One event a line, so that usual text tools can read the file.
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

/// The time inside its span at which a phase of a flow is drawn: the last moment where the flow begins, else
/// the first.
std::int64_t flow_time(const TraceEvent& event) {
  const bool begins = event.flow.phase == TraceFlow::Phase::kBegin;
  return begins ? std::max(event.begin_ns, event.end_ns - 1) : event.begin_ns;
}

/// The begin of each flow. Foreign code, and code whose compile span was dropped, has no begin.
using FlowBegins = std::map<std::uint64_t, std::int64_t>;

FlowBegins find_flow_begins(const TraceContent& content) {
  FlowBegins begins;
  for (const auto& [track, events] : content.tracks) {
    for (const TraceEvent& event : events) {
      if (event.flow.id == 0 || event.flow.phase != TraceFlow::Phase::kBegin) continue;
      const auto [known, added] = begins.try_emplace(event.flow.id, flow_time(event));
      if (!added) known->second = std::min(known->second, flow_time(event));
    }
  }
  return begins;
}

void add_flow(const TraceEvent& event, const TraceTrack& track, std::int64_t begin_ns,
              const FlowBegins& begins, EventList& list) {
  const auto begin = begins.find(event.flow.id);
  if (begin == begins.end() || flow_time(event) < begin->second) return;
  constexpr std::array<const char*, 3> kPhases = {"s", "t", "f"};
  Json flow = {{"ph", kPhases.at(static_cast<std::size_t>(event.flow.phase))},
               {"id", event.flow.id},
               {"cat", "code"},
               {"name", "code"},
               {"pid", track.process},
               {"tid", track.thread},
               {"ts", microseconds(flow_time(event) - begin_ns)}};
  if (event.flow.phase != TraceFlow::Phase::kBegin) flow["bp"] = "e";  // of the span that encloses the time
  list.add(flow);
}

/// In order of time, an enclosing span before the spans inside it. Spans are recorded when they end, so of
/// two spans with equal times the later recorded is the outer one.
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
               const FlowBegins& flows, EventList& list) {
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
    if (event->flow.id != 0) add_flow(*event, track, begin_ns, flows, list);
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
  const FlowBegins flows = find_flow_begins(content);
  for (const auto& [track, events] : content.tracks) add_track(track, events, content.begin_ns, flows, list);
  return "{\"displayTimeUnit\": \"ms\",\n\"otherData\": " +
         facts_of(content).dump(-1, ' ', false, Json::error_handler_t::replace) + ",\n\"traceEvents\": [" +
         list.text() + "\n]}\n";
}

void write_chrome_trace(FileSystem& files, const std::filesystem::path& file, const TraceContent& content) {
  write_output_file(files, file, chrome_trace_json(content));
}

}  // namespace kiln
