#pragma once

#include "roles/gateway/call.h"

#include <functional>
#include <string_view>

namespace muster::gateway {

// Does an operation. An error becomes a problem answer, or a fault.
using action = std::function<async<reply>(call)>;

// What stands before every operation that shares its data (docs/revisions.md). The registry asks
// it after all checks: the call is done, written into the draft, or refused.
class common_gate {
public:
    common_gate() = default;
    common_gate(const common_gate&) = delete;
    common_gate& operator=(const common_gate&) = delete;
    virtual ~common_gate() = default;

    virtual async<reply> pass(api::sharing how, action does, call asked) = 0;
};

// Which operations change common data, by name: this table decides, for every door.
api::sharing sharing_of(std::string_view operation);

// What an operation of the table is about: the section of a revision, and the argument that names
// the item. Empty: nothing that could be told.
struct common_item {
    std::string_view section;
    std::string_view named_by;
};
common_item item_of(std::string_view operation);

}  // namespace muster::gateway
