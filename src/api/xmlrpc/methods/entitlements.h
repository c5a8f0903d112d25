#pragma once

#include "core/api/shape.h"

#include <string>
#include <vector>

namespace muster::xmlrpc_api {

// What clients call the purposes of a system. Every system has the first; others are kept and
// shown, and switch nothing on.
inline constexpr const char* base_entitlement = "salt_entitled";

api::shape entitlement_list();  // as an argument; the base one may be among them
std::vector<std::string> with_entitlements(
    std::vector<std::string> now, const std::vector<std::string>& some);

inline constexpr const char* usual_contact_method = "default";
result<void> check_contact_method(const std::string& method);  // errc::invalid

}  // namespace muster::xmlrpc_api
