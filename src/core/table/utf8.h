#pragma once

#include <string_view>

namespace muster::table {

// Well-formed UTF-8 (no overlong forms, no surrogates, nothing above U+10FFFF), none of it NUL.
bool is_utf8_without_nul(std::string_view text);

}  // namespace muster::table
