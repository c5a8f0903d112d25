#pragma once

#include "api/xmlrpc/calls/method_registry.h"
#include "api/xmlrpc/methods/config_responses.h"
#include "api/xmlrpc/methods/fleet_query.h"
#include "services/configuration/configuration_services.h"

#include <string>
#include <vector>

namespace muster::xmlrpc_api {

// configchannel.*: channels and their files; what is done to systems with them is
// config_deploy_methods.h.
class config_channel_methods {
public:
    struct dependencies {
        const fleet_query& view;
        configuration::configuration_services& configuration;
        muster::clock& clock;
    };

    explicit config_channel_methods(dependencies deps) : deps_(deps) {}

    result<void> declare(method_registry& to);

private:
    result<void> declare_channels(method_registry& to);
    result<void> declare_files(method_registry& to);

    async<answer> list(call call);
    async<answer> get_details(call call);
    async<answer> exists(call call);
    async<answer> create(call call);
    async<answer> update(call call);
    async<answer> remove(call call);
    async<answer> list_files(call call);
    async<answer> put_path(call call);
    async<answer> put_link(call call);
    async<answer> put_sls(call call);
    async<answer> look_up_many(call call);
    async<answer> look_up_one(call call);
    async<answer> get_encoded(call call);
    async<answer> list_revisions(call call);
    async<answer> remove_files(call call);
    async<answer> list_systems(call call);
    async<answer> list_groups(call call);

    result<configuration::channel> channel_in(const call& call) const;
    async<configuration::config_file> file_in(std::string label, std::string path) const;
    async<api::value> revision_told(
        std::string label,
        configuration::config_file of,
        std::int64_t revision,
        spelling spelling) const;
    async<answer> put(call call, std::string path, std::string argument, path_sort path_sort);

    dependencies deps_;
};

}  // namespace muster::xmlrpc_api
