#pragma once

#include "core/windows/content_line.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace muster::windows {

// The content between BEGIN:NAME and END:NAME.
struct component {
    std::string name;
    std::size_t line = 0;
    std::vector<content_line> properties;
    std::vector<component> parts;

    // The property of this name, or null. errc::invalid when there is more than one.
    result<const content_line*> find_one(std::string_view property_name) const;
    std::vector<const content_line*> find_all(std::string_view property_name) const;
};

struct component_limits {
    static constexpr std::size_t depth_max = 4;
    static constexpr std::size_t parts_max = 4'000;  // in the whole text
};

// Parses the VCALENDAR of a text. errc::invalid names the faulty line.
result<component> parse_calendar_object(std::string_view text);

}  // namespace muster::windows
