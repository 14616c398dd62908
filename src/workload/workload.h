#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/file.h"
#include "config/expression.h"
#include "config/scalar_type.h"
#include "config/yaml_node.h"
#include "workload/expression_text.h"
#include "workload/file_format.h"
#include "workload/input_files.h"
#include "workload/program.h"
#include "workload/tune_spec.h"

namespace kiln {

enum class ParameterKind { kScalar, kType, kChoice, kPath };
enum class Binding { kCompile, kRun };

/// `from:` of a parameter: its value stands in a file once the file's path is known.
struct HeaderSource {
  std::string file;  ///< with {parameter} placeholders
  FileFormat format = FileFormat::kText;
  std::int64_t index = 0;         ///< text: which number, from 0; NumPy: which extent
  std::int64_t record_bytes = 1;  ///< binary: file size over this
  std::string column;             ///< CSV: as in FileSource; the value is its number of cells
  MatrixExtent extent = MatrixExtent::kRows;
  std::string key, records;          ///< keys: the value of that key, or how many records of that word
  std::vector<std::string> ignored;  ///< keys: may be there, too
  bool at_most = false;
  SourceLocation where;
};

struct ParameterSpec {
  std::string name;
  ParameterKind kind = ParameterKind::kScalar;
  std::string scalar_type;  ///< "int", "double", or the name of a type parameter, for kScalar
  std::map<std::string, ExpressionText> defaults;  ///< by back end; "otherwise" for the rest
  std::vector<ExpressionText> values;              ///< allowed ones; empty: any
  std::optional<ExpressionText> min, max;
  std::optional<Binding> fixed_binding;  ///< absent: the job chooses
  std::optional<HeaderSource> from;
  std::string help, unit;
  SourceLocation where;

  [[nodiscard]] const ExpressionText& default_on(const std::string& backend) const;
};

/// A number in a record: "charge", or "atoms[2].position[0]" in arrays, vectors and records inside of it.
struct RecordMember {
  std::string name;
  ScalarType type;
  std::size_t offset = 0;
  std::optional<ExpressionText> min, max;
};
/// Laid out as C++ does on every target: members in order, each at a multiple of its alignment.
struct RecordType {
  std::string name;
  std::vector<RecordMember> members;
  std::size_t bytes = 0;
  std::size_t alignment = 1;

  /// The number `name`, or in their order the numbers of the array, vector or record that is `name`.
  [[nodiscard]] std::vector<const RecordMember*> numbers_of(const std::string& name) const;
};

/// The file from which numbers come.
struct FileSource {
  ExpressionText path;  ///< with {parameter} placeholders
  FileFormat format = FileFormat::kText;
  std::string column;  ///< CSV: the name in the first line, or a number from 0
  MatrixPart part = MatrixPart::kDense;
  std::string records;                      ///< keys: the word that begins their lines
  std::vector<std::string> columns, words;  ///< keys: of each record; words that stand for 1, 2, ...
  std::optional<ExpressionText> skip, offset, row_pitch;
  bool partial = false;
  bool optional = false;
  bool finite = true;  ///< an infinity and NaN are errors
  std::string after;   ///< scalar: the number that follows this text
};

/// What one member of each record of a buffer holds.
struct MemberInit {
  std::string name;                    ///< RecordType::numbers_of
  std::vector<ExpressionText> values;  ///< one for all its numbers, or one for each
  bool addresses = false;              ///< `values` are InitSpec::addresses
  SourceLocation where;
};

struct InitSpec {
  enum class Kind {
    kPoison,
    kConstant,
    kUniform,
    kNormal,
    kIota,
    kKernel,
    kFile,
    kSameAs,
    kAddresses,
    kMembers
  };
  Kind kind = Kind::kPoison;
  std::vector<ExpressionText> numbers;  ///< the constant; low, high; mean, deviation; first, increment
  std::string kernel;
  std::string same_as;  ///< another buffer
  std::optional<FileSource> file;
  std::shared_ptr<InitSpec> otherwise;    ///< for kFile with an unset path
  std::vector<ExpressionText> addresses;  ///< buffers, for each element one; without text: a null pointer
  std::vector<MemberInit> members;        ///< for kMembers; members that are not among them are 0
  SourceLocation where;

