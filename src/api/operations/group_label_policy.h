#pragma once

#include "api/operations/call.h"
#include "core/access/config_channel_access.h"
#include "services/configuration/config_channel_store.h"

#include <string>
#include <vector>

namespace muster::api {

// Where the caller may read systems, and therefore the content of configuration channels.
access::extent read_extent(const call& call);

// Checks whether a caller may add systems to groups. A group with configuration channels would
// give systems content that the caller may not read (core/access). Thread-safe.
class group_label_policy {
public:
    explicit group_label_policy(const configuration::config_channel_store& channels)
        : channels_(channels) {}

    // errc::denied names the first group that the caller may not assign.
    async<void> check(call call, std::vector<std::string> groups) const;

private:
    const configuration::config_channel_store& channels_;
};

}  // namespace muster::api
