#pragma once

#include "api/operations/registry.h"

#include <optional>
#include <string>
#include <string_view>

namespace muster::api {

// Checks If-Match: a change applies only to the record version that the caller read. The record is
// the one that the path names, without a trailing verb: POST /users/ann/disable is about
// GET /users/ann.
//
// This protects users from overwriting changes they have not seen. It compares with the state that
// this server knows and is no lock between concurrent changes.

// The ETag of a response, without what response_expansion.h adds.
std::string etag_of(std::string_view body);

// The operation that reads the changed record; null: there is none.
const registry::entry* find_record_read(const registry& operations, const api::operation& change);

// nullopt: the record is unchanged. Otherwise a 412 response with the current ETag and, if the
// record has one, its version. errc::invalid for a change without a record.
async<std::optional<reply>> check_precondition(const registry& operations, call request);

}  // namespace muster::api
