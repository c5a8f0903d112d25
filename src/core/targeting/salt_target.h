#pragma once

#include "base/result.h"

#include <string>
#include <string_view>

namespace muster::targeting {

// A target of a Salt client: an expression and its type.
struct salt_target {
    std::string_view type;  // "glob", "grain_pcre", …
    std::string_view expression;
};

// Translates the target into a query. errc::invalid for unsupported types: the servers do not store
// pillar data, and ranges need a range server.
result<std::string> expression_of(const salt_target& salt_target);

// errc::invalid with the position of a term about pillar. Pillar data is unknown here, so
// `not I@role:db` would match all systems.
result<void> refuse_pillar(std::string_view expression);

}  // namespace muster::targeting
