#include "api/xmlrpc/methods/config_list_change.h"

#include "base/assert.h"
#include "services/configuration/config_channel_store.h"

#include <utility>

namespace muster::xmlrpc_api {

std::vector<std::string> apply_change(
    config_list_change change,
    std::vector<std::string> current,
    const std::vector<std::string>& labels) {
    using configuration::list_end;
    switch (change) {
        case config_list_change::add_first:
            return configuration::add_channels(std::move(current), labels, list_end::front);
        case config_list_change::add_last:
            return configuration::add_channels(std::move(current), labels, list_end::back);
        case config_list_change::replace:
            return configuration::add_channels({}, labels, list_end::back);
        case config_list_change::remove:
            return configuration::remove_channels(std::move(current), labels);
    }
    MUSTER_ASSERT(false);
}

}  // namespace muster::xmlrpc_api
