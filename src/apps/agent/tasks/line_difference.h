#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace muster::agent {

// Describes how two texts differ, for people: the changed lines, "-" for old and "+" for new ones,
// after a line with their position. Empty if the texts are equal or binary. Cut at `bytes_max`.
std::string line_difference(std::string_view before, std::string_view after, std::size_t bytes_max);

}  // namespace muster::agent
