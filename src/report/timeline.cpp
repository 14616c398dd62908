#include "report/timeline.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <utility>

#include "base/input_file.h"
#include "record/json_node.h"

namespace kiln {
namespace {

constexpr double kMicroseconds = 1e6;

using Track = std::pair<std::int64_t, std::int64_t>;  // process and thread

struct TrackNames {
  std::map<std::int64_t, std::string> processes;
  std::map<Track, std::string> threads;

  [[nodiscard]] std::string of(const Track& track) const {
    const auto process = processes.find(track.first);
    const auto thread = threads.find(track);
    return (process != processes.end() ? process->second : std::to_string(track.first)) + ": " +
           (thread != threads.end() ? thread->second : std::to_string(track.second));
  }
};

double seconds_of(const JsonNode& node) {
  const double value = node.number();
  if (!(value >= 0) || value > std::numeric_limits<float>::max())
    throw node.expected("microseconds from 0 on");
  return value / kMicroseconds;
}

void keep_longest(Timeline& timeline) {
  if (timeline.spans.size() <= kMostTimelineSpans) return;
  timeline.left_out = timeline.spans.size() - kMostTimelineSpans;
  std::stable_sort(timeline.spans.begin(), timeline.spans.end(),
                   [](const TimelineSpan& a, const TimelineSpan& b) { return a.seconds > b.seconds; });
  timeline.spans.resize(kMostTimelineSpans);
}

}  // namespace

Timeline read_timeline(FileSystem& files, const std::filesystem::path& path) {
  Timeline timeline;
  timeline.file = path.filename().string();
  TrackNames names;
  std::map<Track, std::size_t> lanes;
  read_json(read_input(files, path, kResultInput), path.string(), 1, [&](const JsonNode& node) {
    for (const JsonNode& event : node.at("traceEvents").items()) {
      const std::string phase = event.at("ph").text();
      if (phase != "M" && phase != "X") continue;
      const Track track{event.at("pid").integer(), event.at("tid").integer()};
      if (phase == "M") {
        const std::string what = event.at("name").text();
        if (what == "process_name") names.processes[track.first] = event.at("args").at("name").text();
        if (what == "thread_name") names.threads[track] = event.at("args").at("name").text();
        continue;
      }
      const std::size_t lane = lanes.emplace(track, lanes.size()).first->second;
      timeline.spans.push_back({lane, event.at("cat").text(), event.at("name").text(),
                                seconds_of(event.at("ts")), seconds_of(event.at("dur"))});
    }
  });
  timeline.lanes.resize(lanes.size());
  std::map<std::string, int> uses;
  for (const auto& [track, lane] : lanes) {
    const std::string name = names.of(track);
    const int use = ++uses[name];
    timeline.lanes[lane] = use == 1 ? name : name + " (" + std::to_string(use) + ")";
  }
  keep_longest(timeline);
  double first = std::numeric_limits<double>::infinity();
  for (const TimelineSpan& span : timeline.spans) first = std::min(first, span.begin);
  for (TimelineSpan& span : timeline.spans) span.begin -= first;
  return timeline;
}

}  // namespace kiln
