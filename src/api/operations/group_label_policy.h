#pragma once

#include "api/operations/call.h"
#include "core/access/config_channel_access.h"
#include "services/configuration/config_channel_store.h"

#include <string>
#include <vector>

namespace muster::api {

// Where the caller may look at systems, and so at what configuration channels hold.
access::extent looks_at(const call& call);

// Keeps systems out of groups that lead to what the caller may not see (core/access): whoever
// labels systems asks here first. Thread-safe.
class group_guard {
public:
    explicit group_guard(const configuration::config_channel_store& channels)
        : channels_(channels) {}

    // errc::denied names the first of the groups that the caller may not give to a system.
    async<void> check(call call, std::vector<std::string> groups) const;

private:
    const configuration::config_channel_store& channels_;
};

}  // namespace muster::api
