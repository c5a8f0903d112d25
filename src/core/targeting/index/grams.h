#pragma once

#include "core/targeting/required_substrings.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace muster::targeting {

// Two or three letters that stand side by side, as a number.
using gram = std::uint32_t;
constexpr gram pair_mark = 1U << 24U;

gram pair_of(std::string_view text, std::size_t at);
gram triple_of(std::string_view text, std::size_t at);

// A text with letters for its start and its end. None within can pretend to be these: such bytes
// are replaced.
std::string framed(std::string_view text);
// The same of a piece: where it stands at an end.
std::string framed(const required_substring& piece);

// Whether framing leaves the letters as they are.
bool is_kept(std::string_view letters);

}  // namespace muster::targeting
