#include "api/xmlrpc/methods/entitlements.h"

#include <algorithm>
#include <array>

namespace muster::xmlrpc_api {
namespace {

constexpr std::int64_t entitlements_max = 20;
constexpr std::array<std::string_view, 3> contact_methods{
    default_contact_method, "ssh-push", "ssh-push-tunnel"};

}  // namespace

api::shape entitlement_list() {
    return api::list_of(
        api::text().with_choices(
            {base_entitlement,
             "enterprise_entitled",  // what older clients call the base one
             "container_build_host",
             "monitoring_entitled",
             "osimage_build_host",
             "virtualization_host",
             "ansible_control_node",
             "ansible_managed",
             "proxy_entitled",
             "peripheral_server"}),
        entitlements_max);
}

std::vector<std::string> merge_entitlements(
    std::vector<std::string> entitlements, const std::vector<std::string>& added) {
    entitlements.insert(entitlements.end(), added.begin(), added.end());
    std::erase_if(entitlements, [](const std::string& text) {
        return text == base_entitlement || text == "enterprise_entitled";
    });
    std::ranges::sort(entitlements);
    const auto repeated = std::ranges::unique(entitlements);
    entitlements.erase(repeated.begin(), repeated.end());
    return entitlements;
}

result<void> check_contact_method(const std::string& method) {
    if (std::ranges::find(contact_methods, method) != contact_methods.end()) return {};
    return fail(errc::invalid, "contact method must be default, ssh-push or ssh-push-tunnel");
}

}  // namespace muster::xmlrpc_api
