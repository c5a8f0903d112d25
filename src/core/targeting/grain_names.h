#pragma once

#include "core/targeting/condition.h"

#include <string_view>

namespace muster::targeting {

// A test of facts by the paths that the expression names and, where it starts with the name of one
// of Salt's grains, also by muster's own path for the same thing: `os:Debian` asks `os.id` and
// `os.name`, too.
result<fact_condition> make_fact_condition(
    std::string_view expression, std::string_view delimiter, value_language language);

// Whether facts go by this name without any dot in it: `os`, `kernel`, `fqdn`.
bool is_grain_name(std::string_view word);

}  // namespace muster::targeting
