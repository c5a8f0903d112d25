#pragma once

#include "base/result.h"
#include "core/fleet/system_set.h"
#include "core/model/system.h"

#include <string>

namespace muster::fleet {

// Resolves queries and groups to accepted systems.
class system_selector {
public:
    system_selector() = default;
    system_selector(const system_selector&) = delete;
    system_selector& operator=(const system_selector&) = delete;
    virtual ~system_selector() = default;

    virtual result<system_set> resolve(const std::string& query) const = 0;
    // Whether a system has the label of a group; ignores its expression.
    virtual bool has_label(system_number system, const std::string& group) const = 0;

    // The systems of a group, by its label or its expression.
    result<system_set> members_of(const std::string& group) const {
        return resolve("group:" + group);
    }
};

}  // namespace muster::fleet
