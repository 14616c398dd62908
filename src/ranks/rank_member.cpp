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

/// The answer of `work`, or what it throws as an answer.
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

void RankMember::serve(const JobContext& context, DiskCache& cache,
                       const std::function<void(const JobPart& part)>& compile) {
  while (const auto question = next()) {
    std::string text = answer_of([&]() -> std::string {
      if (question->topic == RankTopic::kCounters)
        return statistics_text({.counters = context.service.counters(), .runs = 1});
      if (question->topic == RankTopic::kGreet) {
        const RankGreeting greeting = RankGreeting::from_text(question->text);
        const bool shares = CacheFolderSign::is_seen(context.files, cache, greeting.sign);
        return RankGreetingAnswer{messenger_.place().host, shares, ""}.to_text();
      }
      const std::vector<std::string> numbers = split(question->text, ' ');
      const auto number = [&](std::size_t i) {
        return static_cast<std::size_t>(parse_integer(numbers.at(i)).value());
      };
      compile({number(0), number(1)});
      return "";
    });
    answer(*question, RankTopic::kAnswer, std::move(text));
  }
}

void RankMember::serve(const Error& error) {
  while (const auto question = next()) {
    std::string text = error_answer(error);
    if (question->topic == RankTopic::kGreet)
      text = RankGreetingAnswer{messenger_.place().host, false, std::move(text)}.to_text();
    answer(*question, RankTopic::kAnswer, std::move(text));
  }
}

void RankMember::wait() {
  while (next()) continue;
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
  return RankGreetingAnswer{messenger_.place().host, shares_cache_, record}.to_text();
}

std::string RankMember::run(const RankMessage& question, const MemberTrials& trials) {
  const TrialQuestion asked =
      read_trial_question(question.text, trials.workload, trials.context.devices, trials.context.files);
  if (!shares_cache_) fetch_code(asked.variant, trials);
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

/// What rank 0 has of the code that this rank's folder lacks. What comes is verified as a bundle from a
/// stranger is; what does not come, or is not sound, is compiled here.
void RankMember::fetch_code(const Variant& variant, const MemberTrials& trials) {
  for (const WantedCode& wanted : code_of({{variant, trials.context}})) {
    const CacheKey key = make_cache_key(wanted.specialization, *wanted.compiler);
    if (trials.cache.find(key).code) continue;
    auto asked = questions_.ask(0, RankTopic::kCode, key.digest);
    const auto bundle = await_answer(asked, [&] { return trials.context.stopped(); });
    if (!bundle || bundle->text.empty()) continue;
    try {
      static_cast<void>(
          unpack_bundle(trials.context.files, bundle_in_text(bundle->text), trials.cache.root()));
    } catch (const std::exception& error) {
      trials.context.log.warn("code of rank 0 is not used, and is compiled here: " +
                              std::string(error.what()));
    }
  }
}

}  // namespace kiln
