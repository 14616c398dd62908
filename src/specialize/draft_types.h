#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "config/scalar_type.h"
#include "specialize/instantiations.h"
#include "specialize/program_text.h"

namespace kiln {

/// "const float*" as a workload sees it.
struct ArgumentType {
  std::string type;  ///< in a workload; empty: none
  bool pointer = false;
  bool read_only = false;
  std::string bytes = {};  ///< the program's type, if the buffer holds it as bytes
  bool rows = false;       ///< of "float**", an array of pointers to rows
};

/// "update" of "ns::update".
[[nodiscard]] std::string base_name(const std::string& name);

/// For a type parameter of a kernel's template whose argument is not known: "int" of "IdxT", "KeyT" and,
/// beside a key, of "ValueT", "float2" where the kernel reads x and y of it; else "float".
[[nodiscard]] std::string guessed_type(const std::string& parameter, const TextKernel& kernel);

/// "float4" where the kernel reads components up to w of what has the type; empty: it reads none.
[[nodiscard]] std::string guessed_vector(const std::string& parameter, const TextKernel& kernel);

/// What the types of a program are in a workload. The program must outlive it.
class DraftTypes {
 public:
  /// `has_library_objects`: the program uses function objects of Thrust, so libcu++'s are there, too.
  DraftTypes(const ProgramText& program, bool has_library_objects);

  [[nodiscard]] const ProgramText& program() const { return program_; }

  [[nodiscard]] const TextLaunch* launch_of(const TextKernel& kernel) const;

  /// The argument's text where the program launches the kernel; empty if it does not.
  [[nodiscard]] std::string launched_with(const TextKernel& kernel, std::size_t index) const;

  /// The same with local values of the host in place of their names.
  [[nodiscard]] std::string launched_value(const TextKernel& kernel, std::size_t index) const;

  /// Whether a statement between such a value and the launch may change it.
  [[nodiscard]] bool may_have_changed(const TextKernel& kernel, std::size_t index) const;

  [[nodiscard]] std::optional<std::int64_t> value_of(const std::string& text) const;

  /// Whether an expression names a variable of a function of the program.
  [[nodiscard]] bool names_variable(const std::string& expression) const;

  /// The workload's name of a type without pointers; empty if it has none.
  [[nodiscard]] std::string type_name(const std::string& type, const TextKernel& kernel, int depth = 0) const;

  /// The members of a class of the program, also of one that type_name() has named; null: there is none.
  [[nodiscard]] const std::vector<TextParameter>* record(const std::string& name) const;

  /// The number of elements: 3 for "float [3]", 6 for "float [2][3]"; 1 without brackets; absent if an extent
  /// is unknown.
  [[nodiscard]] std::optional<std::int64_t> extent_of(const std::string& type) const;

  /// What a type of a kernel stands for: without aliases, and with the arguments of the kernel's template
  /// that are no parameters of the workload.
  [[nodiscard]] std::string written_type(const std::string& type, const TextKernel& kernel) const;

  /// Of a scalar type or of a type parameter, which may be a guess; absent for all else.
  [[nodiscard]] std::optional<ScalarType> scalar_of(const std::string& type, const TextKernel& kernel) const;

  [[nodiscard]] ArgumentType argument_type(const TextParameter& parameter, const TextKernel& kernel) const;

  /// The members of a struct or a vector that is passed by value, pointers and numbers in order; empty if the
  /// argument is no such thing, or has members without a form.
  [[nodiscard]] std::vector<TextParameter> members_of(const TextParameter& parameter,
                                                      const TextKernel& kernel) const;

  /// The parts of a dim3, or the one number.
  [[nodiscard]] std::vector<std::string> extents_of_launch(const std::string& text) const;

  /// Whether it is a function object without members, which takes one byte.
  [[nodiscard]] bool is_empty_object(const TextParameter& parameter, const TextKernel& kernel) const;

  /// The kernel's own access to a texture or a surface that is passed to it; null if the argument is no such
  /// object, or if the kernel only hands it on.
  [[nodiscard]] static const TextureFetch* texture_fetch(const TextParameter& parameter,
                                                         const TextKernel& kernel);

