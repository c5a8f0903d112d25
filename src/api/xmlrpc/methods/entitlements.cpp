#include "api/xmlrpc/methods/entitlements.h"

#include <algorithm>
#include <array>

namespace muster::xmlrpc_api {
namespace {

constexpr std::int64_t entitlements_max = 20;
constexpr std::array<std::string_view, 3> contact_methods{
    usual_contact_method, "ssh-push", "ssh-push-tunnel"};

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

std::vector<std::string> with_entitlements(
    std::vector<std::string> now, const std::vector<std::string>& some) {
    now.insert(now.end(), some.begin(), some.end());
    std::erase_if(now, [](const std::string& each) {
        return each == base_entitlement || each == "enterprise_entitled";
    });
    std::ranges::sort(now);
    const auto repeated = std::ranges::unique(now);
    now.erase(repeated.begin(), repeated.end());
    return now;
}

result<void> check_contact_method(const std::string& method) {
    if (std::ranges::find(contact_methods, method) != contact_methods.end()) return {};
    return fail(errc::invalid, "the contact method is default, ssh-push or ssh-push-tunnel");
}

}  // namespace muster::xmlrpc_api
