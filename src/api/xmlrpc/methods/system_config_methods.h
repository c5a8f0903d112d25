#pragma once

#include "api/xmlrpc/calls/method_registry.h"
#include "api/xmlrpc/methods/config_list_change.h"
#include "api/xmlrpc/methods/config_responses.h"
#include "api/xmlrpc/methods/fleet_query.h"
#include "services/configuration/configuration_services.h"
#include "services/configuration/deployment.h"

#include <string>
#include <vector>

namespace muster::xmlrpc_api {

// system.config.* and the channels of systemgroup.*: which channels systems and groups have, and
// the files of single systems.
class system_config_methods {
public:
    struct dependencies {
        const fleet_query& view;
        configuration::configuration_services& configuration;
        const configuration::deployment& deployed;
        muster::clock& clock;
    };

    explicit system_config_methods(dependencies deps) : deps_(deps) {}

    result<void> declare(method_registry& to);

private:
    result<void> declare_channels(method_registry& to);
    result<void> declare_files(method_registry& to);
    result<void> declare_groups(method_registry& to);

    async<answer> list_channels(call call);
    async<answer> add_channels(call call);
    async<answer> set_channels(call call);
    async<answer> remove_channels(call call);
    async<answer> list_files(call call);
    async<answer> put_path(call call);
    async<answer> put_link(call call);
    async<answer> look_up(call call);
    async<answer> remove_files(call call);
    async<answer> list_of_group(call call);
    async<answer> add_to_group(call call);
    async<answer> remove_from_group(call call);

    async<answer> change_systems(call call, config_list_change change);
    async<answer> change_group(call call, config_list_change change);
    async<answer> put(call call, path_sort path_sort);
    async<api::value> told_newest(configuration::config_file of, std::string channel) const;
    // The file that is written to a system, and the label of its channel; empty: its own.
    struct found_file {
        configuration::config_file file;
        std::string channel;
    };
    async<std::vector<found_file>> all_files(
        system_number of, configuration::deployment::choice choice) const;
    result<std::string> group_in(const call& call) const;

    dependencies deps_;
};

}  // namespace muster::xmlrpc_api
