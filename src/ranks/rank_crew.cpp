#include "ranks/rank_crew.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/exit_code.h"
#include "base/text.h"
#include "cache/bundle.h"
#include "device/backend_kind.h"
#include "job/compile_variants.h"
#include "job/plan.h"
#include "job/trial_question.h"
#include "job/variant_record.h"
#include "record/record_json.h"

namespace kiln {
namespace {

constexpr std::chrono::seconds kGrace{10};

/// Runs variants on another rank.
class RemoteRunner final : public TrialRunner {
 public:
  RemoteRunner(RankQuestions& questions, const CrewMember& member, const JobContext& context)
      : questions_(questions), member_(member), context_(context) {}

  std::optional<Record> run(const Variant& variant, const TrialRequest& request) override {
    Variant there = variant;
    there.device = member_.device.id;
    auto asked = questions_.ask(member_.rank, RankTopic::kTrial, trial_question(there, request));
    const auto answer = await_answer(asked, [&] { return context_.stopped(); });
    if (!answer) return std::nullopt;
    lost_ = answer->topic == RankTopic::kLost;
    auto record = read_answer(answer->text);
    if (!record) return record;
    require_same(*record, variant);
    record->run_id = context_.run_id;
    record->wisdom = variant.wisdom;
    return record;
  }

  bool has_lost(const std::string& /*device*/) const override { return lost_; }

 private:
  void require_same(const Record& record, const Variant& variant) const {
    const Record expected = start_record(variant, {}, context_);
    const bool same =
        std::equal(expected.parameters.begin(), expected.parameters.end(), record.parameters.begin(),
                   record.parameters.end(), [](const BoundParameter& a, const BoundParameter& b) {
                     // The record of a constant that no kernel reads has the binding `run`.
                     return a.name == b.name && a.value == b.value && (a.compile_time || !b.compile_time);
                   });
    if (!same || record.label != variant.label)
      throw internal_error(member_.to_string() + " ran another variant than '" + variant.label + "'");
  }

