#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace muster::targeting {

// What a record says of a system, and where it is: `tag:db`, `state:orphan`.
enum class field : std::uint8_t { name, tag, group, zone, state, node, print, number, machine };

std::optional<field> parse_field(std::string_view word);  // "fp" is `print`
std::string_view to_string(field field);

// All of them, for people: "name, tag, …".
std::string field_list();

}  // namespace muster::targeting