  /// The buffers whose addresses are a part of the content, with the place of each name.
  [[nodiscard]] std::vector<ExpressionText> pointees() const;
};

/// A buffer that is a part of another one's memory.
struct ViewSpec {
  std::string of;         ///< with memory of its own
  ExpressionText offset;  ///< where it begins, in elements of that buffer (scalars of its vectors)
  SourceLocation where;
};

struct BufferSpec {
  std::string name;
  std::string type;  ///< scalar type, type parameter, or record type
  std::size_t lanes =
      1;  ///< length of a vector of that scalar: elements have a last, contiguous dimension of this size
  std::vector<ExpressionText> shape;
  std::optional<ExpressionText>
      used;  ///< used part of the first extent, by program variables; absent: all of it
  InitSpec init;
  std::optional<ViewSpec> view;        ///< absent: it has memory of its own
  bool temporary = false;              ///< holds nothing between steps, so that others may use its memory
  std::optional<ExpressionText> when;  ///< absent: always there
  SourceLocation where;
};

/// A descriptor of a buffer for asynchronous tensor copies (device/tensor_map.h). Lists are in the order of
/// the buffer's shape, the slowest dimension first.
struct TensorMapSpec {
  std::vector<ExpressionText> box;
  std::vector<ExpressionText> extents;          ///< empty: the buffer's shape
  std::vector<ExpressionText> strides;          ///< in elements, of all but the last; empty: contiguous
  std::vector<ExpressionText> element_strides;  ///< empty: all 1
  std::string interleave = "none", swizzle = "none", l2_promotion = "none", fill = "zero";
};

/// A buffer as texture fetches see it (device/texture.h).
struct TextureSpec {
  std::vector<ExpressionText> extents;  ///< in elements, the last along x; empty: the buffer's shape
  std::string filter = "point", read = "element";
  std::vector<std::string> address;  ///< one for all dimensions, or one for each; empty: clamp
  bool normalized = false;
  bool layers = false;   ///< the first extent counts layers
  bool surface = false;  ///< cudaSurfaceObject_t
};

struct ArgumentSpec {
  /// kGiven: each launch gives it a buffer, or with `type` a number.
  /// kPointers: an array of pointers to the rows of a buffer. kFunction: a pointer to a function of the text.
  enum class Kind {
    kBuffer,
    kTensorMap,
    kTexture,
    kPointers,
    kFunction,
    kParams,
    kParameter,
    kValue,
    kNull,
    kGiven
  };
  Kind kind = Kind::kNull;
  std::string name;      ///< buffer (also of a tensor map, a texture or pointers), function, or parameter
  std::string formal;    ///< the name with which a launch changes it; empty: it cannot
  ExpressionText value;  ///< for kValue
  std::string type;      ///< for kValue and kGiven
  TensorMapSpec tensor_map;
  TextureSpec texture;
  std::size_t struct_number =
      0;  ///< from 1 on, of the struct passed by value of which it is a member; 0: none
  SourceLocation where;

