#pragma once

#include "api/xmlrpc/methods/method_declarations.h"
#include "services/fleet/stored_rule.h"

#include <string>
#include <vector>

namespace muster::xmlrpc_api {

// Values of activation keys in the compatible API.

api::shape activation_shape();
api::value to_value(const fleet::stored_rule& rule, api::value::list group_numbers);

api::shape package_list();
// Reads the argument `packages`; each package as "name" or "name arch".
result<std::vector<std::string>> read_packages(const call& call);

// Without duplicates, in the original order.
std::vector<std::string> add_words(
    std::vector<std::string> words, const std::vector<std::string>& added);
std::vector<std::string> remove_words(
    std::vector<std::string> words, const std::vector<std::string>& removed);

}  // namespace muster::xmlrpc_api
