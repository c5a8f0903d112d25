#pragma once

#include <optional>
#include <string_view>

namespace muster::targeting {

// A word of Salt's compound matcher that says how it is to be matched: `G@os:Debian`, or with a
// delimiter of its own `G|@os|Debian`.
struct matcher_prefix {
    char engine = 'G';  // one of G P I J L N S E R
    std::string_view delimiter;
    std::string_view pattern;
};

// Nothing when the word, which ends with the text or at a blank, names no engine.
std::optional<matcher_prefix> split_matcher_prefix(std::string_view text);

}  // namespace muster::targeting
