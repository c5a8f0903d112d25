#pragma once

#include "services/configuration/config_record_store.h"

#include <functional>
#include <string>
#include <vector>

namespace muster::xmlrpc_api {

// Data of a user that only clients of the compatible API use.
struct user_preferences_record {
    std::string prefix = {};  // "Mr."
    std::vector<std::string> assigned_groups = {};
    std::vector<std::string> default_groups = {};

    friend bool operator==(const user_preferences_record&, const user_preferences_record&) =
        default;
};

// Empty if nothing is stored for the user.
user_preferences_record find_user_preferences(
    const configuration::config_record_store& store, const std::string& user);

using preferences_change = std::function<void(user_preferences_record&)>;
async<void> change_user_preferences(
    configuration::config_record_store& store,
    std::string user,
    std::string changed_by,
    preferences_change change);

}  // namespace muster::xmlrpc_api
