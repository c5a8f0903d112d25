#pragma once

#include "base/result.h"

#include <string_view>

namespace muster::stream {

// A subject is one or more words joined by dots; a word is visible ASCII without '.', '*', '>'.
// A pattern may have `*` in place of any word, and `>` as its last word for one or more words.

// errc::invalid names the problem.
result<void> validate_subject(std::string_view subject);
result<void> validate_pattern(std::string_view pattern);

// Both must be valid.
bool matches(std::string_view pattern, std::string_view subject);

}  // namespace muster::stream
