#pragma once

#include "roles/compat/activation_key_methods.h"
#include "roles/compat/config_channel_methods.h"
#include "roles/compat/config_deploy_methods.h"
#include "roles/compat/custom_info_methods.h"
#include "roles/compat/hardware_methods.h"
#include "roles/compat/system_config_methods.h"
#include "roles/compat/system_profile_methods.h"

#include <string>
#include <vector>

namespace muster::compat {

// Everything of the compatible API by which people say how systems are to be, and write down what
// they know of them.
class configuration_methods {
public:
    struct parts {
        config::config_office& kept;
        fleet::rule_book& rules;
    };
    struct surroundings {
        const fleet_view& view;
        const action_desk& actions;
        cluster::number_book& numbers;
        clock& time;
        parts with;
    };

    explicit configuration_methods(const surroundings& around);
    configuration_methods(const configuration_methods&) = delete;
    configuration_methods& operator=(const configuration_methods&) = delete;

    result<void> declare(method_book& to);

private:
    std::vector<std::string> groups_of(system_number system) const;

    const fleet_view& view_;
    const config::config_office& kept_;
    config::deployment deployed_;
    config_channel_methods channels_;
    system_config_methods systems_;
    config_deploy_methods deploy_;
    custom_info_methods values_;
    system_profile_methods profiles_;
    activation_key_methods keys_;
    hardware_methods hardware_;
};

}  // namespace muster::compat