  RankQuestions& questions_;
  const CrewMember& member_;
  const JobContext& context_;
  bool lost_ = false;
};

/// Throws the rank's error with its name.
std::optional<Record> read_rank_answer(int rank, const RankGreetingAnswer& answer) {
  try {
    return read_answer(answer.record);
  } catch (const Error& error) {
    throw Error(error.kind(), "rank " + std::to_string(rank) + " (" + answer.host + "): " + error.what());
  }
}

/// Throws the error that a rank has answered with.
std::string read_part_answer(const std::string& text) {
  if (text.starts_with('{')) static_cast<void>(read_answer(text));
  return text;
}

}  // namespace

std::string CrewMember::to_string() const {
  return "rank " + std::to_string(rank) + (host.empty() ? "" : " (" + host + ", " + device.id + ")");
}

RankCrew::RankCrew(Messenger& messenger, DiskCache& cache, FileSystem& files,
                   std::function<void(const std::string&)> tell)
    : messenger_(messenger), cache_(cache), files_(files), tell_(std::move(tell)), questions_(messenger) {
  messenger_.listen([this](const RankMessage& message) { hear(message); });
}

RankCrew::~RankCrew() {
  if (!ended_) end(kExitEnvironment);
}

/// Runs in the messenger's thread.
void RankCrew::hear(const RankMessage& message) {
  if (questions_.take(message)) return;
  if (message.topic == RankTopic::kLog) {
    tell_(name_of(message.rank) + ": " + message.text);
  } else if (message.topic == RankTopic::kCode) {
    const EntryStore store(files_, cache_.root(), EntryStore::Owners::kSelfAndRoot);
    messenger_.send({message.rank, RankTopic::kAnswer, message.ticket,
                     pack_entry(files_, store, message.text).value_or("")});
  } else if (message.topic == RankTopic::kBye) {
    const std::lock_guard lock(mutex_);
    ++byes_;
    said_bye_.notify_one();
  }
}

std::string RankCrew::name_of(int rank) const {
  return "rank " + std::to_string(rank);
}

std::optional<std::vector<RankMessage>> RankCrew::greet_all(const RankGreeting& greeting,
                                                            const JobContext& context) {
  std::vector<std::future<RankMessage>> asked;
  for (int rank = 1; rank < messenger_.place().ranks; ++rank)
    asked.push_back(questions_.ask(rank, RankTopic::kGreet, greeting.to_text()));
  std::vector<RankMessage> answers;
  for (auto& one : asked) {
    auto answer = await_answer(one, [&] { return context.stopped(); });
    if (!answer) return std::nullopt;
    answers.push_back(std::move(*answer));
  }
  return answers;
}

bool RankCrew::greet(const Variant& example, const JobSpec& job, const JobContext& context) {
  const CacheFolderSign sign(files_, cache_);
  const auto answers = greet_all({sign.name(), trial_question(example, {.measure = job.measure})}, context);
  if (!answers) return false;
  const Record own = describe_variant(example, source_of(job), context);
  for (std::size_t i = 0; i < answers->size(); ++i) add_member(static_cast<int>(i) + 1, (*answers)[i], own);
  return true;
}

bool RankCrew::meet(const std::string& digest, const std::string& pci_address, const JobContext& context) {
  const CacheFolderSign sign(files_, cache_);
  const auto greeted = greet_all({sign.name(), digest}, context);
  if (!greeted) return false;
  for (std::size_t i = 0; i < greeted->size(); ++i) {
    const RankGreetingAnswer answer = RankGreetingAnswer::from_text((*greeted)[i].text);
    CrewMember member{static_cast<int>(i) + 1, answer.host, answer.pci_address, {}, answer.shares_cache};
    if (!answer.record.empty()) static_cast<void>(read_rank_answer(member.rank, answer));
    require_own_device(member, pci_address);
    members_.push_back(std::move(member));
  }
  return true;
}

std::optional<std::vector<std::string>> RankCrew::run_parts(const std::vector<int>& ranks,
                                                            const std::function<void(const JobPart&)>& own,
                                                            const JobContext& context) {
  const std::size_t parts = ranks.size() + (own ? 1 : 0);
  std::vector<std::future<RankMessage>> asked;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const std::string part = own ? std::to_string(i + 1) + " " + std::to_string(parts) : "0 1";
    asked.push_back(questions_.ask(ranks[i], RankTopic::kPart, part));
  }
  if (own) own({0, parts});
  std::vector<std::string> answers;
  for (auto& one : asked) {
    const auto answer = await_answer(one, [&] { return context.stopped(); });
    if (!answer) return std::nullopt;
    answers.push_back(read_part_answer(answer->text));
  }
  return answers;
}

bool RankCrew::compile_parts(const std::function<void(const JobPart&)>& own, const JobContext& context) {
  if (!meet("", "", context)) return false;
  std::vector<int> sharing, apart;
  for (const CrewMember& member : members_) (member.shares_cache ? sharing : apart).push_back(member.rank);
  return run_parts(sharing, own, context) && run_parts(apart, {}, context);
}

std::optional<std::vector<std::string>> RankCrew::run_parts(const SharedJob& job, const JobContext& context) {
  if (!meet(job.digest, job.pci_address, context)) return std::nullopt;
  job.prepare();
  std::vector<int> all;
  for (const CrewMember& member : members_) all.push_back(member.rank);
  return run_parts(all, job.own, context);
}

void RankCrew::require_own_device(const CrewMember& member, const std::string& pci_address_of_rank_0) const {
  if (member.pci_address.empty()) return;
  const auto refuse = [&](const std::string& other) {
    throw bad_input(other + " and " + member.to_string() + " would measure on one device, at " +
                    member.pci_address + "; expected at most one rank for each");
  };
  if (member.host == messenger_.place().host && member.pci_address == pci_address_of_rank_0) refuse("rank 0");
  for (const CrewMember& other : members_) {
    if (other.host == member.host && other.pci_address == member.pci_address) refuse(other.to_string());
  }
}

