#pragma once

#include "base/result.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace muster::placement {

// Encodes many values of few distinct ones. Writes the distinct values, ascending, as differences;
// then the index of each value, in as few bits as possible.
void pack(std::string& out, const std::vector<std::int64_t>& values);

// Reads `count` values and moves `input` past them. Strict: errc::corrupt for anything that pack()
// does not write.
result<std::vector<std::int64_t>> unpack(std::string_view& input, std::size_t count);

// Encodes many different values: the minimum, then the distance of each value from it, in as few
// bits as the largest distance needs.
void pack_span(std::string& out, const std::vector<std::int64_t>& values);
result<std::vector<std::int64_t>> unpack_span(std::string_view& input, std::size_t count);

void write_varint(std::string& out, std::uint64_t value);
result<std::uint64_t> read_varint(std::string_view& input);

}  // namespace muster::placement
