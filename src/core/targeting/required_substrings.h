#pragma once

#include "core/targeting/text_pattern.h"

#include <string>
#include <vector>

namespace muster::targeting {

// Letters that stand side by side in every text which a pattern matches.
struct required_substring {
    std::string letters;
    bool at_start = false;  // of the text
    bool at_end = false;

    friend bool operator==(const required_substring&, const required_substring&) = default;
};

// In the order in which they stand. A text without one of them does not match; one that has them
// all may, or may not. There need not be any.
std::vector<required_substring> required_substrings(const text_pattern& test);

}  // namespace muster::targeting
