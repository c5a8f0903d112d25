#pragma once

#include "core/access/right.h"
#include "core/api/operation.h"
#include "core/api/value.h"

#include <string_view>

namespace muster::revision {

// Which operations change common data, by name: this table decides, for every door. A name that is
// not in it changes nobody's but a system's, or somebody's own, data.
api::sharing sharing_of(std::string_view operation);

// What an operation of the table is about: the section of a revision, and the argument that names
// the item. Empty: nothing that could be told.
struct common_item {
    std::string_view section;
    std::string_view named_by;
};
common_item item_of(std::string_view operation);

// Whether a change is written in more than one step. One that was found half done could not be told
// from one that is done, so no draft takes it.
bool takes_several_steps(std::string_view operation, const api::value& arguments);

// What somebody needs in the whole cluster to read a section, in a revision as where it is edited.
// A section that is not known needs the most.
access::right right_to_read(std::string_view section);

}  // namespace muster::revision