void RankCrew::add_member(int rank, const RankMessage& message, const Record& own) {
  const RankGreetingAnswer answer = RankGreetingAnswer::from_text(message.text);
  CrewMember member{rank, answer.host, answer.pci_address, {}, answer.shares_cache};
  std::optional<Record> record = read_rank_answer(rank, answer);
  if (!record) throw environment_error("rank " + std::to_string(rank) + " was stopped before it began");
  member.device = record->device;
  // The memory of equal nodes differs by a few pages.
  constexpr double kAlike = 0.02;
  const auto bytes = [](const DeviceInfo& device) { return static_cast<double>(device.memory_bytes); };
  if (std::abs(bytes(member.device) - bytes(own.device)) <= kAlike * bytes(own.device))
    record->device.memory_bytes = own.device.memory_bytes;
  if (const std::string difference = find_difference(own.device, record->device); !difference.empty())
    throw bad_input(member.to_string() + " and rank 0 differ (" + difference +
                    "); expected equal devices, whose times can be compared");
  record->device = own.device;
  if (variant_identity(*record) != variant_identity(record_from_json(record_to_json(own), "", 1)))
    throw bad_input(
        member.to_string() +
        " would run something else than rank 0: it has another job, workload, compiler or version "
        "of Kiln");
  require_own_device(member, own.device.pci_address);
  members_.push_back(std::move(member));
}

std::vector<TrialLane> RankCrew::lanes(const JobContext& context) {
  std::vector<TrialLane> lanes;
  for (const bool ahead : {false, true}) {
    for (const CrewMember& member : members_)
      lanes.push_back(
          {std::make_unique<RemoteRunner>(questions_, member, context), member.to_string(), ahead});
  }
  return lanes;
}

void RankCrew::compile(const std::vector<const Variant*>& variants, const JobContext& context) {
  std::vector<const CrewMember*> compiling = {nullptr};  // this rank
  for (const CrewMember& member : members_) {
    if (member.shares_cache) compiling.push_back(&member);
  }
  std::vector<std::string> texts(compiling.size());
  std::vector<VariantToCompile> own;
  for (std::size_t i = 0; i < variants.size(); ++i) {
    const std::size_t place = i % compiling.size();
    if (place == 0) {
      own.push_back({*variants[i], context});
      continue;
    }
    Variant there = *variants[i];
    there.device = compiling[place]->device.id;
    texts[place] += trial_question(there, {}) + "\n";
  }
  std::vector<std::future<RankMessage>> asked;
  for (std::size_t i = 1; i < compiling.size(); ++i) {
    if (!texts[i].empty())
      asked.push_back(questions_.ask(compiling[i]->rank, RankTopic::kCompile, std::move(texts[i])));
  }
  ahead_ = compile_and_wait(code_of(own), context);
  for (auto& one : asked) {
    const auto answer = await_answer(one, [&] { return context.stopped(); });
    if (!answer) return;
    if (!answer->text.empty())
      static_cast<void>(read_answer(answer->text));  // throws what the rank has thrown
  }
}

ServiceCounters RankCrew::counters(const std::function<bool()>& stopped) {
  std::vector<std::future<RankMessage>> asked;
  for (const CrewMember& member : members_)
    asked.push_back(questions_.ask(member.rank, RankTopic::kCounters, ""));
  StoredStatistics sum;
  for (auto& one : asked) {
    const auto answer = await_answer(one, stopped);
    const auto counted = answer ? parse_statistics(answer->text) : std::nullopt;
    if (counted) add_statistics(sum, *counted);
  }
  return sum.counters;
}

void RankCrew::end(int exit_code) {
  ended_ = true;
  const int others = messenger_.place().ranks - 1;
  for (int rank = 1; rank <= others; ++rank) messenger_.send({rank, RankTopic::kEnd, 0, ""});
  {
    std::unique_lock lock(mutex_);
    const bool all = said_bye_.wait_for(lock, kGrace, [&] { return byes_ == others; });
    if (!all) {
      lock.unlock();
      tell_(std::to_string(others - byes_) + " ranks do not end; the MPI job is aborted");
      messenger_.abort(exit_code);
    }
  }
  messenger_.end();
}

}  // namespace kiln
