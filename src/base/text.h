#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kiln {

/// The candidate at the smallest Damerau-Levenshtein distance from `name`, if that is near enough to be a
/// slip (at most a third of the length, at least one). A word of older files yields the word that replaced
/// it: "implementation" for "variant".
[[nodiscard]] std::optional<std::string> nearest_name(std::string_view name,
                                                      const std::vector<std::string>& candidates);
/// "; did you mean 'x'?" or, if no candidate is near, "; expected one of a, b, c"; empty for no candidates.
[[nodiscard]] std::string suggestion(std::string_view name, const std::vector<std::string>& candidates);

/// `text` without characters that move a cursor, colour a terminal, hide or reorder text. Control characters
/// except line ends and tabs become "\x1b" or (delete, C1 controls, bidirectional controls) "\u009b", the
/// form of JSON; bytes that are not UTF-8 become "\xe9". A carriage return stays before a line end.
/// Idempotent.
[[nodiscard]] std::string printable(std::string_view text);
/// printable() on one line: line ends and tabs become "\n", "\r" and "\t".
[[nodiscard]] std::string printable_line(std::string_view text);
/// A name or a value of the user in a message: "'text'" on one line, cut in the middle if it is longer than
/// 200 bytes.
[[nodiscard]] std::string in_quotes(std::string_view text);

[[nodiscard]] std::string join(const std::vector<std::string>& parts, std::string_view separator);
/// "name=value".
[[nodiscard]] std::string assignment(std::string_view name, std::string_view value);
[[nodiscard]] std::vector<std::string> split(std::string_view text, char separator);
[[nodiscard]] std::string_view trim(std::string_view text);
[[nodiscard]] bool is_identifier(std::string_view text);

/// Shortest decimal text that reads back as the same value; integers without a point; "inf", "-inf", "nan".
[[nodiscard]] std::string format_number(double value);
/// "1.5 GiB", "340 B".
[[nodiscard]] std::string format_bytes(std::uint64_t bytes);
/// Three significant digits with a unit that fits: "12.3 us", "1.05 s".
[[nodiscard]] std::string format_seconds(double seconds);

/// Strict: the whole text must be one number; hexadecimal not accepted. `nullopt` otherwise (also out of
/// range).
[[nodiscard]] std::optional<std::int64_t> parse_integer(std::string_view text);
[[nodiscard]] std::optional<double> parse_real(std::string_view text);

}  // namespace kiln
