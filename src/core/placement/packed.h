#pragma once

#include "base/result.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace muster::placement {

// Many values of few kinds, small: the kinds once, ascending, as differences; then for each value
// the place of its kind, in as few bits as the number of kinds needs.
void pack(std::string& out, const std::vector<std::int64_t>& values);

// Reads `count` values back and moves `in` past them. Strict: errc::corrupt on anything that pack()
// does not write.
result<std::vector<std::int64_t>> unpack(std::string_view& in, std::size_t count);

// Many values that differ: the least, and how far each is above it, in as few bits as the largest
// needs.
void pack_span(std::string& out, const std::vector<std::int64_t>& values);
result<std::vector<std::int64_t>> unpack_span(std::string_view& in, std::size_t count);

void put_varint(std::string& out, std::uint64_t value);
result<std::uint64_t> take_varint(std::string_view& in);

}  // namespace muster::placement
