#pragma once

#include "base/result.h"
#include "core/model/system.h"

#include <optional>
#include <set>
#include <string>
#include <utility>

namespace muster::lifecycle {

// Who decides about systems, and in which zones they may. Asked of the very record that is changed:
// where a system was when it was chosen says nothing about where it is when the change is written.
struct decider {
    // NOLINTBEGIN(google-explicit-constructor): most who decide do so everywhere
    decider(std::string user, std::optional<std::set<std::string>> where = std::nullopt)
        : name(std::move(user)), zones(std::move(where)) {}
    decider(const char* user) : name(user) {}
    // NOLINTEND(google-explicit-constructor)

    std::string name;
    std::optional<std::set<std::string>> zones;  // nothing: all

    // One in the pool is in no zone yet: whoever may decide anywhere may decide about it. One that
    // is not known is nobody's but theirs who may decide everywhere.
    result<void> check(const std::optional<system_record>& about) const;
};

}  // namespace muster::lifecycle
