#include "workload/memory_check.h"

#include <set>
#include <string>

#include "workload/selection.h"

namespace kiln {
namespace {

class MemoryUse {
 public:
  explicit MemoryUse(const Workload& workload) : workload_(workload) {}

  void check() {
    for (const ProgramSpec* program : {&workload_.run, &workload_.verify_run})
      for_each_statement(*program, [&](const StatementSpec& statement) { check_swap(statement); });
    follow(workload_.run);
    for_each_statement(workload_.verify_run, [&](const StatementSpec& statement) {
      for (const auto& [name, where] : buffers_of(statement)) require_lasting(name, where);
    });
    for (const BufferSpec& buffer : workload_.buffers) {
      check_init(buffer.init);
      for (const ExpressionText& pointee : buffer.init.pointees())
        require_lasting(pointee.text, pointee.where);
    }
    for (const KernelSpec& kernel : workload_.kernels) {
      for (const auto* symbols : {&kernel.symbols, &kernel.read_symbols})
        for (const auto& [symbol, buffer] : *symbols) require_lasting(buffer, kernel.where);
    }
    for (const CheckSpec& item : workload_.checks) check_check(item);
  }

 private:
  [[nodiscard]] const BufferSpec& memory_of(const std::string& name) const {
    return workload_.memory_of(*workload_.find_buffer(name));
  }

  void require_lasting(const std::string& name, const SourceLocation& where) const {
    const BufferSpec& memory = memory_of(name);
    if (!memory.temporary) return;
    throw bad_input("buffer '" + name + "' " +
                        (memory.name == name ? "" : "is a part of '" + memory.name + "', which ") +
                        "is temporary: it has no content outside of `run`",
                    where);
  }
  void require_lasting_arguments(const std::string& kernel, const SourceLocation& where) const {
    for (const ArgumentSpec& argument : workload_.find_kernel(kernel)->args) {
      if (argument.names_buffer()) require_lasting(argument.name, where);
    }
  }
  void require_whole(const std::string& name, const std::string& action, const SourceLocation& where) const {
    const BufferSpec& buffer = *workload_.find_buffer(name);
    if (!buffer.view) return;
    throw bad_input(action + ": '" + name + "' is a view of '" + buffer.view->of +
                        "'; expected a buffer with memory of its own",
                    where);
  }

  /// An address that is a part of a buffer's content does not follow the name.
  void require_no_pointee(const std::string& name, const SourceLocation& where) const {
    for (const BufferSpec& buffer : workload_.buffers) {
      for (const ExpressionText& pointee : buffer.init.pointees()) {
        if (memory_of(pointee.text).name != name) continue;
        throw bad_input(
            "swap: buffer '" + buffer.name + "' holds the address of '" + name +
                "', which would be that of the other buffer from then on; copy the contents, or " +
                "swap two buffers of addresses",
            where);
      }
    }
  }

  void check_swap(const StatementSpec& statement) const {
    const auto* swap = std::get_if<SwapSpec>(&statement.action);
    if (swap == nullptr) return;
    for (const std::string& name : {swap->first, swap->second}) {
      require_whole(name, "swap", statement.where);
      require_no_pointee(name, statement.where);
      if (!memory_of(name).temporary) continue;
      throw bad_input(
          "swap: '" + name + "' is temporary, and its memory is shared; expected a buffer that lasts",
          statement.where);
    }
  }

  void check_init(const InitSpec& init) const {
    if (init.kind == InitSpec::Kind::kKernel) require_lasting_arguments(init.kernel, init.where);
    if (init.kind == InitSpec::Kind::kSameAs) {
      require_whole(init.same_as, "same_as", init.where);
      require_lasting(init.same_as, init.where);
    }
    if (init.otherwise) check_init(*init.otherwise);
  }

  void check_check(const CheckSpec& item) const {
    if (item.variable.empty()) require_lasting(item.buffer, item.where);
    if (item.reference_kernel.empty()) return;
    require_lasting_arguments(item.reference_kernel, item.where);
    require_whole(item.reference_buffer, "reference", item.where);
    if (item.variable.empty() && memory_of(item.buffer).name == item.reference_buffer) {
      throw bad_input(
          "the check compares buffer '" + item.buffer + "' with '" + item.reference_buffer +
              "', which it is a part of; expected another buffer that the reference kernel writes",
          item.where);
    }
  }

  /// The statements in order: a kernel may write what it takes, `copy` and `read` show what they only read.
  void follow(const ProgramSpec& program) {
    for (const StatementSpec& statement : program)
      std::visit([&](const auto& action) { follow(action, statement.where); }, statement.action);
  }
  void follow(const LaunchSpec& launch, const SourceLocation&) {
    for (const ArgumentSpec& argument : launch.configured->args) {
      if (argument.names_buffer()) write(argument.name);
    }
  }
  void follow(const LibrarySpec& library, const SourceLocation&) {
    for (const LibraryArgument& argument : library.args) {
      if (argument.buffer) write(argument.value.text);
    }
  }
  void follow(const FillSpec& fill, const SourceLocation&) { write(fill.buffer); }
  void follow(const CopySpec& copy, const SourceLocation& where) {
    read(copy.from, where);
    write(copy.to);
  }
  void follow(const ReadSpec& read, const SourceLocation&) { follow(read.items); }
  void follow(const RepeatSpec& repeat, const SourceLocation&) {
    follow(repeat.body);
    follow(repeat.read);
  }
  void follow(const ParallelSpec& parallel, const SourceLocation&) {
    for (const ProgramSpec& branch : parallel.branches) follow(branch);
  }
  void follow(const std::vector<ReadItem>& items) {
    for (const ReadItem& item : items) read(item.buffer, item.where);
  }
  void follow(const SwapSpec&, const SourceLocation&) {}
  void follow(const SetSpec&, const SourceLocation&) {}

  void write(const std::string& name) { written_.insert(memory_of(name).name); }
  void read(const std::string& name, const SourceLocation& where) const {
    if (!memory_of(name).temporary || written_.contains(memory_of(name).name)) return;
    throw bad_input("buffer '" + name + "' is temporary, and is read before any statement has written it",
                    where);
  }

  const Workload& workload_;
  std::set<std::string> written_;  // buffers with memory that a statement so far may have written
};

}  // namespace

void check_memory_use(const Workload& workload) {
  MemoryUse(workload).check();
}

}  // namespace kiln
