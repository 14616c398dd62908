#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace kiln::test {

/// A Chrome trace as a viewer reads it.
class TraceReading {
 public:
  using Json = nlohmann::json;
  using Line = std::pair<std::int64_t, std::int64_t>;  ///< process, thread

  /// Throws what nlohmann throws at a text that is no JSON.
  explicit TraceReading(const std::string& text) : json_(Json::parse(text)) {}

  [[nodiscard]] const Json& facts() const { return json_.at("otherData"); }

  /// The events of a phase and, where it is given, of a category.
  [[nodiscard]] std::vector<Json> events(const std::string& phase, const std::string& category = "") const {
    std::vector<Json> found;
    for (const Json& event : json_.at("traceEvents")) {
      if (event.at("ph") == phase && (category.empty() || event.value("cat", "") == category))
        found.push_back(event);
    }
    return found;
  }
  [[nodiscard]] std::vector<Json> spans(const std::string& category) const { return events("X", category); }

  /// Names of the spans of a category, in the order of the file.
  [[nodiscard]] std::vector<std::string> names(const std::string& category) const {
    std::vector<std::string> found;
    for (const Json& event : spans(category)) found.push_back(event.at("name"));
    return found;
  }

  /// By process and thread: "kiln/main".
  [[nodiscard]] std::map<Line, std::string> lines() const {
    std::map<std::int64_t, std::string> processes;
    std::map<Line, std::string> found;
    for (const Json& event : events("M")) {
      if (event.at("name") == "process_name") processes[event.at("pid")] = event.at("args").at("name");
    }
    for (const Json& event : events("M")) {
      if (event.at("name") == "thread_name")
        found[{event.at("pid"), event.at("tid")}] =
            processes[event.at("pid")] + "/" + event.at("args").at("name").get<std::string>();
    }
    return found;
  }

  /// Whether `inner` lies within `outer`, on the same thread.
  [[nodiscard]] static bool within(const Json& inner, const Json& outer) {
    return inner.at("pid") == outer.at("pid") && inner.at("tid") == outer.at("tid") &&
           begin_of(inner) >= begin_of(outer) && end_of(inner) <= end_of(outer);
  }

  /// Every span lies on a thread that has a name, not before the trace began, and of two on one thread one
  /// holds the other or they lie apart; every flow that ends has begun, and not later.
  void expect_sound() const {
    const auto known = lines();
    std::map<Line, std::vector<std::int64_t>> open;  // ends of spans that a later one may lie in
    for (const Json& event : events("X")) {
      const Line line{event.at("pid"), event.at("tid")};
      EXPECT_TRUE(known.contains(line)) << event;
      EXPECT_GE(begin_of(event), 0) << event;
      EXPECT_GE(end_of(event), begin_of(event)) << event;
      auto& ends = open[line];
      while (!ends.empty() && ends.back() <= begin_of(event)) ends.pop_back();
      if (!ends.empty()) {
        EXPECT_LE(end_of(event), ends.back()) << "cuts another span: " << event;
      }
      ends.push_back(end_of(event));
    }
    std::map<std::uint64_t, std::int64_t> begun;
    for (const Json& event : events("s")) {  // the same code may be made again, on whatever thread
      const auto [place, added] = begun.try_emplace(event.at("id"), begin_of(event));
      if (!added) place->second = std::min(place->second, begin_of(event));
    }
    for (const char* phase : {"t", "f"}) {
      for (const Json& event : events(phase)) {
        ASSERT_TRUE(begun.contains(event.at("id"))) << event;
        EXPECT_GE(begin_of(event), begun.at(event.at("id"))) << event;
      }
    }
  }

 private:
  /// Nanoseconds: microseconds as doubles would not add up.
  [[nodiscard]] static std::int64_t ns(const Json& microseconds) {
    return std::llround(microseconds.get<double>() * 1e3);
  }
  [[nodiscard]] static std::int64_t begin_of(const Json& event) { return ns(event.at("ts")); }
  [[nodiscard]] static std::int64_t end_of(const Json& event) {
    return begin_of(event) + ns(event.at("dur"));
  }

  Json json_;
};

}  // namespace kiln::test
