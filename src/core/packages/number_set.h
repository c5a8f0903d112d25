#pragma once

#include "base/result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace muster::packages {

// Numbers of packages or errata, in order, none twice.
using number_set = std::vector<std::uint32_t>;

number_set make_set(std::vector<std::uint32_t> numbers);
number_set united(const number_set& one, const number_set& other);
number_set without(const number_set& from, const number_set& reserved);
bool have_common(const number_set& one, const number_set& other);
bool contains(const number_set& all, std::uint32_t number);

// The distances from one to the next, seven bits a byte, the lowest first: one or two bytes for
// each number of a channel.
std::string encode(const number_set& numbers);
// errc::corrupt for anything that encode() does not make.
result<number_set> decode_numbers(std::string_view bytes);

}  // namespace muster::packages
