#include "ranks/rank_member.h"

#include <exception>
#include <filesystem>
#include <new>
#include <utility>
#include <vector>

#include "base/text.h"
#include "cache/bundle.h"
#include "cache/make_cache_key.h"
#include "job/compile_variants.h"
#include "job/variant_record.h"
#include "ranks/rank_greeting.h"
#include "record/record_json.h"
#include "service/statistics_file.h"

namespace kiln {
namespace {

/// Returns the answer of `work`. An error that `work` throws becomes an answer.
template <class Work>
std::string answer_of(const Work& work) {
  try {
    return work();
  } catch (const Error& error) {
    return error_answer(error);
  } catch (const std::filesystem::filesystem_error& error) {
    return error_answer(environment_error(error.what()));
  } catch (const std::bad_alloc&) {
    return error_answer(environment_error("the rank has no memory left"));
  } catch (const std::exception& error) {
    return error_answer(internal_error(error.what()));
  }
}

/// Reads "1 4", which RankCrew::compile_parts() writes.
JobPart part_in(const std::string& text) {
  const std::vector<std::string> words = split(text, ' ');
  const auto part = parse_integer(words.front());
  const auto parts = parse_integer(words.back());
  if (words.size() != 2 || !part || !parts || *part < 0 || *part >= *parts)
    throw internal_error("expected a part of a compile, found '" + text + "'");
  return {static_cast<std::size_t>(*part), static_cast<std::size_t>(*parts)};
}

}  // namespace

RankMember::RankMember(Messenger& messenger) : messenger_(messenger), questions_(messenger) {
  messenger_.listen([this](RankMessage message) {
    if (questions_.take(message)) return;
    const std::lock_guard lock(mutex_);
    if (message.topic == RankTopic::kEnd) {
      ended_ = true;
    } else {
      asked_.push_back(std::move(message));
    }
    came_.notify_one();
  });
}

void RankMember::tell(const std::string& line) {
  messenger_.send({0, RankTopic::kLog, 0, line});
}

void RankMember::serve(const MemberTrials& trials) {
  while (const auto question = next()) {
    RankTopic topic = RankTopic::kAnswer;
    std::string text = answer_of([&]() -> std::string {
      switch (question->topic) {
        case RankTopic::kTrial:
          return run(*question, trials);
        case RankTopic::kCompile:
          compile(*question, trials);
          return "";
        case RankTopic::kCounters:
          return statistics_text({.counters = trials.context.service.counters(), .runs = 1});
        default:
          return "";
      }
    });
    if (question->topic == RankTopic::kGreet) text = greet(*question, trials);
    if (trials.runner.has_lost(trials.device->info().id)) topic = RankTopic::kLost;
    answer(*question, topic, std::move(text));
  }
}

void RankMember::serve(const MemberParts& parts) {
  const JobContext& context = parts.context;
  while (const auto question = next()) {
    std::string text = answer_of([&]() -> std::string {
      if (question->topic == RankTopic::kCounters)
        return statistics_text({.counters = context.service.counters(), .runs = 1});
      if (question->topic != RankTopic::kPart) return "";
      JobPart part = part_in(question->text);
      if (!shares_cache_) part.fetch = [&](const WantedCode& code) { fetch(code, context, parts.cache); };
      return parts.run(part);
    });
    if (question->topic == RankTopic::kGreet) text = greet(*question, parts);
    answer(*question, RankTopic::kAnswer, std::move(text));
  }
}

std::string RankMember::greet(const RankMessage& question, const MemberParts& parts) {
  const RankGreeting greeting = RankGreeting::from_text(question.text);
  shares_cache_ = CacheFolderSign::is_seen(parts.context.files, parts.cache, greeting.sign);
  const std::string problem =
      greeting.question == parts.digest
          ? ""
          : error_answer(bad_input("this rank has another job, workload, device, compiler or version of Kiln "
                                   "than rank 0; expected equal ones"));
  return RankGreetingAnswer{messenger_.place().host, shares_cache_, parts.pci_address, problem}.to_text();
}

void RankMember::serve(const Error& error) {
  while (const auto question = next()) {
    std::string text = error_answer(error);
    if (question->topic == RankTopic::kGreet)
      text = RankGreetingAnswer{messenger_.place().host, false, "", std::move(text)}.to_text();
    answer(*question, RankTopic::kAnswer, std::move(text));
  }
}

void RankMember::end() {
  messenger_.send({0, RankTopic::kBye, 0, ""});
  messenger_.end();
}

/// Absent when the job has ended.
std::optional<RankMessage> RankMember::next() {
  std::unique_lock lock(mutex_);
  came_.wait(lock, [&] { return ended_ || !asked_.empty(); });
  if (ended_) return std::nullopt;
  RankMessage message = std::move(asked_.front());
  asked_.pop_front();
  return message;
}

void RankMember::answer(const RankMessage& question, RankTopic topic, std::string text) {
  messenger_.send({question.rank, topic, question.ticket, std::move(text)});
}

std::string RankMember::greet(const RankMessage& question, const MemberTrials& trials) {
  const RankGreeting greeting = RankGreeting::from_text(question.text);
  shares_cache_ = CacheFolderSign::is_seen(trials.context.files, trials.cache, greeting.sign);
  const std::string record = answer_of([&] {
    TrialQuestion asked = read_trial_question(greeting.question, trials.workload, trials.context.devices,
                                              trials.context.files, trials.device->info().id);
    return record_to_json(
        describe_variant(asked.variant, {trials.job_file, asked.request.measure.cold}, trials.context));
  });
  return RankGreetingAnswer{messenger_.place().host, shares_cache_, trials.device->info().pci_address, record}
      .to_text();
}

std::string RankMember::run(const RankMessage& question, const MemberTrials& trials) {
  const TrialQuestion asked =
      read_trial_question(question.text, trials.workload, trials.context.devices, trials.context.files);
  if (!shares_cache_) {
    for (const WantedCode& wanted : code_of({{asked.variant, trials.context}}))
      fetch(wanted, trials.context, trials.cache);
  }
  const auto record = trials.runner.run(asked.variant, asked.request);
  return record ? record_to_json(*record) : std::string(kStoppedAnswer);
}

void RankMember::compile(const RankMessage& question, const MemberTrials& trials) {
  std::vector<TrialQuestion> wanted;
  for (const std::string& line : split(question.text, '\n')) {
    if (!line.empty())
      wanted.push_back(
          read_trial_question(line, trials.workload, trials.context.devices, trials.context.files));
  }
  std::vector<VariantToCompile> variants;
  variants.reserve(wanted.size());
  for (const TrialQuestion& one : wanted) variants.push_back({one.variant, trials.context});
  ahead_ = compile_and_wait(code_of(variants), trials.context);
}

/// Asks rank 0 for code that this rank's folder lacks. The code is verified like a bundle from elsewhere.
/// Code that does not come, or is damaged, is compiled here.
void RankMember::fetch(const WantedCode& wanted, const JobContext& context, DiskCache& cache) {
  const CacheKey key = make_cache_key(wanted.specialization, *wanted.compiler);
  if (cache.find(key).code) return;
  auto asked = questions_.ask(0, RankTopic::kCode, key.digest);
  const auto bundle = await_answer(asked, [&] { return context.stopped(); });
  if (!bundle || bundle->text.empty()) return;
  try {
    static_cast<void>(unpack_bundle(context.files, bundle_in_text(bundle->text), cache.root()));
  } catch (const std::exception& error) {
    context.log.warn("code of rank 0 is not used, and is compiled here: " + std::string(error.what()));
  }
}

}  // namespace kiln
