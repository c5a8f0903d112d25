#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace muster::agent {

// One record of the journal's file: four bytes of size and eight of checksum (both big endian),
// then a letter ('p' put, 'e' erase), two bytes of the id's size, the id and the value.
struct entry {
    enum class kind { put, erase } what = kind::put;
    std::string_view id;
    std::string_view value;
};

std::string encode(const entry& what);

struct decoded_entry {
    entry what;        // points into the bytes that were decoded
    std::size_t size;  // how many of them it took
};
// Nothing: what stands there is not a whole record.
std::optional<decoded_entry> decode(std::string_view bytes);

}  // namespace muster::agent
