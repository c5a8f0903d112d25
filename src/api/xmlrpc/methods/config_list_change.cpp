#include "api/xmlrpc/methods/config_list_change.h"

#include "base/assert.h"
#include "services/configuration/config_channel_store.h"

#include <utility>

namespace muster::xmlrpc_api {

std::vector<std::string> changed_list(
    config_list_change change,
    std::vector<std::string> now,
    const std::vector<std::string>& labels) {
    using configuration::where;
    switch (change) {
        case config_list_change::add_first:
            return configuration::with_channels(std::move(now), labels, where::front);
        case config_list_change::add_last:
            return configuration::with_channels(std::move(now), labels, where::back);
        case config_list_change::replace:
            return configuration::with_channels({}, labels, where::back);
        case config_list_change::remove:
            return configuration::without_channels(std::move(now), labels);
    }
    MUSTER_ASSERT(false);
}

}  // namespace muster::xmlrpc_api
