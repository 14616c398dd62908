#include "config/batch_spec.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "base/text.h"
#include "config/setting_rows.h"
#include "kiln/error.h"

namespace kiln {
namespace {

using Path = std::filesystem::path;

constexpr std::int64_t kMostAtOnce = 1024;

/// A name is a folder's, and a word of the command line.
bool is_name(const std::string& text) {
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.';
  };
  return !text.empty() && text.front() != '.' && text.front() != '-' &&
         std::all_of(text.begin(), text.end(), fits);
}

std::string stem_of(const std::string& file) {
  std::string stem = Path(file).stem().string();
  for (char& c : stem) {
    if (!is_name(std::string("a") + c)) c = '_';
  }
  return is_name(stem) ? stem : "job_" + stem;
}

/// "srun -n 4" or [srun, -n, 4].
std::vector<std::string> read_words(const YamlNode& node) {
  std::vector<std::string> words;
  for (const YamlNode& item : node.items_or_self()) {
    if (node.is_sequence()) {
      words.push_back(item.text());
      continue;
    }
    for (const std::string& word : split(item.text(), ' ')) {
      if (!word.empty()) words.push_back(word);
    }
  }
  if (words.empty() || words.front().empty())
    throw node.error("expected a program and its arguments, such as 'srun -n 4'");
  return words;
}

/// A text as settings take it, with the node's place in the error.
template <class Parse>
auto read_amount(const YamlNode& node, Parse parse) {
  try {
    return parse(node.text());
  } catch (const Error& error) {
    throw node.error(error.message());
  }
}

/// Limits of a batch or of one of its jobs, whose own values replace the batch's.
void read_limits(const YamlNode& node, BatchLimits& limits) {
  node.require_keys({"time", "memory"});
  if (const auto value = node.find("time")) limits.seconds = read_amount(*value, parse_seconds);
  if (const auto value = node.find("memory")) limits.memory = read_amount(*value, parse_bytes);
}

void read_set(const YamlNode& node, std::vector<std::string>& set) {
  for (const auto& [name, value] : node.entries()) {
    std::erase_if(set, [&key = name](const std::string& one) { return one.starts_with(key + "="); });
    set.push_back(name + "=" + value.text());
  }
}

/// `run:`, `study:` or `tune:` with a file; exactly one of them.
void read_command(const YamlNode& node, const Path& folder, BatchJob& job) {
  std::vector<std::string> found;
  for (const auto& [command, word] : kWords<BatchCommand>) {
    const auto file = node.find(std::string(word));
    if (!file) continue;
    found.emplace_back(word);
    job.command = command;
    job.file = (folder / file->text()).lexically_normal().string();
    if (file->text().empty()) throw file->error("expected the path of a file");
  }
  if (found.size() != 1)
    throw node.error("expected one of run, study, tune with the path of a file; found " +
                     (found.empty() ? "none" : join(found, " and ")));
}

/// The batch's values that a job takes unless it sets its own.
BatchJob read_job(const YamlNode& node, const Path& folder, const BatchJob& common) {
  BatchJob job = common;
  job.where = node.where();
  if (node.is_scalar()) {
    if (node.text().empty()) throw node.error("expected the path of a job file");
    job.file = (folder / node.text()).lexically_normal().string();
  } else {
    node.require_keys(
        {"run", "study", "tune", "name", "set", "device", "output", "after", "limits", "launcher"});
    read_command(node, folder, job);
    if (const auto value = node.find("set")) read_set(*value, job.set);
    if (const auto value = node.find("device")) job.devices = read_devices(*value);
    if (const auto value = node.find("output")) job.output = value->text();
    if (const auto value = node.find("limits")) read_limits(*value, job.limits);
    if (const auto value = node.find("launcher")) job.launcher = read_words(*value);
    if (const auto value = node.find("name")) {
      job.name = value->text();
      if (!is_name(job.name))
        throw value->error("expected a name of letters, digits, '_', '-' and '.'; found " +
                           in_quotes(job.name));
    }
  }
  if (job.name.empty()) job.name = stem_of(job.file);
  return job;
}

void require_distinct_names(const std::vector<BatchJob>& jobs) {
  std::set<std::string> names;
  for (const BatchJob& job : jobs) {
    if (!names.insert(job.name).second)
      throw bad_input(
          "jobs: two have the name " + in_quotes(job.name) + "; give one of them another by `name`",
          job.where);
  }
}

std::vector<std::size_t> read_after(const YamlNode& node, const std::vector<BatchJob>& jobs) {
  std::vector<std::size_t> after;
  std::vector<std::string> names;
  for (const BatchJob& job : jobs) names.push_back(job.name);
  for (const YamlNode& item : node.items_or_self()) {
    const auto found = std::find(names.begin(), names.end(), item.text());
    if (found == names.end())
      throw item.error("there is no job " + in_quotes(item.text()) + suggestion(item.text(), names));
    const auto place = static_cast<std::size_t>(found - names.begin());
    if (std::find(after.begin(), after.end(), place) == after.end()) after.push_back(place);
  }
  return after;
}

/// Follows `after` from each job; the way back to a job on the way is a cycle.
class CycleSearch {
 public:
  explicit CycleSearch(const std::vector<BatchJob>& jobs) : jobs_(jobs), state_(jobs.size(), State::kNew) {}

