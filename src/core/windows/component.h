#pragma once

#include "core/windows/content_line.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace muster::windows {

// What stands between BEGIN:NAME and END:NAME.
struct component {
    std::string name;
    std::size_t line = 0;
    std::vector<content_line> properties;
    std::vector<component> parts;

    // The one property of this name; null when there is none. errc::invalid when there are more.
    result<const content_line*> only(std::string_view desired) const;
    std::vector<const content_line*> all(std::string_view desired) const;
};

struct component_limits {
    static constexpr std::size_t depth_max = 4;
    static constexpr std::size_t parts_max = 4'000;  // of the whole text
};

// The one VCALENDAR of a text. errc::invalid with the line where it is wrong.
result<component> parse_calendar_object(std::string_view text);

}  // namespace muster::windows
