#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "base/text.h"
#include "kiln/error.h"
#include "merge/merged.h"
#include "record/study_content.h"

namespace kiln {
namespace {

using Json = nlohmann::ordered_json;

/// Between a device's id and its name, where ids alone do not tell devices apart.
constexpr char kNameMark = '@';

std::string id_of(const std::string& device) {
  return device.substr(0, device.find(kNameMark));
}

/// A section on a device of one file, and its lines.
struct Block {
  std::string section, id, name;
  std::vector<Json> lines;
  bool has_result = false;
  std::string time;  ///< time of the file's header
  std::string source_digest, place;

  [[nodiscard]] std::string text() const {
    std::string text;
    for (const Json& line : lines) text += line.dump() + "\n";
    return text;
  }
  /// Of two blocks of one section and device the greater one is kept.
  [[nodiscard]] auto worth() const { return std::tuple(has_result, lines.size(), time, text()); }
};

struct Study {
  StudyHeader header;
  std::string file;
  std::map<StudyBlock, Block> blocks;
};

Study read_study(const MergeInput& input) {
  Study study{study_content(input.lines, input.file).header, input.file, {}};
  for (const JsonLines::Line& line : input.lines.lines) {
    Json json = Json::parse(line.text);  // whose form study_content has checked
    if (json.at("kind") == "study") continue;
    Block& block = study.blocks[{json.at("section"), json.at("device")}];
    block.section = json.at("section");
    block.id = id_of(json.at("device"));
    block.time = study.header.time;
    block.place = input.file;
    if (json.at("kind") == "case") {
      const Json& record = json.at("record");
      block.name = record.at("device").at("name");
      const auto digest = record.find("source_digest");
      if (digest != record.end() && digest->is_string()) block.source_digest = *digest;
    }
    block.has_result = block.has_result || json.at("kind") == "result";
    block.lines.push_back(std::move(json));
  }
  return study;
}

std::string sections_text(const StudyHeader& header) {
  std::vector<std::string> texts;
  for (const auto& [name, workload] : header.sections) texts.push_back(name + " (" + workload + ")");
  return join(texts, ", ");
}

void require_same_study(const Study& one, const Study& other) {
  const auto compare = [&](const char* what, const std::string& value, const std::string& other_value) {
    if (value != other_value) refuse_to_merge(what, value, one.file, other_value, other.file);
  };
  const StudyHeader& a = one.header;
  const StudyHeader& b = other.header;
  compare("the workloads", sections_text(a), sections_text(b));
  compare("the seed", std::to_string(a.seed), std::to_string(b.seed));
  compare("the number of samples", std::to_string(a.samples), std::to_string(b.samples));
  compare("the number of compiles", std::to_string(a.compiles), std::to_string(b.compiles));
  compare("Kiln", a.kiln_version + " " + a.kiln_revision, b.kiln_version + " " + b.kiln_revision);
}

/// One for each section, id and name of a device.
using Blocks = std::map<std::tuple<std::string, std::string, std::string>, Block>;

Blocks best_blocks(std::vector<Study>& studies, std::size_t& read) {
  Blocks best;
  std::map<std::string, std::pair<std::string, std::string>> sources;  // fact of a section, and its place
  for (Study& study : studies) {
    for (auto& [key, block] : study.blocks) {
      ++read;
      const auto [source, is_first] = sources.try_emplace(block.section, block.source_digest, block.place);
      if (source->second.first != block.source_digest)
        refuse_to_merge("the source of " + block.section, source->second.first, source->second.second,
                        block.source_digest, block.place);
      Block& kept = best[{block.section, block.id, block.name}];
      if (kept.lines.empty() || kept.worth() < block.worth()) kept = std::move(block);
    }
  }
  return best;
}

/// Ids that devices of different names have.
std::set<std::string> shared_ids(const Blocks& blocks) {
  std::map<std::string, std::set<std::string>> names;
  for (const auto& [key, block] : blocks) names[block.id].insert(block.name);
  std::set<std::string> shared;
  for (const auto& [id, all] : names) {
    if (all.size() > 1) shared.insert(id);
  }
  return shared;
}

/// The joint header of the studies, with the digests of several devices.
StudyHeader joint_header(const std::vector<Study>& studies) {
  StudyHeader header = studies.front().header;
  std::set<std::string> digests;
  for (const Study& study : studies) {
    const StudyHeader& own = study.header;
    header.run_id = std::min(header.run_id, own.run_id);
    header.time = std::min(header.time, own.time);
    header.study_file = std::min(header.study_file, own.study_file);
    header.rounds = std::max(header.rounds, own.rounds);
    for (const std::string& digest : split(own.digest, '+')) digests.insert(digest);
  }
  header.digest = join({digests.begin(), digests.end()}, "+");
  return header;
}

/// Devices of all blocks, and devices of headers without measurements.
std::vector<std::string> devices_of(const std::vector<Study>& studies,
                                    const std::set<std::string>& measured) {
  std::set<std::string> devices = measured;
  for (const Study& study : studies) {
    for (const std::string& device : study.header.devices) {
      const bool known = std::any_of(measured.begin(), measured.end(),
                                     [&](const std::string& one) { return id_of(one) == id_of(device); });
      if (!known) devices.insert(device);
    }
  }
  return {devices.begin(), devices.end()};
}

}  // namespace

Merged merge_studies(const std::vector<MergeInput>& inputs) {
  std::vector<Study> studies;
  for (const MergeInput& input : inputs) {
    if (!input.lines.lines.empty()) studies.push_back(read_study(input));
  }
  if (studies.empty()) return {};
  for (const Study& study : studies) require_same_study(studies.front(), study);
  Merged merged;
  std::size_t read = 0;
  Blocks blocks = best_blocks(studies, read);
  const std::set<std::string> shared = shared_ids(blocks);
  std::set<std::string> devices;
  std::string lines;
  for (auto& [key, block] : blocks) {
    const std::string device = shared.contains(block.id) ? block.id + kNameMark + block.name : block.id;
    devices.insert(device);
    for (Json& line : block.lines) line["device"] = device;
    lines += block.text();
  }
  StudyHeader header = joint_header(studies);
  header.devices = devices_of(studies, devices);
  merged.text = study_line(header) + "\n" + lines;
  merged.kept = blocks.size();
  merged.dropped = read - blocks.size();
  return merged;
}

}  // namespace kiln
