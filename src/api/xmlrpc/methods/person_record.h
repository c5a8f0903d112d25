#pragma once

#include "services/configuration/record_book.h"

#include <functional>
#include <string>
#include <vector>

namespace muster::xmlrpc_api {

// What clients of the compatible API keep of a user that means nothing elsewhere.
struct person_record {
    std::string prefix = {};  // "Mr."
    std::vector<std::string> assigned_groups = {};
    std::vector<std::string> default_groups = {};

    friend bool operator==(const person_record&, const person_record&) = default;
};

// Of somebody of whom nothing is kept: an empty one.
person_record person_named(const configuration::record_book& kept, const std::string& user);

using person_change = std::function<void(person_record&)>;
async<void> change_person(
    configuration::record_book& kept, std::string user, std::string by, person_change how);

}  // namespace muster::xmlrpc_api
