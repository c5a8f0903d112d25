#pragma once

#include "services/configuration/config_record_store.h"

#include <functional>
#include <string>
#include <vector>

namespace muster::xmlrpc_api {

// What clients of the compatible API keep of a user that means nothing elsewhere.
struct user_preferences_record {
    std::string prefix = {};  // "Mr."
    std::vector<std::string> assigned_groups = {};
    std::vector<std::string> default_groups = {};

    friend bool operator==(const user_preferences_record&, const user_preferences_record&) =
        default;
};

// Of somebody of whom nothing is kept: an empty one.
user_preferences_record person_named(
    const configuration::config_record_store& config_record_store, const std::string& user);

using person_change = std::function<void(user_preferences_record&)>;
async<void> change_person(
    configuration::config_record_store& config_record_store,
    std::string user,
    std::string by,
    person_change person_change);

}  // namespace muster::xmlrpc_api
