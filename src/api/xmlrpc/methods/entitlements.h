#pragma once

#include "core/api/shape.h"

#include <string>
#include <vector>

namespace muster::xmlrpc_api {

// Entitlements: the purposes of a system. Every system has the base entitlement; the others are
// stored and shown, and have no effect.
inline constexpr const char* base_entitlement = "salt_entitled";

api::shape entitlement_list();  // as an argument; may contain the base entitlement
std::vector<std::string> merge_entitlements(
    std::vector<std::string> entitlements, const std::vector<std::string>& added);

inline constexpr const char* default_contact_method = "default";
result<void> check_contact_method(const std::string& method);  // errc::invalid

}  // namespace muster::xmlrpc_api
