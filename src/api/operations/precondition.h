#pragma once

#include "api/operations/registry.h"

#include <optional>
#include <string>
#include <string_view>

namespace muster::api {

// A change that is meant for a record as its caller saw it (If-Match). The record is what the
// change's own path names, or the part of it above a verb: POST /users/ann/disable is about
// GET /users/ann.
//
// It guards people against overwriting what they have not seen. What is compared is what this
// server knows; it is no lock between two who change a record within the same moment.

// The ETag of an answer, without what related.h adds to it.
std::string etag_of(std::string_view body);

// The record's reading; null: the change is about none that could be read.
const registry::entry* record_of(const registry& all, const api::operation& change);

// Nothing: it is as the caller saw it. Otherwise the answer 412, with the ETag and, if it has one,
// the version or revision that it has now. errc::invalid for a change without a record.
async<std::optional<reply>> unmet_condition(const registry& all, call request);

}  // namespace muster::api
