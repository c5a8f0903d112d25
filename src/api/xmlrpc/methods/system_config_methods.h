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

// system.config.* and the channels of systemgroup.*: the configuration channels of systems and
// groups, and the files of single systems.
class system_config_methods {
public:
    struct dependencies {
        const fleet_query& fleet;
        configuration::configuration_services& configuration;
        const configuration::deployment& deployment;
        muster::clock& clock;
    };

    explicit system_config_methods(dependencies deps) : deps_(deps) {}

    result<void> declare(method_registry& registry);

private:
    result<void> declare_channels(method_registry& registry);
    result<void> declare_files(method_registry& registry);
    result<void> declare_groups(method_registry& registry);

    async<method_response> list_channels(call call);
    async<method_response> add_channels(call call);
    async<method_response> set_channels(call call);
    async<method_response> remove_channels(call call);
    async<method_response> list_files(call call);
    async<method_response> put_path(call call);
    async<method_response> put_link(call call);
    async<method_response> look_up(call call);
    async<method_response> remove_files(call call);
    async<method_response> list_group_channels(call call);
    async<method_response> add_to_group(call call);
    async<method_response> remove_from_group(call call);

    async<method_response> change_systems(call call, config_list_change change);
    async<method_response> change_group(call call, config_list_change change);
    async<method_response> put(call call, path_kind kind);
    async<api::value> newest_revision_value(
        configuration::config_file file, std::string channel) const;
    // A file that is deployed to a system, with the label of its channel; empty: the system's own.
    struct deployed_file {
        configuration::config_file file;
        std::string channel;
    };
    async<std::vector<deployed_file>> all_files(
        system_number system, configuration::deployment::choice choice) const;
    result<std::string> find_group(const call& call) const;

    dependencies deps_;
};

}  // namespace muster::xmlrpc_api
