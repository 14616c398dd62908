#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "trial/buffer_layout.h"
#include "workload/element_value.h"

namespace kiln {

/// Throws bad_input at the init where its numbers are no elements of the buffer: a constant or a progression
/// that is not whole, or out of range, for whole numbers; a random range that reaches beyond the type; reals
/// that would become infinite.
void require_init_fits(const Configuration& configuration, const BufferLayout& layout, const InitSpec& init);

/// The same check for the buffer's initial content. Also throws bad_input if it is to start like a buffer of
/// another type or size.
void require_start_fits(const Configuration& configuration, const BufferLayout& layout);

/// The address of a buffer, by its name.
using AddressOf = std::function<const void*(const std::string&)>;

/// The bytes of each element by an init of kind kMembers. `address_of` may be empty: addresses are null then.
/// Throws bad_input where a number is no element of its member or beyond its limits.
[[nodiscard]] std::vector<std::byte> record_element(const Configuration& configuration,
                                                    const BufferLayout& layout, const InitSpec& init,
                                                    const AddressOf& address_of);

/// The element that a constant init means. Throws as above.
template <class T>
[[nodiscard]] T constant_element(const Configuration& configuration, ScalarType type,
                                 const ExpressionText& text) {
  // Digits are exact, an expression is a double.
  if (const auto written = to_element<T>(std::string_view(text.text))) return *written;
  const double value = configuration.evaluate(text);
  if (const auto element = to_element<T>(value)) return *element;
  throw bad_input(text.key + ": '" + text.text + "' is " + format_number(value) + "; expected " +
                      expected_element(type) + " (" + to_string(type) + ")",
                  text.where);
}

}  // namespace kiln
