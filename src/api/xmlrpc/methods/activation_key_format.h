#pragma once

#include "api/xmlrpc/methods/method_declarations.h"
#include "services/fleet/stored_rule.h"

#include <string>
#include <vector>

namespace muster::xmlrpc_api {

// How clients of the compatible API know activation keys.

api::shape activation_shape();
api::value told_activation(const fleet::stored_rule& rule, api::value::list group_numbers);

api::shape package_list();
// The argument `packages`, each as "name" or "name arch".
result<std::vector<std::string>> packages_in(const call& call);

// Without repetitions, in the order in which they came.
std::vector<std::string> with_words(
    std::vector<std::string> now, const std::vector<std::string>& some);
std::vector<std::string> without_words(
    std::vector<std::string> now, const std::vector<std::string>& some);

}  // namespace muster::xmlrpc_api
