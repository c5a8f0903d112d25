#pragma once

#include "api/operations/call.h"
#include "core/access/config_channel_access.h"

#include <functional>
#include <string>
#include <vector>

namespace muster::api {

// Where the caller may look at systems, and so at what configuration channels hold.
access::extent looks_at(const call& call);

// Keeps systems out of groups that lead to what the caller may not see (core/access): whoever
// labels systems asks here first. Thread-safe.
class group_guard {
public:
    // Whether a group has configuration channels, by what is on record.
    using question = std::function<async<bool>(std::string group)>;

    explicit group_guard(question has_channels) : has_channels_(std::move(has_channels)) {}

    // errc::denied names the first of the groups that the caller may not give to a system.
    async<void> check(call call, std::vector<std::string> groups) const;

private:
    question has_channels_;
};

}  // namespace muster::api