  void require_none() {
    for (std::size_t i = 0; i < jobs_.size(); ++i) visit(i);
  }

 private:
  enum class State { kNew, kOpen, kDone };

  void visit(std::size_t job) {
    if (state_[job] == State::kDone) return;
    way_.push_back(job);
    if (state_[job] == State::kOpen) refuse(job);
    state_[job] = State::kOpen;
    for (const std::size_t before : jobs_[job].after) visit(before);
    state_[job] = State::kDone;
    way_.pop_back();
  }

  [[noreturn]] void refuse(std::size_t job) const {
    std::vector<std::string> names;
    for (auto one = std::find(way_.begin(), way_.end(), job); one != way_.end(); ++one)
      names.push_back(jobs_[*one].name);
    throw bad_input("after: jobs wait for each other: " + join(names, " after "), jobs_[job].where);
  }

  const std::vector<BatchJob>& jobs_;
  std::vector<State> state_;
  std::vector<std::size_t> way_;
};

void read_jobs(const YamlNode& node, const Path& folder, const BatchJob& common, BatchSpec& batch) {
  const std::vector<YamlNode> items = node.items();
  if (items.empty()) throw node.error("expected at least one job");
  for (const YamlNode& item : items) batch.jobs.push_back(read_job(item, folder, common));
  require_distinct_names(batch.jobs);
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (!items[i].is_map()) continue;
    if (const auto after = items[i].find("after")) batch.jobs[i].after = read_after(*after, batch.jobs);
  }
  CycleSearch(batch.jobs).require_none();
}

}  // namespace

bool looks_like_batch(const YamlNode& root) {
  return root.is_map() && root.find("jobs").has_value();
}

BatchSpec parse_batch(const std::string& text, const std::string& name) {
  const YamlNode root = YamlNode::parse(text, name);
  root.require_keys({"jobs", "set", "device", "output", "keep_going", "at_once", "limits", "launcher"});
  BatchSpec batch;
  batch.file = name;
  BatchJob common;
  if (const auto node = root.find("set")) read_set(*node, common.set);
  if (const auto node = root.find("device")) common.devices = read_devices(*node);
  if (const auto node = root.find("limits")) read_limits(*node, common.limits);
  if (const auto node = root.find("launcher")) common.launcher = read_words(*node);
  if (const auto node = root.find("output")) batch.output = node->text();
  if (const auto node = root.find("keep_going")) batch.keep_going = node->boolean();
  if (const auto node = root.find("at_once")) {
    const std::int64_t count = node->integer();
    if (count < 1 || count > kMostAtOnce)
      throw node->error("expected 1 to " + std::to_string(kMostAtOnce) + " jobs; found " + node->text());
    batch.at_once = static_cast<std::size_t>(count);
  }
  read_jobs(root.at("jobs"), Path(name).parent_path(), common, batch);
  return batch;
}

BatchSpec batch_of_files(const std::vector<std::string>& files, const std::vector<BatchCommand>& commands) {
  BatchSpec batch;
  std::set<std::string> names;
  for (std::size_t i = 0; i < files.size(); ++i) {
    BatchJob& job = batch.jobs.emplace_back();
    job.file = files[i];
    job.command = commands.at(i);
    const std::string stem = stem_of(files[i]);
    job.name = stem;
    for (int number = 2; !names.insert(job.name).second; ++number)
      job.name = stem + "-" + std::to_string(number);
  }
  return batch;
}

}  // namespace kiln
