#pragma once

#include "api/xmlrpc/methods/config_answers.h"
#include "api/xmlrpc/methods/fleet_view.h"
#include "api/xmlrpc/calls/method_book.h"
#include "services/configuration/config_office.h"

#include <string>
#include <vector>

namespace muster::xmlrpc_api {

// configchannel.*: channels and their files; what is done to systems with them is
// config_deploy_methods.h.
class config_channel_methods {
public:
    struct surroundings {
        const fleet_view& view;
        configuration::config_office& kept;
        clock& time;
    };

    explicit config_channel_methods(surroundings around) : around_(around) {}

    result<void> declare(method_book& to);

private:
    result<void> declare_channels(method_book& to);
    result<void> declare_files(method_book& to);

    async<answer> list(call asked);
    async<answer> get_details(call asked);
    async<answer> exists(call asked);
    async<answer> create(call asked);
    async<answer> update(call asked);
    async<answer> remove(call asked);
    async<answer> list_files(call asked);
    async<answer> put_path(call asked);
    async<answer> put_link(call asked);
    async<answer> put_sls(call asked);
    async<answer> look_up_many(call asked);
    async<answer> look_up_one(call asked);
    async<answer> get_encoded(call asked);
    async<answer> list_revisions(call asked);
    async<answer> remove_files(call asked);
    async<answer> list_systems(call asked);
    async<answer> list_groups(call asked);

    result<configuration::channel> channel_in(const call& asked) const;
    async<configuration::config_file> file_in(std::string label, std::string path) const;
    async<api::value> revision_told(
        std::string label, configuration::config_file of, std::int64_t revision, spelling how) const;
    async<answer> put(call asked, std::string path, std::string argument, path_sort what);

    surroundings around_;
};

}  // namespace muster::xmlrpc_api
