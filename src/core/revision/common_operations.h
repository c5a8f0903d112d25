#pragma once

#include "core/access/right.h"
#include "core/api/operation.h"
#include "core/api/value.h"

#include <string_view>

namespace muster::revision {

// Whose data an operation changes, by its name, for every API. An operation without an entry
// changes only data of a system or of the caller.
api::sharing sharing_of(std::string_view operation);

// The section that an operation changes, and the argument that names the item. Empty if unknown.
struct common_item {
    std::string_view section;
    std::string_view named_by;
};
common_item item_of(std::string_view operation);

// Whether a change takes several writes. A half-done change looks like a finished one, so drafts
// refuse it.
bool takes_several_steps(std::string_view operation, const api::value& arguments);

// The right that is required, in the whole cluster, to read a section. Unknown sections require the
// strongest right.
access::right right_to_read(std::string_view section);

}  // namespace muster::revision
