#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "specialize/declarations.h"
#include "specialize/specialization.h"

namespace kiln {

using Names = std::set<std::string_view>;

/// A text of a specialisation: the kernel's file or a header.
struct ProgramFile {
  std::string* text = nullptr;  ///< the result
  std::string name, original;   ///< tokens and names are views into the second
  bool whole = false;           ///< nothing of it is left out: a library's own header
  TokenizedText source;
  std::vector<Declaration> declarations;
};

/// A declaration that may be left out by itself, and what is known of it.
struct Item {
  static constexpr std::size_t kNoOwner = static_cast<std::size_t>(-1);
  const Declaration* declaration = nullptr;
  std::size_t text = 0;
  bool member = false;  ///< of a class
  bool device = false;  ///< has a mark such as __device__
  bool host = false;    ///< names things of the host, or calls what does
  bool whole = false;   ///< begins and ends in the same branch of the same conditionals
  bool kept = false;
  std::size_t owner = kNoOwner;           ///< for a member: its class
  std::vector<std::size_t> members = {};  ///< for a class: its items
  std::string stand_in = {};              ///< for a container of the host as a member: bytes in its place
};

/// The declarations of a specialisation's texts, and what its macros and marks say of them. The
/// specialisation must outlive it.
class ProgramItems {
 public:
  struct Directives {
    const Directive* first;
    const Directive* last;
    [[nodiscard]] const Directive* begin() const { return first; }
    [[nodiscard]] const Directive* end() const { return last; }
  };

  explicit ProgramItems(Specialization& specialization);
  ProgramItems(const ProgramItems&) = delete;
  ProgramItems& operator=(const ProgramItems&) = delete;

  [[nodiscard]] const std::vector<Token>& tokens_of(const Item& item) const;

  [[nodiscard]] Directives directives_in(std::size_t text, std::size_t begin, std::size_t end) const;

  [[nodiscard]] bool marks_device(const Token& token) const;

  /// `__host__`, or a macro that stands for it.
  [[nodiscard]] bool marks_host(const Token& token) const;

  /// Whether the macro puts a name together that may be the item's.
  [[nodiscard]] bool may_paste(std::string_view macro, const Item& item) const;

  /// What may stand in front of `::`: a namespace, a type or a parameter of a template.
  [[nodiscard]] bool declares_scope(std::string_view name) const {
    return scopes_.contains(name) || types_.contains(name);
  }

  [[nodiscard]] bool is_function(const Item& item) const;

  /// A macro at namespace scope that stands for whole declarations, none of them of the device.
  [[nodiscard]] bool is_use_of_whole_macro(const Item& item) const;

  /// The edit that takes a declaration out of its text and puts `instead` in its place. Line ends stay, and
  /// the directives that other text may depend on.
  [[nodiscard]] TextEdit without(const Item& item, const std::string& instead) const;

  /// "class A;" of a class outside of other classes that code which stays may have pointers to, and of an
  /// alias template; empty: it has no such declaration.
  [[nodiscard]] std::string forward_declaration(const Item& item) const;

  /// Whether it defines a member, `Image<T>::f`, of a class of which the texts have only a declaration.
  [[nodiscard]] bool is_of_undefined_class(const Item& item) const;

  /// Whether a declaration of its name has a mark; of `Image::f` one in its class, where that is known.
  [[nodiscard]] bool marked_elsewhere(const Item& item) const;

  /// Of `Image<T>::f(...)` outside of its class: what is called like the class; null: it is no such function.
  [[nodiscard]] const std::vector<std::size_t>* class_around(const Item& item) const;

  std::deque<ProgramFile> files;
  std::vector<Item> items;
  std::map<std::string_view, std::vector<std::size_t>> by_name;               ///< indices of items
  std::map<std::string_view, std::vector<const std::vector<Token>*>> macros;  ///< their #define lines
  Names function_macros;
  bool uses_std = false;  ///< has `using namespace std`

 private:
  void add_text(std::string& text, const std::string& name, const std::string& path);

  void learn_macros();

  [[nodiscard]] Names scope_macros() const;

  /// Whether the macro stands for an attribute of what is declared behind it.
  [[nodiscard]] static bool is_attribute(const std::vector<Token>& words, bool function_like);

  /// Adds the macros whose texts have such a mark, or one of the macros.
  void learn_marks(Names& marks, const std::function<bool(std::string_view)>& is_mark) const;

  void learn_scopes(const std::vector<Token>& tokens);

  void learn_types(const std::vector<Declaration>& declarations);

  /// Learns the text that the macro puts in front of other words, or behind them.
  void learn_pasting(const std::vector<Token>& words, bool function_like);

  [[nodiscard]] bool may_be_mark(const Token& token) const;

  [[nodiscard]] bool names_type(std::string_view name) const;

  std::size_t add_item(const Declaration& declaration, std::size_t text, bool member);

  /// Heads, and __shared__ in a body. A class has no mark of its own.
  [[nodiscard]] bool has_device_mark(const Item& item) const;

  [[nodiscard]] bool is_whole(const Item& item) const;

  /// A function that is marked where it is declared is marked where it is defined.
  /// Where `template <class T>` stands in front of `#ifdef X / using A = B<T>; / #else / using A = C<T>; /
  /// #endif`, none of the items is whole.
  void find_torn_items();

  [[nodiscard]] std::optional<bool> marked_in_class(const Item& item) const;

  void find_device_names();

  const Specialization& spec_;
  std::vector<std::string> defined_texts_;
  std::deque<std::vector<Token>> defined_words_;
  Names device_macros_, host_macros_, attribute_macros_;
  std::map<std::string_view, Names> pasted_;  // by macro: parts of names that it puts together
  Names device_names_, types_, scopes_;
};

}  // namespace kiln
