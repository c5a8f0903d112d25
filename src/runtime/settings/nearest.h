#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace muster::runtime {

// How many letters must be inserted, dropped, changed or swapped with their neighbour to make one
// word of the other.
std::size_t edit_distance(std::string_view left, std::string_view right);

// The known word somebody probably meant; nothing when none is close. The first of equals wins.
std::optional<std::string> nearest(std::string_view word, std::span<const std::string> existing);

// "; did you mean `log.level`?", or nothing.
std::string did_you_mean(std::string_view word, std::span<const std::string> existing);

}  // namespace muster::runtime
