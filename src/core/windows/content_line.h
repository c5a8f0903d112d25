#pragma once

#include "base/result.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace muster::windows {

// One unfolded line of an iCalendar text (RFC 5545, 3.1): NAME;PARAMETER=VALUE:VALUE.
struct content_line {
    std::size_t number = 0;                                       // in the file, from 1
    std::string name;                                             // in capitals
    std::vector<std::pair<std::string, std::string>> parameters;  // names in capitals, no quotes
    std::string value;

    std::optional<std::string_view> parameter(std::string_view parameter_name) const;
};

struct content_limits {
    static constexpr std::size_t text_bytes_max = std::size_t{1} << 20;
    static constexpr std::size_t line_bytes_max = 64 * std::size_t{1024};  // unfolded
    static constexpr std::size_t parameters_max = 32;
};

// errc::invalid with the number of the faulty line. Editors write LF or CRLF and leave empty lines
// at the end, so both are accepted.
result<std::vector<content_line>> parse_content(std::string_view text);

}  // namespace muster::windows