  [[nodiscard]] bool names_buffer() const {
    return kind == Kind::kBuffer || kind == Kind::kTensorMap || kind == Kind::kTexture ||
           kind == Kind::kPointers;
  }
};

/// A macro's value: literal text, a parameter's value, or an expression.
struct DefineSpec {
  std::string name;
  ExpressionText value;
  bool expression = false;
};

/// An option for the compiler as written, with its place, where the compiler may refuse it.
using OptionText = ExpressionText;

struct KernelSpec {
  std::string name, source, entry;
  std::vector<std::string> more_sources;  ///< files of the same program that follow `source`
  std::vector<ExpressionText> grid, block;
  std::vector<ExpressionText> cluster;  ///< in blocks; empty: none
  bool cooperative = false;
  std::optional<ExpressionText> overlap;  ///< whether LaunchShape::overlap; absent: no
  std::optional<ExpressionText> shared;
  std::vector<ArgumentSpec> args;  ///< the members of a struct stand here one after the other
  std::vector<ExpressionText> launch_bounds;
  std::vector<ExpressionText> template_args;
  std::vector<DefineSpec> defines;
  std::map<std::string, std::vector<OptionText>> options;    ///< by back end; "" for all
  std::vector<std::pair<std::string, std::string>> symbols;  ///< variable -> buffer
  std::vector<SourceLocation> symbol_places;                 ///< of each variable's name
  /// Variable -> the buffer that gets its content when a run has ended.
  std::vector<std::pair<std::string, std::string>> read_symbols;
  std::vector<SourceLocation> read_symbol_places;
  ExpressionText entry_text;  ///< `entry` and its place, or the kernel's name
  SourceLocation where;
};

struct CheckSpec {
  std::string name;
  std::string buffer, variable;  ///< a program variable in place of a buffer; one of the two is empty
  std::optional<ExpressionText> expected;
  std::optional<FileSource> expected_file;  ///< `expected: {file: ...}`: one number
  std::optional<FileSource> file;           ///< a whole array
  std::string reference_kernel, reference_buffer;
  bool reference_on_host = false;
  std::vector<std::pair<ExpressionText, ExpressionText>> region;
  bool reduce_sum = false;
  std::optional<ExpressionText> rtol, atol, skip_below, when;
  SourceLocation where;
};

struct MetricSpec {
  std::string name, unit;
  ExpressionText value;
  bool higher_is_better = true;
};

/// A workload file, checked for form and for names that it uses of itself. Immutable.
struct Workload {
  std::string name, summary, description;
  std::string file;                       ///< the YAML's path
  std::filesystem::path directory;        ///< sources are relative to it
  std::string text;                       ///< the YAML, for the digest in records
  std::vector<ParameterSpec> parameters;  ///< the built-in `seed` last
  std::vector<std::pair<std::string, ExpressionText>> lets;
  std::vector<RecordType> types;
  std::vector<ExpressionText> constraints;
  std::vector<BufferSpec> buffers;
  /// Buffers that a program passes when it calls the step (kiln/step.h), in the order of its arguments.
  std::vector<ExpressionText> inputs_of_step, outputs_of_step;
  std::vector<KernelSpec> kernels;
  ProgramSpec run;
  std::optional<ExpressionText> verify_steps;
  ProgramSpec verify_run;
  std::vector<std::string> variables;  ///< that `run` and `verify.run` give values, in the order of the text
  std::vector<CheckSpec> checks;
  std::vector<MetricSpec> metrics;
  std::optional<ExpressionText> refresh;
  TuneSpec tune;
  /// Parsed expressions, each read once. Shared by copies: a text has one meaning in all of them.
  std::shared_ptr<ExpressionMemo> expressions = std::make_shared<ExpressionMemo>();
  /// The cache of its input files. Shared by copies.
  std::shared_ptr<InputFiles> inputs = std::make_shared<InputFiles>();

  /// Names in one of its expressions that are neither functions nor constants, in order. Throws bad_input.
  [[nodiscard]] std::vector<std::string> names_in(const ExpressionText& expression) const {
    return expressions->names(expression.text, expression.where, expression.key);
  }
  /// Whether the expression uses a program variable, so that its value may change while the program runs.
  [[nodiscard]] bool changes(const ExpressionText& expression) const;
  /// Whether a program gives values to that name.
  [[nodiscard]] bool is_variable(const std::string& name) const;
  /// The expression of that entry of `let:`; null if there is none.
  [[nodiscard]] const ExpressionText* find_let(const std::string& name) const;
  [[nodiscard]] const ParameterSpec* find_parameter(const std::string& name) const;
  [[nodiscard]] const BufferSpec* find_buffer(const std::string& name) const;
  /// The buffer whose memory it stands in: itself, or the one that it is a view of.
  [[nodiscard]] const BufferSpec& memory_of(const BufferSpec& buffer) const;
  [[nodiscard]] const KernelSpec* find_kernel(const std::string& name) const;
  [[nodiscard]] const RecordType* find_type(const std::string& name) const;
};

/// Reads a workload from its YAML node; `directory` is where its sources are. Throws bad_input.
[[nodiscard]] std::shared_ptr<const Workload> parse_workload(const YamlNode& node, const std::string& text,
                                                             const std::filesystem::path& directory);
/// The same, of a file whose content is `text`.
[[nodiscard]] std::shared_ptr<const Workload> parse_workload_file(const std::string& text,
                                                                  const std::filesystem::path& path);
/// Reads a workload file.
[[nodiscard]] std::shared_ptr<const Workload> load_workload_file(FileSystem& files,
                                                                 const std::filesystem::path& path);

}  // namespace kiln
