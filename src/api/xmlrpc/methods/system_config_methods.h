#pragma once

#include "api/xmlrpc/methods/config_answers.h"
#include "api/xmlrpc/methods/fleet_view.h"
#include "api/xmlrpc/calls/method_book.h"
#include "services/configuration/config_office.h"
#include "services/configuration/deployment.h"

#include <string>
#include <vector>

namespace muster::xmlrpc_api {

// system.config.* and the channels of systemgroup.*: which channels systems and groups have, and
// the files of single systems.
class system_config_methods {
public:
    struct surroundings {
        const fleet_view& view;
        configuration::config_office& kept;
        const configuration::deployment& deployed;
        clock& time;
    };

    explicit system_config_methods(surroundings around) : around_(around) {}

    result<void> declare(method_book& to);

private:
    result<void> declare_channels(method_book& to);
    result<void> declare_files(method_book& to);
    result<void> declare_groups(method_book& to);

    async<answer> list_channels(call asked);
    async<answer> add_channels(call asked);
    async<answer> set_channels(call asked);
    async<answer> remove_channels(call asked);
    async<answer> list_files(call asked);
    async<answer> put_path(call asked);
    async<answer> put_link(call asked);
    async<answer> look_up(call asked);
    async<answer> remove_files(call asked);
    async<answer> list_of_group(call asked);
    async<answer> add_to_group(call asked);
    async<answer> remove_from_group(call asked);

    using list_change =
        std::function<std::vector<std::string>(std::vector<std::string>, std::vector<std::string>)>;
    async<answer> change_systems(call asked, list_change how);
    async<answer> change_group(call asked, list_change how);
    async<answer> put(call asked, path_sort what);
    async<api::value> told_newest(configuration::config_file of, std::string channel) const;
    // The file that is written to a system, and the label of its channel; empty: its own.
    struct found_file {
        configuration::config_file file;
        std::string channel;
    };
    async<std::vector<found_file>> all_files(
        system_number of, configuration::deployment::choice which) const;
    result<std::string> group_in(const call& asked) const;

    surroundings around_;
};

}  // namespace muster::xmlrpc_api