  /// Whether its type is CUDA's for a descriptor of asynchronous tensor copies.
  [[nodiscard]] static bool is_tensor_map(const TextParameter& parameter);

  /// Whether its type is one of CUDA's for textures and surfaces.
  [[nodiscard]] static bool is_texture_object(const TextParameter& parameter);

  /// Takes an instantiation of the kernel whose types the kernels chosen before it have, too, where the
  /// program has one. Where it has none, the kernel's types are no parameters of the workload.
  void choose(const TextKernel& kernel);

  /// The workload's form of a type parameter of a kernel's template: a `type` parameter of the same name, or
  /// the program's type argument.
  [[nodiscard]] std::string template_type(const TextKernel& kernel, const std::string& name) const;

  /// Whether a parameter of a template is a template itself: `template <class> class Op`.
  [[nodiscard]] static bool is_template(const TextParameter& parameter) {
    return parameter.type.starts_with("template");
  }

  /// From the program's instantiations, or the parameter's default, or a guess; empty if all are missing.
  [[nodiscard]] std::string template_argument(const TextKernel& kernel, const std::string& name) const;

  /// For a number of a kernel's template that the program does not show: what the kernel compares it with, or
  /// what numbers of such names are.
  [[nodiscard]] static std::string guessed_number(const TextKernel& kernel, const std::string& name);

  /// All that the program passes, at most this many.
  [[nodiscard]] std::vector<std::string> template_arguments(const TextKernel& kernel, const std::string& name,
                                                            std::size_t most) const;

  /// For a number of the template of a kernel whose launch is not known: that with which another kernel is
  /// launched for a parameter of the same name and type; empty if there is none.
  [[nodiscard]] std::string borrowed_number(const TextParameter& parameter) const;

  [[nodiscard]] static bool points_to_function(const std::string& type) {
    return type.find("(*)(") != std::string::npos;
  }
  [[nodiscard]] bool is_function_pointer(const TextParameter& parameter, const TextKernel& kernel) const;
  /// A device function of the program that may be what such an argument points to: the value of a variable of
  /// the pointer's type, else any function; empty: the program has none.
  [[nodiscard]] std::string pointed_function(const TextParameter& parameter, const TextKernel& kernel) const;

  /// Whether a member of this type is a pointer, or an array of them.
  [[nodiscard]] static bool holds_address(const std::string& type);

 private:
  /// With the numbers of sizeof, of std::max and std::min, and of functions of one expression in their place.
  [[nodiscard]] std::string with_calls_evaluated(const std::string& text, int depth) const;

  /// Whether an argument of a template is a type of C++, of CUDA's libraries, or of the program.
  [[nodiscard]] bool is_known_type(const std::string& type, int depth = 0) const;

  /// Whether a workload's `types` can say it; pointers are addresses (ulong).
  [[nodiscard]] bool has_form(const std::vector<TextParameter>& members, const TextKernel& kernel,
                              int depth) const;

  /// Bytes behind the last member of a class that asks for a larger alignment than its members have.
  [[nodiscard]] std::size_t padding_of(const std::string& name,
                                       const std::vector<TextParameter>& members) const;

  /// How many numbers of 64 bits stand for a container of the host, such as std::vector; 0 for other types.
  [[nodiscard]] std::size_t container_words(const std::string& type) const;

  /// "Vector_float_3" of "Vector < float , 3 >", a class template of the program; empty if it has no form.
  [[nodiscard]] std::string name_of_instance(const std::string& type, int depth) const;

  /// Whether members lie one behind the other, each at a multiple of its own alignment.
  [[nodiscard]] bool lies_in_order(const std::string& name, const std::vector<TextParameter>& members) const;

  /// Bytes of such members, 0 where one has no form; `alignment` grows to that of the largest number, and
  /// `gaps` says whether bytes between or behind them are unused.
  [[nodiscard]] std::size_t size_in_order(const std::vector<TextParameter>& members, int depth,
                                          std::size_t& alignment, bool& gaps) const;

