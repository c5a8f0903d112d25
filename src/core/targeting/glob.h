#pragma once

#include <string_view>

namespace muster::targeting {

// Whether the whole text matches the pattern: `*` is any run of characters, `?` any one, `[a-z]`
// one of a set and `[!a-z]` one that is not in it. Every other character, and a `[` that is never
// closed, stands for itself. Takes no more time than the product of both lengths.
bool glob_matches(std::string_view pattern, std::string_view text);

// Whether the pattern has anything in it that does not stand for itself.
bool is_glob(std::string_view pattern);

}  // namespace muster::targeting
