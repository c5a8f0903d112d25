#pragma once

#include "api/operations/registry.h"

#include <string>

namespace muster::api {

// An object's answer names what lies below it by address: `links`. With `?expand=tasks,windows` the
// answers of these are there, too, each asked for with the caller's own rights: `expanded`.
inline constexpr auto expand_parameter = "expand";

// One object that is read, and where.
struct reading {
    const registry::entry& which;
    caller who;
    api::value arguments;
    std::string path;  // as it was asked for
};

// Those of `all` that an operation takes in its path.
api::value path_arguments(const api::operation& of, const api::value& all);

// errc::invalid for a word that is no link; what fails below fails the whole.
async<reply> with_related(const registry& all, reading of, reply reply);

}  // namespace muster::api
