#pragma once

#include "base/result.h"

#include <string>
#include <string_view>

namespace muster::targeting {

// A target as Salt's clients name it: an expression and the type it is of.
struct salt_target {
    std::string_view type;  // "glob", "grain_pcre", …
    std::string_view expression;
};

// The same in our language. errc::invalid, with a sentence, for types that cannot be answered here:
// what a system's pillar holds is not known to the servers, and ranges need a server of their own.
result<std::string> expression_of(const salt_target& salt_target);

// Whoever is about to act on systems must not mean them by what nobody knows: `not I@role:db` would
// be everybody. errc::invalid with the position of a term about pillar.
result<void> refuse_pillar(std::string_view expression);

}  // namespace muster::targeting
