#include "api/xmlrpc/methods/hub_methods.h"

#include "api/xmlrpc/calls/session_key.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace muster::xmlrpc_api {
namespace {

using namespace api;
using access::right;

constexpr std::int64_t login_failed = 2950;

shape result_list_shape() {
    return record_of(
        {required("ServerIds", list_of(integer(1))), required("Responses", list_of(anything()))});
}

std::vector<shape_member> results_shape() {
    return {required("Successful", result_list_shape()), required("Failed", result_list_shape())};
}

operation attach_with(std::vector<parameter> extra) {
    operation result{
        .name = "hub.attachToServers",
        .summary = "Check whether servers are available; sessions are valid on all servers",
        .method = verb::post,
        .takes = {argument("serverIds", list_of(integer(1), hub_relay::servers_max))},
        .gives = record_of(results_shape()),
        .needed = right::topology_read,
        .within = scope::filtered,
        .read_only = true};
    for (auto& parameter : extra) result.takes.push_back(std::move(parameter));
    return result;
}

}  // namespace

result<void> hub_methods::declare(method_registry& registry) {
    const fault_codes codes{.denied = login_failed};
    for (const char* name : {"hub.login", "hub.loginWithAuthRelayMode"}) {
        CHECK_OK(registry.add({login_method(name), handler(&auth_, &auth_methods::log_in), codes}));
    }
    auto autoconnect = login_method("hub.loginWithAutoconnectMode");
    auto response = results_shape();
    response.push_back(required("SessionKey", text()));
    autoconnect.gives = record_of(std::move(response));
    CHECK_OK(registry.add(
        {std::move(autoconnect), handler(this, &hub_methods::log_in_everywhere), codes}));
    CHECK_OK(registry.add(
        {{.name = "hub.logout",
          .summary = "End this session on all servers",
          .method = verb::post,
          .gives = integer(1, 1),
          .needed = right::self,
          .allowed_before_password_change = true},
         handler(&auth_, &auth_methods::log_out)}));
    CHECK_OK(registry.add(
        {{.name = "hub.listServerIds",
          .summary = "List nodes by number",
          .gives = list_of(integer(1)),
          .needed = right::topology_read,
          .within = scope::filtered},
         handler(this, &hub_methods::list_server_ids)}));
    CHECK_OK(registry.add({attach_with({}), handler(this, &hub_methods::attach)}));
    const auto texts = list_of(text(), hub_relay::servers_max);
    return registry.add(
        {attach_with({argument("usernames", texts), argument("passwords", texts)}),
         handler(this, &hub_methods::attach)});
}

std::vector<std::int64_t> hub_methods::list_servers(const zones& visible_zones) const {
    std::vector<std::int64_t> numbers;
    const auto topology = topology_.read();
    for (const auto& [number, name] : topology->node_names) {
        const auto* node = topology->find_node(number);
        if (node != nullptr && (!visible_zones || visible_zones->contains(node->zone)))
            numbers.push_back(number.value());
    }
    return numbers;
}

multicast_results hub_methods::attach_results(
    const std::vector<std::int64_t>& servers, const zones& visible_zones) const {
    multicast_results response;
    const auto existing = list_servers(visible_zones);
    for (const auto server : servers) {
        const bool exists = std::ranges::find(existing, server) != existing.end();
        auto reason = exists ? relay_.unavailable_reason(server, visible_zones)
                             : fmt::format("server \"{}\" not found", server);
        if (reason.empty())
            response.add(server, 1);
        else
            response.add_failure(server, std::move(reason));
    }
    return response;
}

async<method_response> hub_methods::log_in_everywhere(call call) {
    auto& authentication = call.context().people.authentication;
    const auto origin = call.caller().origin;
    CO_TRY(auto session, co_await auth_.log_in(std::move(call)));
    const auto secret = key_secret(*session.content.get<std::string>());
    CO_TRY(const auto identity, co_await authentication.identify(secret, origin));
    zones visible_zones;
    if (!identity.may.everywhere(right::topology_read))
        visible_zones = identity.may.zones(right::topology_read, *identity.zones);
    auto response = attach_results(list_servers(visible_zones), visible_zones).to_record();
    response.push_back({"SessionKey", std::move(session.content)});
    co_return method_response{std::move(response)};
}

async<method_response> hub_methods::list_server_ids(call call) {
    value::list numbers;
    for (const auto server : list_servers(call.zones())) numbers.emplace_back(server);
    co_return method_response{std::move(numbers)};
}

async<method_response> hub_methods::attach(call call) {
    std::vector<std::int64_t> servers;
    for (const auto& item : *call.arguments().find("serverIds")->get<value::list>())
        servers.push_back(*item.get<std::int64_t>());
    co_return method_response{attach_results(servers, call.zones()).to_record()};
}

}  // namespace muster::xmlrpc_api