  /// How many numbers a struct holds, counted to one more than a workload's `types` can have.
  [[nodiscard]] std::int64_t numbers_of(const std::vector<TextParameter>& members, int depth) const;

  /// For a class of a kernel's template that the program does not show: one of the program's that has the
  /// members, or the operator, that the kernel uses; for a function object else one of libcu++. Empty: none.
  [[nodiscard]] std::string guessed_class(const TextKernel& kernel, const std::string& name) const;

  /// For a parameter that is a template itself: a class template of the program with as many parameters that
  /// has what the kernel uses of it. Empty: none.
  [[nodiscard]] std::string guessed_template(const TextKernel& kernel, const TextParameter& parameter) const;

  /// Whether a class or its bases have all of these members.
  [[nodiscard]] bool has_members(const std::string& name, const std::set<std::string>& members,
                                 int depth = 0) const;

  /// "Table<float,4>" of "Table", as the program uses it; empty: it does not.
  [[nodiscard]] std::string used_class(const std::string& name) const;

  /// "Add" where the program launches a kernel with `Add()` for an argument of the template's type `name`.
  [[nodiscard]] std::string passed_object(const TextKernel& kernel, const std::string& name) const;

  /// Whether the kernel takes an object of the template's type `name`, and `argument` is no type that is
  /// known.
  [[nodiscard]] bool is_unknown_value(const TextKernel& kernel, const std::string& name,
                                      const std::string& argument) const;

  /// Whether the kernel calls what it takes of the template's type `name`, and `argument` is a class that has
  /// no operator for that.
  [[nodiscard]] bool cannot_be_called(const TextKernel& kernel, const std::string& name,
                                      const std::string& argument) const;

  /// For a kernel that nothing launches: the class with which another one is launched for a parameter of the
  /// same name; empty if there is none.
  [[nodiscard]] std::string borrowed_argument(const TextKernel& kernel, const TextParameter& parameter) const;

  /// "Add" and "Add<float>", a class without members.
  [[nodiscard]] bool is_empty_record(const std::string& type) const;

  /// Bytes to which a member of a struct is aligned; absent: it has no form.
  [[nodiscard]] std::optional<std::size_t> alignment_of(const TextParameter& member, const TextKernel& kernel,
                                                        int depth) const;

  /// Pointers from `before` on, the members of the member `outer`, get names that no earlier
  /// member has, so that they do not share a buffer: "next_data" beside "data".
  static void name_pointers_apart(const std::string& outer, std::size_t before,
                                  std::vector<TextParameter>& members);

  /// Adds the members of a struct in order, with the members of structs and vectors inside and bytes of
  /// padding where these need it. `offset`: where the members end. False: a member has no form.
  bool add_members(const std::string& name, const TextKernel& kernel, int depth,
                   std::vector<TextParameter>& members, std::size_t& offset) const;

  /// With which arguments the program instantiates the kernel, as far as they are known here; that with the
  /// most first.
  [[nodiscard]] const std::vector<TemplateValues>& instantiations(const TextKernel& kernel) const;

  /// Whether kernels write the addresses themselves that a "float**" points to: this kernel, or another one
  /// that is launched with the same pointer.
  [[nodiscard]] bool is_written_table(const TextParameter& parameter, const TextKernel& kernel) const;

  const ProgramText& program_;
  const bool has_library_objects_;
  std::set<std::string> written_tables_;  // arguments of launches
  mutable Instantiations search_;
  mutable std::map<std::string, std::vector<TextParameter>> instances_;  // by name_of_instance()
  mutable std::map<std::string, std::string> instance_types_;            // their types, by name
  mutable std::map<std::pair<std::string, std::string>, std::vector<TemplateValues>>
      instantiations_;  // found before: by kernel and its types
  std::map<std::string, std::string>
      shared_types_;  // by type parameter: what the workload's one is by default
  std::set<std::tuple<std::string, std::string, std::string>> own_types_;  // of kernels that have another one
};

}  // namespace kiln
