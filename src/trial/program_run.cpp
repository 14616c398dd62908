#include "trial/program_run.h"

#include "trial/program_statement.h"
#include "workload/selection.h"

namespace kiln {
namespace {

constexpr std::int64_t kMostIterations = 1'000'000'000'000;
constexpr std::int64_t kFarthest = kMaxExactInteger;

}  // namespace

ProgramScalar::ProgramScalar(const Configuration& configuration, const ExpressionText& text)
    : configuration_(&configuration), text_(&text) {
  if (!configuration.workload().changes(text)) number_ = configuration.evaluate(text);
}

double ProgramScalar::value(const Variables& variables) const {
  return number_ ? *number_ : configuration_->evaluate(*text_, variables);
}

std::set<std::string> ProgramScalar::names() const {
  std::set<std::string> names;
  if (number_) return names;
  for (std::string& name : configuration_->workload().names_in(*text_)) names.insert(std::move(name));
  return names;
}

std::int64_t ProgramScalar::whole(const Variables& variables, std::int64_t low, std::int64_t high) const {
  return configuration_->evaluate_integer(*text_, low, high, number_ ? Variables{} : variables);
}

ProgramRun::ProgramRun(const Configuration& configuration, const ProgramSpec& program, Workspace& workspace,
                       const Prepare& prepare)
    : configuration_(configuration), program_(program), workspace_(workspace) {
  statements_ = bind(program, prepare);
  for (const std::string& name : buffers()) graph_buffers_.push_back(name);
  std::set<std::string> names;
  for (const auto& [name, where] : buffers_taken(configuration, program)) names.insert(name);
  for (const std::string& name : names) {
    const BufferLayout& layout = workspace.layout(name);
    if (layout.spec->used) partly_used_.emplace_back(&layout, variables_in(*layout.spec->used));
  }
  std::set<std::string> unsteady;
  for (std::size_t known = 1; known != unsteady.size();) {
    known = unsteady.size();
    find_unsteady(statements_, false, false, unsteady);
  }
  divide(statements_, unsteady);
}

ProgramRun::~ProgramRun() = default;

std::set<std::string> ProgramRun::variables_in(const ExpressionText& text) const {
  std::set<std::string> names;
  for (std::string& name : configuration_.workload().names_in(text)) {
    if (configuration_.workload().is_variable(name)) names.insert(std::move(name));
  }
  return names;
}

ProgramRun::Statements ProgramRun::bind(const ProgramSpec& program, const Prepare& prepare) {
  Statements statements;
  for (const StatementSpec& spec : program) {
    if (!is_selected(configuration_, spec)) continue;
    Statement& statement = statements.emplace_back();
    statement.spec = &spec;
    if (spec.when && configuration_.workload().changes(*spec.when))
      statement.when.emplace(configuration_, *spec.when);
    std::visit([&](const auto& action) { bind_action(action, statement, prepare); }, spec.action);
    find_flow(statement);
  }
  return statements;
}

void ProgramRun::bind_action(const LaunchSpec& launch, Statement& statement, const Prepare& prepare) {
  statement.kernel = std::make_unique<PreparedKernel>(prepare(launch));
  statement.index = launches_.size();
  launches_.emplace_back(&launch, statement.kernel.get());
}

void ProgramRun::bind_action(const RepeatSpec& repeat, Statement& statement, const Prepare& prepare) {
  statement.loop = std::make_unique<Loop>();
  Loop& loop = *statement.loop;
  for (const auto& [text, scalar] : {std::pair{&repeat.count, &loop.count},
                                     {&repeat.from, &loop.from},
                                     {&repeat.to, &loop.to},
                                     {&repeat.by, &loop.by},
                                     {&repeat.until, &loop.until},
                                     {&repeat.most, &loop.most},
                                     {&repeat.every, &loop.every}}) {
    if (*text) scalar->emplace(configuration_, **text);
  }
  for (const ReadItem& item : repeat.read) bind_element(item, statement);
  statement.bodies.push_back(bind(repeat.body, prepare));
}

void ProgramRun::bind_action(const ParallelSpec& parallel, Statement& statement, const Prepare& prepare) {
  for (const ProgramSpec& branch : parallel.branches) statement.bodies.push_back(bind(branch, prepare));
}

void ProgramRun::bind_action(const SwapSpec& swap, Statement& statement, const Prepare&) {
  require_alike("swap", swap.first, swap.second, statement.spec->where);
  swapped_.insert({swap.first, swap.second});
}

void ProgramRun::bind_action(const CopySpec& copy, Statement& statement, const Prepare&) {
  require_alike("copy", copy.from, copy.to, statement.spec->where);
}

void ProgramRun::bind_action(const FillSpec& fill, Statement& statement, const Prepare&) {
  statement.scalars.emplace_back(configuration_, fill.value);
}

void ProgramRun::bind_action(const ReadSpec& read, Statement& statement, const Prepare&) {
  for (const ReadItem& item : read.items) bind_element(item, statement);
}

void ProgramRun::bind_action(const SetSpec& set, Statement& statement, const Prepare&) {
  for (const auto& [name, value] : set.items) statement.scalars.emplace_back(configuration_, value);
}

void ProgramRun::bind_action(const LibrarySpec& library, Statement& statement, const Prepare&) {
  statement.library = std::make_unique<LibraryCall>(configuration_, library, workspace_);
  library_calls_.emplace_back(library.timing, statement.library->name());
}

void ProgramRun::bind_element(const ReadItem& item, Statement& statement) {
  static const ExpressionText first{"0", {}, ""};
  statement.scalars.emplace_back(configuration_, item.element ? *item.element : first);
}

void ProgramRun::require_alike(const std::string& action, const std::string& first, const std::string& second,
                               const SourceLocation& where) const {
  const BufferLayout& a = workspace_.layout(first);
  const BufferLayout& b = workspace_.layout(second);
  if (a.scalar == b.scalar && a.record == b.record && a.bytes == b.bytes) return;
  const auto describe = [](const BufferLayout& layout) {
    return "'" + layout.spec->name + "' has " + std::to_string(layout.count) + " elements of " +
           std::to_string(layout.element_bytes) + " bytes";
  };
  throw bad_input(action + ": expected two buffers of one type and size; " + describe(a) + ", " + describe(b),
                  where);
}

std::set<std::string> ProgramRun::buffers() const {
  std::set<std::string> names;
  for (const auto& [name, where] : buffers_taken(configuration_, program_))
    names.insert(workspace_.layout(name).memory->name);
  return names;
}

void ProgramRun::load_symbols() {
  for (const auto& [launch, kernel] : launches_) kernel->load_symbols();
}

void ProgramRun::read_symbols(Stream& stream) {
  for (const auto& [launch, kernel] : launches_) kernel->read_symbols(stream);
}

void ProgramRun::run(const Enqueue& enqueue, const ProgramRunOptions& options) {
  enqueue_ = &enqueue;
  options_ = &options;
  stream_ = options.stream != nullptr ? options.stream : &workspace_.stream();
  mode_ = Mode::kRun;
  waits_ = 0;
  graphs_ = 0;
  variables_ = options.first;
  for (const std::string& name : configuration_.workload().variables) {
    if (configuration_.workload().find_parameter(name) != nullptr)
      variables_.emplace(name, configuration_.value(name).number());
  }
  unfit_where(ErrorKind::kBadInput, [&] { run(statements_); });
}

[[gnu::always_inline]] inline void ProgramRun::launch(Statement& statement) {
  PreparedKernel& kernel = *statement.kernel;
  kernel.update(variables_);
  if (mode_ == Mode::kPrepare) {
    kernel.follow_swaps();
    captured_.insert(kernel.name());
    count_operation(statement.spec->where);
  } else if (mode_ == Mode::kRun && *enqueue_) {
    (*enqueue_)(statement.index, kernel, *stream_);
  } else {
    if (mode_ == Mode::kRun && options_->watch != nullptr) options_->watch->enter(kernel.name());
    kernel.enqueue(*stream_);
  }
}

void ProgramRun::run(Statements& statements) {
  for (std::size_t i = 0; i < statements.size();) {
    const bool as_graph = options_->replay && mode_ == Mode::kRun && statements[i].stretch;
    if (as_graph) {
      i += run_stretch(statements, i);
    } else {
      Statement& statement = statements[i++];
      if (statement.kernel && !statement.when)
        launch(statement);
      else
        run(statement);
    }
  }
}

void ProgramRun::run(Statement& statement) {
  if (statement.when && !statement.when->holds(variables_)) return;
  std::visit([&](const auto& action) { run_action(action, statement); }, statement.spec->action);
}

void ProgramRun::run_action(const LaunchSpec&, Statement& statement) {
  launch(statement);
}

void ProgramRun::run_action(const RepeatSpec& repeat, Statement& statement) {
  if (repeat.until) {
    repeat_until(repeat, statement);
  } else {
    repeat_range(repeat, statement);
  }
}

void ProgramRun::set_index(const RepeatSpec& repeat, std::int64_t value) {
  if (!repeat.index.empty()) assign(repeat.index, static_cast<double>(value));
}

void ProgramRun::repeat_range(const RepeatSpec& repeat, Statement& statement) {
  const Loop& loop = *statement.loop;
  const auto number = [&](const std::optional<ProgramScalar>& scalar, std::int64_t otherwise) {
    return scalar ? scalar->whole(variables_, -kFarthest, kFarthest) : otherwise;
  };
  const std::int64_t from = number(loop.from, 0);
  const std::int64_t by = number(loop.by, 1);
  const std::int64_t to = loop.count ? loop.count->whole(variables_, 0, kMostIterations) : number(loop.to, 0);
  if (by == 0)
    throw bad_input(repeat.by->key + ": '" + repeat.by->text + "' is 0: the loop would not end",
                    repeat.by->where);
  std::int64_t index = from;
  for (; by > 0 ? index < to : index > to; index += by) {
    set_index(repeat, index);
    run(statement.bodies.front());
  }
  set_index(repeat, index);
}

void ProgramRun::repeat_until(const RepeatSpec& repeat, Statement& statement) {
  const Loop& loop = *statement.loop;
  const std::int64_t most = loop.most->whole(variables_, 1, kMostIterations);
  const std::int64_t every = loop.every ? loop.every->whole(variables_, 1, kMostIterations) : 1;
  bool ended = false;
  for (std::int64_t done = 0; !ended;) {
    set_index(repeat, done);
    run(statement.bodies.front());
    ++done;
    set_index(repeat, done);
    ended = done == most;
    if (!ended && done % every != 0) continue;
    if (!repeat.read.empty()) read(repeat.read, statement.scalars);
    ended = ended || loop.until->holds(variables_);
  }
}

/// Without streams of their own one branch after the other. A stream waits for what was enqueued before the
/// branches; what comes after them waits for each stream.
void ProgramRun::run_action(const ParallelSpec&, Statement& statement) {
  if (options_->concurrent && statement.sides.empty()) make_streams(statement);
  if (!options_->concurrent || mode_ == Mode::kPrepare) {
    for (Statements& branch : statement.bodies) run(branch);
    return;
  }
  Stream* const first = stream_;
  statement.fork->record(*first);
  for (const Statement::Side& side : statement.sides) side.stream->wait(*statement.fork);
  for (std::size_t branch = 0; branch < statement.bodies.size(); ++branch) {
    const std::size_t place = branch % (statement.sides.size() + 1);
    stream_ = place == 0 ? first : statement.sides[place - 1].stream.get();
    run(statement.bodies[branch]);
  }
  stream_ = first;
  for (const Statement::Side& side : statement.sides) {
    side.end->record(*side.stream);
    first->wait(*side.end);
  }
}

void ProgramRun::make_streams(Statement& parallel) {
  Device& device = workspace_.device();
  parallel.fork = device.create_ordering_event();
  for (std::size_t i = 1; i < std::min(kMostStreams, parallel.bodies.size()); ++i) {
    parallel.sides.push_back({device.create_stream(), device.create_ordering_event()});
    streams_beside_.push_back(parallel.sides.back().stream.get());
  }
}

void ProgramRun::wait_beside() {
  for (Stream* stream : streams_beside_) stream->synchronize();
}

void ProgramRun::run_action(const SwapSpec& swap, Statement&) {
  workspace_.swap(swap.first, swap.second);
}

void ProgramRun::run_action(const CopySpec& copy, Statement& statement) {
  if (mode_ == Mode::kPrepare) return count_operation(statement.spec->where);
  workspace_.copy(*stream_, copy.to, copy.from);
}

void ProgramRun::run_action(const FillSpec& fill, Statement& statement) {
  const double value = statement.scalars.front().value(variables_);
  if (mode_ == Mode::kPrepare) {
    count_operation(statement.spec->where);
    workspace_.keep_value(fill.buffer, value, fill.value);
  } else {
    workspace_.fill_with(*stream_, fill.buffer, value, fill.value);
  }
}

void ProgramRun::run_action(const LibrarySpec&, Statement& statement) {
  if (options_->watch != nullptr) options_->watch->enter(statement.library->name());
  statement.library->enqueue(*stream_);
}

/// Buffers of which more is to be in use than there is are found before anything else is launched.
void ProgramRun::assign(const std::string& variable, double value) {
  variables_[variable] = value;
  for (const auto& [layout, names] : partly_used_) {
    const bool known = std::all_of(names.begin(), names.end(),
                                   [&](const std::string& name) { return variables_.contains(name); });
    if (known && names.contains(variable))
      static_cast<void>(used_extent(configuration_, *layout, variables_));
  }
}

void ProgramRun::run_action(const ReadSpec& spec, Statement& statement) {
  read(spec.items, statement.scalars);
}

void ProgramRun::run_action(const SetSpec& set, Statement& statement) {
  for (std::size_t i = 0; i < set.items.size(); ++i)
    assign(set.items[i].first, statement.scalars[i].value(variables_));
}

void ProgramRun::read(const std::vector<ReadItem>& items, const std::vector<ProgramScalar>& elements) {
  ++waits_;
  if (stream_ != &workspace_.stream()) stream_->synchronize();
  for (std::size_t i = 0; i < items.size(); ++i) {
    const BufferLayout& layout = workspace_.layout(items[i].buffer);
    const std::int64_t element =
        elements[i].whole(variables_, 0, static_cast<std::int64_t>(layout.count) - 1);
    assign(items[i].variable, workspace_.number(items[i].buffer, static_cast<std::uint64_t>(element)));
  }
}

}  // namespace kiln
