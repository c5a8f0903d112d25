#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace muster::agent {

// How one text differs from another, for people: the lines between what both begin and end with,
// "-" before those that go and "+" before those that come, after a line that says where. Empty for
// equal ones, and for what is not text. Cut off behind `bytes_max`.
std::string line_difference(std::string_view before, std::string_view after, std::size_t bytes_max);

}  // namespace muster::agent
