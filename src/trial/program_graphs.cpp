// The graphs of a ProgramRun: which statements become one, and when it is captured.
#include <limits>
#include <utility>

#include "base/text.h"
#include "trial/program_statement.h"

namespace kiln {
namespace {

bool meets(const std::set<std::string>& some, const std::set<std::string>& others) {
  return std::any_of(some.begin(), some.end(),
                     [&](const std::string& name) { return others.contains(name); });
}

/// Swaps of `names` that bring what stands at `from` to `to`.
std::vector<std::pair<std::string, std::string>> swaps_between(const std::vector<std::string>& names,
                                                               std::vector<const void*> from,
                                                               const std::vector<const void*>& to) {
  std::vector<std::pair<std::string, std::string>> swaps;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (from[i] == to[i]) continue;
    const auto other = static_cast<std::size_t>(std::find(from.begin(), from.end(), to[i]) - from.begin());
    swaps.emplace_back(names[i], names.at(other));
    std::swap(from[i], from[other]);
  }
  return swaps;
}

}  // namespace

void ProgramRun::find_flow(Statement& statement) const {
  ProgramFlow& flow = statement.flow;
  if (statement.when) flow.need(statement.when->names());
  if (statement.kernel) flow.need(statement.kernel->variables());
  for (const ProgramScalar& scalar : statement.scalars) flow.need(scalar.names());
  if (statement.loop) {
    const Loop& loop = *statement.loop;
    for (const auto* scalar : {&loop.count, &loop.from, &loop.to, &loop.by, &loop.most, &loop.every}) {
      if (*scalar) flow.need((*scalar)->names());
    }
    flow.waits = loop.until.has_value();
  }
  if (const auto* repeat = std::get_if<RepeatSpec>(&statement.spec->action)) {
    if (!repeat->index.empty()) flow.give(repeat->index);
    for (const ReadItem& item : repeat->read) flow.gives.insert(item.variable);
  }
  for (const Statements& body : statement.bodies) {
    ProgramFlow inside;
    for (const Statement& part : body) inside.then(part.flow, !part.when);
    flow.then(inside, false);
  }
  if (statement.library) flow.waits = true;  // a library may wait: it is called, not captured
  if (const auto* read = std::get_if<ReadSpec>(&statement.spec->action)) {
    flow.waits = true;
    for (const ReadItem& item : read->items) flow.give(item.variable);
  }
  if (const auto* set = std::get_if<SetSpec>(&statement.spec->action)) {
    for (const auto& [name, value] : set->items) flow.give(name);
  }
}

/// Variables that may have another value each time that a statement is met: what is read from the device,
/// what is counted or set in a loop that is no graph as a whole (`again`), and what follows from such a
/// variable (`depends`).
void ProgramRun::find_unsteady(const Statements& statements, bool again, bool depends,
                               std::set<std::string>& names) const {
  for (const Statement& statement : statements) {
    const bool follows = depends || (statement.when && meets(statement.when->names(), names));
    const bool whole = !statement.flow.waits && !statement.flow.needs_any(names);
    if (const auto* read = std::get_if<ReadSpec>(&statement.spec->action)) {
      for (const ReadItem& item : read->items) names.insert(item.variable);
    } else if (const auto* set = std::get_if<SetSpec>(&statement.spec->action)) {
      for (std::size_t i = 0; i < set->items.size(); ++i) {
        if (again || follows || meets(statement.scalars[i].names(), names)) names.insert(set->items[i].first);
      }
    } else if (const auto* repeat = std::get_if<RepeatSpec>(&statement.spec->action)) {
      if (!whole && !repeat->index.empty()) names.insert(repeat->index);
      for (const ReadItem& item : repeat->read) names.insert(item.variable);
    }
    for (const Statements& body : statement.bodies)
      find_unsteady(body, again || (statement.loop && !whole), follows, names);
  }
}

