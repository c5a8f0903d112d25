#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace muster::revision::keys {

// Where the editing of common data is in the metastore. Every server follows all of it.
inline constexpr std::string_view all = "common/";
inline constexpr std::string_view leader = "common/leader";  // under a lease
inline constexpr std::string_view term = "common/term";      // of the last leader, as a number
inline constexpr std::string_view draft = "common/draft";
inline constexpr std::string_view changes = "common/changes/";          // of the draft, by number
inline constexpr std::string_view head = "common/head";                 // the newest revision
inline constexpr std::string_view server_digests = "common/holdings/";  // by server: what it has
inline constexpr std::string_view notes = "common/notes/";  // changes that no revision tells of yet

inline std::string under(std::string_view prefix, std::string_view name) {
    return std::string(prefix) + std::string(name);
}
// In the order of numbers.
inline std::string change(std::int64_t number) {
    constexpr std::size_t digits = 12;
    const auto text = std::to_string(number);
    return std::string(changes) + std::string(digits - text.size(), '0') + text;
}

}  // namespace muster::revision::keys
