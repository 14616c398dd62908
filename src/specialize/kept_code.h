#pragma once

#include <deque>
#include <string>
#include <vector>

#include "specialize/program_items.h"

namespace kiln {

/// Follows names from the kernels and the device code of a program: what they may lead to is kept. Names are
/// followed, not types.
class KeptCode {
 public:
  KeptCode(ProgramItems& program, const Specialization& specialization)
      : program_(program), spec_(specialization) {}

  /// Marks the items that stay. `kept`: names whose declarations stay in any case. Without `cuts` all items
  /// stay.
  void run(const std::vector<std::string>& kept, bool cuts);

  /// Names that what stays uses, and members of std among them.
  [[nodiscard]] const Names& names() const { return reached_; }
  [[nodiscard]] const Names& std_names() const { return std_names_; }

 private:
  void keep_roots(const std::vector<std::string>& kept, bool cuts);

  /// Whether it is a kernel's definition: it stays if an entry or device code names it.
  [[nodiscard]] bool is_kernel(const Item& item) const;

  /// An explicit instantiation beside entries: what these use is instantiated anyway, and the rest need not
  /// compile.
  [[nodiscard]] bool is_needless(const Item& item) const;

  /// Operators are called without their name, so those that may serve device code stay.
  [[nodiscard]] bool is_operator(const Item& item) const;

  /// A specialisation of a template of another's: code of that other's may lead to it.
  [[nodiscard]] bool of_unknown_template(const Item& item) const;

  void keep(std::size_t index);

  void follow();

  void follow_item(std::size_t index);

  /// In the body these are not the names of declarations outside.
  [[nodiscard]] Names parameter_names(const Item& item) const;

  /// What the body declares at its outermost level before it uses the name: likewise.
  [[nodiscard]] Names local_names(const Item& item) const;

  /// Whether the statement that begins at `begin` declares a variable by the name at `at`: types in front of
  /// it, nothing else.
  [[nodiscard]] static bool declares(const std::vector<Token>& tokens, std::size_t begin, std::size_t at,
                                     std::size_t end);

  void reach_tokens(const Item& item, TokenSpan span, const Names& shadowed);

  void reach_tokens(const std::vector<Token>& tokens, TokenSpan span, const Names& shadowed);

  /// `X` of `std::X`; `cuda::std::X` is of another library.
  void learn_std_name(const std::vector<Token>& tokens, std::size_t i);

  /// `called`: as a function is called or passed on; a variable's use is not.
  void reach(const Token& token, bool called);

  /// What the macro may name by a name that it puts together.
  void keep_pasted(std::string_view macro);

  /// Of what stays.
  void keep_instantiations();

  ProgramItems& program_;
  const Specialization& spec_;
  std::deque<std::string> root_texts_;
  std::deque<std::vector<Token>> root_tokens_;
  Names reached_, called_, std_names_;
  std::deque<std::size_t> open_;
};

}  // namespace kiln
