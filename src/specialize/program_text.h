#pragma once

#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "specialize/allocations.h"
#include "specialize/declarations.h"
#include "specialize/object_calls.h"
#include "specialize/texture_fetches.h"

namespace kiln {

/// A parameter of a kernel or of its template.
struct TextParameter {
  std::string type;  ///< "const float * __restrict__"; of a template: "typename", "int"
  std::string name;
  std::string default_value;  ///< of a template parameter; empty: none
  int line = 0;
};

/// A __global__ function with a body.
struct TextKernel {
  std::string name;  ///< with its namespaces
  int line = 0;
  std::string types;                         ///< of its parameters, as an entry chooses an overload by them
  bool overloaded = false;                   ///< another kernel has the name
  bool specialises = false;                  ///< a template of another text
  std::vector<std::string> specialised_for;  ///< {"double"} of `template <> void k<double>(...)`
  std::vector<TextParameter> parameters, template_parameters;
  std::string launch_bounds;                ///< the most work-items of a block, as written; may be empty
  bool dynamic_shared = false;              ///< it has an `extern __shared__` array
  std::vector<std::string> names_in_body;   ///< each once
  std::vector<std::string> called_in_body;  ///< those that a parenthesis follows
  std::map<std::string, std::size_t> called_with;  ///< by the name of what is called: the most arguments
  /// By a parameter of the template: the members of it that are named, the first number it is compared with,
  /// and whether it is divided.
  std::map<std::string, std::set<std::string>> needed_members;
  std::map<std::string, std::string> compared;
  std::set<std::string> divided;
  std::vector<std::string> constants;       ///< in constant memory, named here or in functions it calls
  std::vector<std::string> read_variables;  ///< of the device, which the host reads; named likewise
  std::set<std::string> state;              ///< variables of the device that kernels write; named likewise
  std::set<std::string> written;            ///< variables of `state` that it writes
  std::set<std::string> assigned;           ///< x of `x[i] = y;` that has no other use with `[`
  std::set<std::string> passed_on;          ///< arrays of `state` that it uses as pointers
  std::map<std::string, TextureFetch> fetches;  ///< by the name of the texture or surface
  std::vector<PassedArgument> passed_textures;
  std::vector<PassedArgument> passed_objects;  ///< arguments of a type of the template
  std::map<std::string, char> components;  ///< by a type parameter: the last of x, y, z, w that is read of it
};

/// "Vec" and {"float", "3"} of "Vec<float, 3>"; without arguments for all else.
struct TemplateId {
  std::string name;
  std::vector<std::string> arguments;
};

/// The name of the scope of a function object's operator.
constexpr const char* kCallOperator = "operator()";

/// A type or a constant that a function defines, and the tokens in which it is known.
struct TextDefinition {
  std::string name, text;
  bool type = false;
  std::size_t begin = 0, end = 0;
};

/// A function of the host, a class, or a generic lambda: where names of a launch's arguments are declared.
/// The type of a parameter `auto x` is a parameter of its template, as in C++: auto_type("x").
struct TextScope {
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  std::string name;    ///< of a lambda: its variable's; may be empty
  std::string result;  ///< the type that a function returns; may be empty
  std::vector<TextParameter> parameters, template_parameters;
  std::map<std::string, std::string> variables;  ///< types of what the body declares, and of parameters
  std::vector<TextDefinition> definitions;       ///< of the body, in its order
  std::size_t outer = kNone;  ///< of a member function: its class; of a lambda: its function
  bool lambda = false;
  std::string passed_to;            ///< the function whose argument a lambda is; may be empty
  std::size_t passed_as = 0;        ///< which argument
  std::vector<std::string> called;  ///< parameters of a template's type that the body calls
  TemplateId member_of;             ///< "Grid" and {"T"} of `template <class T> void Grid<T>::step()`
  bool specialises = false;         ///< it is `template <> void f<float>(...)`
  std::vector<std::string> specialised_for = {};  ///< the arguments, if they are written
};

/// A class: what an object of it holds. A member without a name is a struct or a union without one, whose
/// class has the member's type as its name.
struct TextClass {
  std::vector<TextParameter> template_parameters;
  std::vector<std::string> specialises;  ///< arguments of a specialisation: {"T", "3"}
  std::vector<std::string> bases;
  std::vector<TextParameter> members;            ///< data, with extents in the type: "float [4]"
  std::map<std::string, std::string> constants;  ///< values of static members
  std::map<std::string, std::string> types;      ///< targets of typedef and using
  bool declares_virtual = false;                 ///< a function
  std::int64_t alignment = 0;  ///< that its text asks for, in bytes; negative: not known, or members have one
  bool packed = false;         ///< without gaps between members
  std::int64_t pack = 0;       ///< of `#pragma pack`: the largest alignment of a member; 0: any
  bool is_union = false;
  bool overlaps = false;  ///< members share bytes, or a base does: bit fields, a virtual base
};

/// A call of a function template, of a generic lambda or of a parameter that may be one, a use of a class
/// template, or a name of a kernel's template that is not launched there. `template void f<float>(float*)`,
/// an explicit instantiation, has types as its arguments.
struct TextCall {
  std::string name;  ///< without namespaces
  std::vector<std::string> template_arguments, arguments;
  bool instantiates = false;
  std::size_t scope = TextScope::kNone;
  std::size_t token = 0;  ///< its place in the text
};

/// Functions by which a program reads a number that its user gives.
inline constexpr std::array<std::string_view, 6> kReadsNumber = {"atoi", "atol",   "stoi",
                                                                 "stol", "strtol", "strtoul"};

/// `kernel<T, 4><<<grid, block, shared>>>(arguments)`, or the same by hipLaunchKernelGGL, or by
/// cudaLaunchCooperativeKernel, whose arguments are not known.
struct TextLaunch {
  std::string kernel;  ///< without namespaces
  std::vector<std::string> template_arguments, arguments;
  std::vector<std::string> values;  ///< the arguments with local values in place of their names
  std::vector<bool> unsure_values;  ///< whether such a value may have changed
  std::string grid, block, shared;  ///< as written; `shared` may be empty
  bool unsure_grid = false, unsure_block = false,
       unsure_shared = false;        ///< by a value that may have changed
  std::vector<std::string> cluster;  ///< along x, y and z, as written; empty: it has none
  bool cooperative = false;
  bool by_kernel = false;  ///< it stands in code for the device
  int line = 0;
  std::size_t token = 0;  ///< its place in the text
  std::size_t scope = TextScope::kNone;
};

/// A function that only returns the value of an expression.
struct TextFunction {
  std::vector<std::string> parameters;
  std::string result;
};

/// A program as far as a workload is drafted from it.
/// What was found of the layout of a program's classes, by name.
struct LayoutMemo {
  struct Entry {
    bool open = true;  ///< it is looked at: a class that holds itself has no layout
    std::size_t end = 0, alignment = 0;
  };
  std::map<std::string, Entry> layouts;
  std::map<std::string, bool> packed;
};

struct ProgramText {
  std::vector<TextKernel> kernels;
  std::vector<TextLaunch> launches;  ///< in the text's order
  std::vector<TextScope> scopes;
  std::vector<TextCall> calls;                             ///< of templates that are scopes or kernels
  std::map<std::string, std::string> variables;            ///< types of variables outside of functions
  std::map<std::string, std::string> constants;            ///< values of macros and variables
  std::map<std::string, std::vector<std::string>> shapes;  ///< initialisers of variables of the type dim3
  std::map<std::string, std::string> types;                ///< targets of typedef and using
  std::map<std::string, std::vector<TextParameter>> alias_parameters;  ///< of alias templates among them
  std::map<std::string, std::vector<TextClass>> classes;  ///< by name: one, and its specialisations
  std::map<std::string, std::vector<TextParameter>>
      records;  ///< members of classes that are no specialisations, inherited ones first
  std::map<std::string, std::string> enumerations;  ///< the first enumerator of each
  std::map<std::string, std::string> allocations;   ///< bytes of the device's memory, by the pointer's name
  DeviceContent device_content;
  /// Variables in constant memory, by name, with extents in the type: "float [16]". One with a value of its
  /// own is among them if the host writes it, and so is a variable of the device that only the host writes.
  std::map<std::string, std::string> constant_variables;
  std::map<std::string, std::string> read_variables;   ///< of the device, which the host copies back
  std::map<std::string, std::string> state_variables;  ///< of the device, which device code may write
  /// Of these, declared `extern`: kernels of other files may use them, too. Whether a value stands in a text.
  std::map<std::string, bool> shared_variables;
  std::map<std::string, std::string> constant_scopes;  ///< of all of them: "ns::", or empty
  std::map<std::string, std::set<std::string>>
      class_scopes;  ///< by a class's, an enumeration's or an enumerator's name: "ns::"
  std::map<std::string, TextFunction> expressions;  ///< by a function's name: what it returns
  std::set<std::string> functions;  ///< device functions that are no kernels, with their scopes
  std::multimap<std::string, TextureUser> texture_users;  ///< functions, by name without scopes
  std::multimap<std::string, ObjectUser> object_users;    ///< likewise
  std::multimap<std::string, std::size_t> prototypes;  ///< of kernels, with their scopes: how many parameters
  mutable LayoutMemo layouts;
};

/// The name of the type of a parameter `auto x`.
[[nodiscard]] std::string auto_type(const std::string& parameter);

/// Reads all branches of conditionals, see compiled_parts(); of kernels and types in several branches of one
/// the first counts. Uses of macros that launch kernels are read as what they stand for. `headers` are read
/// first; lines of what stands there are 0. `defines`: macros of the compiler's command line.
[[nodiscard]] ProgramText read_program(const std::string& text, const std::vector<std::string>& headers = {},
                                       const std::vector<std::pair<std::string, std::string>>& defines = {});

}  // namespace kiln
