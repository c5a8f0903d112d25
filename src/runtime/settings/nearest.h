#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace muster::runtime {

// How many characters must be inserted, deleted, replaced or swapped with their neighbour to turn
// one word into the other.
std::size_t edit_distance(std::string_view left, std::string_view right);

// The candidate that is most similar to `word`; nothing when none is close. The first of equals
// wins.
std::optional<std::string> find_nearest(
    std::string_view word, std::span<const std::string> candidates);

// `; closest match: "log.level"`, or an empty text.
std::string did_you_mean(std::string_view word, std::span<const std::string> candidates);

}  // namespace muster::runtime