void ProgramRun::divide(Statements& statements, const std::set<std::string>& unsteady) {
  Stretch* open = nullptr;
  ProgramFlow flow;
  for (Statement& statement : statements) {
    if (statement.flow.waits || statement.flow.needs_any(unsteady)) {
      open = nullptr;
      for (Statements& body : statement.bodies) divide(body, unsteady);
      continue;
    }
    if (open == nullptr) {
      statement.stretch = std::make_unique<Stretch>();
      open = statement.stretch.get();
      flow = {};
    }
    ++open->statements;
    flow.then(statement.flow, !statement.when);
    open->needs = flow.needs;
    open->gives = flow.gives;
  }
}

std::vector<double> ProgramRun::values_of(const std::set<std::string>& names) const {
  std::vector<double> values;
  for (const std::string& name : names) {
    const auto found = variables_.find(name);
    values.push_back(found != variables_.end() ? found->second : std::numeric_limits<double>::infinity());
  }
  return values;
}

std::vector<const void*> ProgramRun::addresses() const {
  std::vector<const void*> addresses;
  for (const std::string& name : graph_buffers_) addresses.push_back(*workspace_.address(name));
  return addresses;
}

/// Runs the stretch that begins at `first`; how many statements that were.
std::size_t ProgramRun::run_stretch(Statements& statements, std::size_t first) {
  Stretch& stretch = *statements[first].stretch;
  const std::vector<double> values = values_of(stretch.needs);
  const std::vector<const void*> places = addresses();
  const auto known = std::find_if(stretch.cases.begin(), stretch.cases.end(), [&](const auto& known_case) {
    return known_case->values == values && known_case->addresses == places;
  });
  if (known == stretch.cases.end() && stretch.cases.size() == kMostCases) {
    for (std::size_t i = 0; i < stretch.statements; ++i) run(statements[first + i]);
    return stretch.statements;
  }
  Stretch::Case* found = nullptr;
  if (known == stretch.cases.end()) {
    capture(statements, first, stretch);
    found = stretch.cases.back().get();
    found->values = values;
  } else {
    found = known->get();
    for (const auto& [name, value] : found->after) variables_[name] = value;
    for (const auto& [a, b] : found->swaps) workspace_.swap(a, b);
  }
  if (found->graph) {
    options_->replay(*found->graph, found->kernels, *stream_);
    ++graphs_;
  }
  return stretch.statements;
}

/// Goes over the statements twice: the first time everything that waits for the device is done and checked,
/// since nothing may wait while the stream is captured. Leaves variables and buffers as a run would.
void ProgramRun::capture(Statements& statements, std::size_t first, Stretch& stretch) {
  auto made = std::make_unique<Stretch::Case>();
  const auto run_in = [&](Mode mode) {
    mode_ = mode;
    for (std::size_t i = 0; i < stretch.statements; ++i) run(statements[first + i]);
    mode_ = Mode::kRun;
  };
  const Variables before = variables_;
  made->addresses = addresses();
  operations_ = 0;
  captured_.clear();
  run_in(Mode::kPrepare);
  for (const std::string& name : stretch.gives) {
    if (const auto value = variables_.find(name); value != variables_.end()) made->after.emplace_back(*value);
  }
  made->swaps = swaps_between(graph_buffers_, made->addresses, addresses());
  made->kernels = join({captured_.begin(), captured_.end()}, ", ");

  variables_ = before;
  for (auto swap = made->swaps.rbegin(); swap != made->swaps.rend(); ++swap)
    workspace_.swap(swap->first, swap->second);
  if (operations_ > 0) {
    // The caller's stream may be one that cannot be captured.
    Stream* const callers = std::exchange(stream_, &workspace_.stream());
    made->graph = workspace_.device().capture(*stream_, [&] { run_in(Mode::kCapture); });
    stream_ = callers;
  } else {
    run_in(Mode::kCapture);
  }
  stretch.cases.push_back(std::move(made));
}

void ProgramRun::count_operation(const SourceLocation& where) {
  if (++operations_ <= kMostOperations) return;
  throw bad_input("graph: the statements up to this one make a graph of more than " +
                      std::to_string(kMostOperations) +
                      " launches, copies and fills; a step of so many gains nothing as a graph: expected "
                      "fewer, or no `graph: true`",
                  where);
}

}  // namespace kiln
