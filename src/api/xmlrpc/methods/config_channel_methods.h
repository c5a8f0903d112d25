#pragma once

#include "api/xmlrpc/calls/method_registry.h"
#include "api/xmlrpc/methods/config_responses.h"
#include "api/xmlrpc/methods/fleet_query.h"
#include "services/configuration/configuration_services.h"

#include <string>
#include <vector>

namespace muster::xmlrpc_api {

// configchannel.*: configuration channels and their files. config_deploy_methods.h deploys them.
class config_channel_methods {
public:
    struct dependencies {
        const fleet_query& fleet;
        configuration::configuration_services& configuration;
        muster::clock& clock;
    };

    explicit config_channel_methods(dependencies deps) : deps_(deps) {}

    result<void> declare(method_registry& registry);

private:
    result<void> declare_channels(method_registry& registry);
    result<void> declare_files(method_registry& registry);

    async<method_response> list(call call);
    async<method_response> get_details(call call);
    async<method_response> exists(call call);
    async<method_response> create(call call);
    async<method_response> update(call call);
    async<method_response> remove(call call);
    async<method_response> list_files(call call);
    async<method_response> put_path(call call);
    async<method_response> put_link(call call);
    async<method_response> put_sls(call call);
    async<method_response> look_up_files(call call);
    async<method_response> look_up_file(call call);
    async<method_response> get_encoded(call call);
    async<method_response> list_revisions(call call);
    async<method_response> remove_files(call call);
    async<method_response> list_systems(call call);
    async<method_response> list_groups(call call);

    result<configuration::channel> find(const call& call) const;
    async<configuration::config_file> read_file(std::string label, std::string path) const;
    async<api::value> to_item(
        std::string label,
        configuration::config_file file,
        std::int64_t revision,
        encoding encoding) const;
    async<method_response> put(
        call call, std::string path, std::string argument, path_kind path_kind);

    dependencies deps_;
};

}  // namespace muster::xmlrpc_api
