#include "service/code_source.h"

#include <vector>

#include "base/text.h"
#include "device/stream_capture.h"
#include "kiln/error.h"

namespace kiln {
namespace {

std::string entries_text(const Specialization& specialization) {
  std::vector<std::string> words;
  for (const EntryPoint& entry : specialization.entries) words.push_back(entry.name_expression);
  return join(words, " ");
}

CacheEntryLabel label_of(const Specialization& specialization, const CompilerIdentity& compiler) {
  return CacheEntryLabel{name_of(specialization), specialization.target.to_string(),
                         compiler.name + " " + compiler.version, specialization.source_text};
}

/// Code that is found begins its way to a device here, as that which is compiled does in its compile.
void tell(const CacheTurn& turn, TraceSpan& span) {
  if (!span) return;
  span.add("hit", turn.code.has_value());
  if (turn.remote) span.add("from_server", true);
  if (turn.waited) span.add("waited_for_another_process", true);
  if (!turn.code) return;
  span.add("bytes", turn.code->binary.size());
  span.flow({flow_of(turn.code->binary), TraceFlow::Phase::kBegin});
}

void count_turn(const CacheTurn& turn, double seconds, ServiceCounters& counters) {
  if (turn.code) counters.bytes_read += turn.code->binary.size();
  if (turn.waited) {
    ++counters.waited;
    ++counters.waited_processes;
    counters.wait_seconds += seconds;
  } else if (turn.code) {
    ++counters.disk_hits;
    if (turn.remote) ++counters.remote_hits;
    counters.read_seconds += seconds;
  }
}

}  // namespace

std::string name_of(const Specialization& specialization) {
  return specialization.source_name + " " + entries_text(specialization);
}

void CodeRequest::describe(TraceSpan& span) const {
  if (!span) return;
  span.add("kernels", entries_text(specialization));
  span.add("key", key.digest);
  if (!device_id.empty()) span.add("device", device_id);
  if (urgency == Urgency::kAhead) span.add("ahead", true);
}

void CodeRequest::require_no_capture() const {
  if (!device) return;
  kiln::require_no_capture(*device, caller_stream, "kernel '" + specialization.source_name + "'",
                           "nothing is compiled or loaded");
}

/// Code that was made ahead for this caller counts as its own compile.
SingleFlight<ObtainResult>::Outcome CodeSource::obtain(const CodeRequest& request) {
  auto outcome = join(flights_, request.key.digest, request, [&] { return obtain_alone(request); });
  if (!outcome.waited) return outcome;
  if (auto made = take_ahead(request.key.digest)) return {*std::move(made), false};
  return outcome;
}

std::optional<ObtainedCode> CodeSource::find(const CodeRequest& request) {
  if (auto code = memory_.code(request.key.digest)) {
    tally_.count(&ServiceCounters::memory_hits);
    return ObtainedCode{std::move(code), Origin::kMemory, 0, 0};
  }
  if (disk_for(request) == nullptr) return std::nullopt;
  double seconds = 0;
  CacheTurn turn = look_up(
      request, [&] { return disk_->find(request.key); }, seconds);
  if (!turn.code) return std::nullopt;
  return ObtainedCode{memory_.add(request.key.digest, *std::move(turn.code)), Origin::kDisk, 0, seconds};
}

void CodeSource::make_ahead(const CodeRequest& request) {
  if (memory_.code(request.key.digest)) return;
  TraceSpan span(trace_, TraceKind::kGet, request.specialization.source_name);
  request.describe(span);
  const auto make = [&] {
    ObtainResult result = obtain_alone(request);
    const std::lock_guard lock(mutex_);
    ahead_.insert_or_assign(request.key.digest, result);
    return result;
  };
  static_cast<void>(run(flights_, request.key.digest, request, make, [] {}));
}

std::optional<ObtainResult> CodeSource::take_ahead(const std::string& digest) {
  const std::lock_guard lock(mutex_);
  auto found = ahead_.extract(digest);
  if (found.empty()) return std::nullopt;
  return std::move(found.mapped());
}

ObtainResult CodeSource::obtain_alone(const CodeRequest& request) {
  const std::string& digest = request.key.digest;
  if (auto made = take_ahead(digest)) return *std::move(made);
  if (auto code = memory_.code(digest)) {
    tally_.count(&ServiceCounters::memory_hits);
    return ObtainedCode{std::move(code), Origin::kMemory, 0, 0};
  }
  DiskCache* kept = disk_for(request);
  if (kept == nullptr) return compile(request);
  double seconds = 0;
  CacheTurn turn = look_up(
      request, [&] { return disk_->load_or_lock(request.key, request.stop); }, seconds);
  if (turn.code) {
    auto code = memory_.add(digest, *std::move(turn.code));
    return ObtainedCode{std::move(code), turn.waited ? Origin::kWaited : Origin::kDisk, 0,
                        turn.waited ? 0 : seconds};
  }
  ObtainResult result = compile(request);
  if (const auto* made = std::get_if<ObtainedCode>(&result))
    keep(request, made->code, std::move(turn.lock));
  else
    kept->give_up(std::move(turn.lock));
  return result;
}

CacheTurn CodeSource::look_up(const CodeRequest& request, const std::function<CacheTurn()>& ask,
                              double& seconds) {
  const std::int64_t begin = clock_.steady_ns();
  CacheTurn turn;
  {
    TraceSpan span(trace_, TraceKind::kLookUp, request.specialization.source_name);
    turn = ask();
    tell(turn, span);
  }
  seconds = seconds_since(begin);
  tally_.update([&](ServiceCounters& counters) { count_turn(turn, seconds, counters); });
  if (turn.in_root) note_use(request);
  return turn;
}

/// For a waiting caller, in another thread.
void CodeSource::note_use(const CodeRequest& request) {
  if (request.urgency == Urgency::kAhead) return disk_->note_use(request.key.digest);
  writing_.add([this, digest = request.key.digest] { disk_->note_use(digest); });
}

DiskCache* CodeSource::disk_for(const CodeRequest& request) const {
  return disk_ != nullptr && request.compiler.unknown_input(request.specialization).empty() ? disk_ : nullptr;
}

ObtainResult CodeSource::compile(const CodeRequest& request) {
  request.require_no_capture();
  request.begin(GetProgress::Stage::kCompiling);
  const CompileSlot slot = slots_.take(request.key.digest, request.urgency, request.stop);
  if (!slot) throw Cancelled();
  const std::int64_t begin = clock_.steady_ns();
  CompileResult result = run_compiler(request);
  const double seconds = seconds_since(begin);
  const bool compiled = std::holds_alternative<CodeObject>(result);
  tally_.update([&](ServiceCounters& counters) {
    ++(compiled ? counters.compiled : counters.failed);
    (compiled ? counters.compile_seconds : counters.failed_seconds) += seconds;
  });
  if (!compiled) return std::get<Diagnostic>(std::move(result));
  auto code = memory_.add(request.key.digest, std::get<CodeObject>(std::move(result)));
  return ObtainedCode{std::move(code), Origin::kCompiled, seconds, 0};
}

CompileResult CodeSource::run_compiler(const CodeRequest& request) {
  try {
    return request.compiler.compile(request.specialization, request.stop);
  } catch (const Cancelled&) {
    throw;
  } catch (...) {
    tally_.count(&ServiceCounters::failed);
    throw;
  }
}

/// For a waiting caller, in another thread; code that is made ahead is written by the thread that made it.
void CodeSource::keep(const CodeRequest& request, const std::shared_ptr<const CodeObject>& code,
                      KeyLock lock) {
  CacheEntryLabel label = label_of(request.specialization, request.compiler.identity());
  const std::string& name = request.specialization.source_name;
  if (request.urgency == Urgency::kAhead) {
    publish(request.key, *code, label, name);
    lock.reset();
    return upload(request.key.digest, name);
  }
  // A std::function is copied, a lock is not.
  auto held = std::make_shared<KeyLock>(std::move(lock));
  writing_.add([this, key = request.key, code, label = std::move(label), name, held = std::move(held)] {
    try {
      if (trace_ != nullptr) trace_->name_thread("keeps code");
      publish(key, *code, label, name);
      held->reset();
      upload(key.digest, name);
    } catch (const std::exception&) {
      return;  // no memory: the next process compiles it again
    }
  });
}

void CodeSource::publish(const CacheKey& key, const CodeObject& code, const CacheEntryLabel& label,
                         const std::string& source_name) {
  TraceSpan span(trace_, TraceKind::kKeep, source_name);
  span.add("bytes", code.binary.size());
  const std::int64_t begin = clock_.steady_ns();
  const bool written = disk_->publish(key, code, label);
  const double seconds = seconds_since(begin);
  tally_.update([&](ServiceCounters& counters) {
    counters.write_seconds += seconds;
    if (written) counters.bytes_written += code.binary.size();
  });
}

void CodeSource::upload(const std::string& digest, const std::string& source_name) {
  if (!disk_->has_server()) return;
  TraceSpan span(trace_, TraceKind::kKeep, source_name);
  const std::int64_t begin = clock_.steady_ns();
  const bool uploaded = disk_->upload(digest);
  const double seconds = seconds_since(begin);
  span.add("uploaded", uploaded);
  tally_.update([&](ServiceCounters& counters) {
    counters.upload_seconds += seconds;
    if (uploaded) ++counters.uploads;
  });
}

}  // namespace kiln
