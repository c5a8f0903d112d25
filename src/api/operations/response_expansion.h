#pragma once

#include "api/operations/registry.h"

#include <string>

namespace muster::api {

// Adds `links` to the response of an object: the addresses of its sub-resources. With
// `?expand=tasks,windows` it adds their responses as `expanded`, read with the caller's rights.
inline constexpr auto expand_parameter = "expand";

// One read of an object.
struct read_call {
    const registry::entry& entry;
    api::caller caller;
    api::value arguments;
    std::string path;  // of the request
};

// The path arguments of the operation, selected from `arguments`.
api::value path_arguments(const api::operation& operation, const api::value& arguments);

// errc::invalid for an unknown link. An error of a sub-resource fails the whole response.
async<reply> expand_response(const registry& operations, read_call read, reply reply);

}  // namespace muster::api
