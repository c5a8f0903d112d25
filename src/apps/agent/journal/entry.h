#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace muster::agent {

// One record of the journal's file: four bytes of size and eight of checksum (both big endian),
// then a letter ('p' put, 'e' erase), two bytes of the id's size, the id and the value.
struct entry {
    enum class entry_kind { put, erase } kind = entry_kind::put;
    std::string_view id;
    std::string_view value;
};

std::string encode(const entry& entry);

struct decoded_entry {
    agent::entry entry;  // refers to the decoded bytes
    std::size_t size;    // number of decoded bytes
};
// nullopt if the bytes do not start with a complete, valid record.
std::optional<decoded_entry> decode(std::string_view bytes);

}  // namespace muster::agent
