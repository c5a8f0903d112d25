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

shape part_shape() {
    return record_of(
        {required("ServerIds", list_of(integer(1))), required("Responses", list_of(anything()))});
}

std::vector<shape_member> parts_shape() {
    return {required("Successful", part_shape()), required("Failed", part_shape())};
}

operation attach_with(std::vector<parameter> more) {
    operation result{
        .name = "hub.attachToServers",
        .summary = "Whether servers are there; a session is good on all of them",
        .method = verb::post,
        .takes = {argument("serverIds", list_of(integer(1), relay::servers_max))},
        .gives = record_of(parts_shape()),
        .needed = right::topology_read,
        .within = scope::filtered,
        .read_only = true};
    for (auto& each : more) result.takes.push_back(std::move(each));
    return result;
}

}  // namespace

result<void> hub_methods::declare(method_registry& to) {
    const fault_codes codes{.denied = login_failed};
    for (const char* name : {"hub.login", "hub.loginWithAuthRelayMode"}) {
        CHECK_OK(to.add({login_called(name), done_by(&auth_, &auth_methods::log_in), codes}));
    }
    auto everywhere = login_called("hub.loginWithAutoconnectMode");
    auto response = parts_shape();
    response.push_back(required("SessionKey", text()));
    everywhere.gives = record_of(std::move(response));
    CHECK_OK(
        to.add({std::move(everywhere), done_by(this, &hub_methods::log_in_everywhere), codes}));
    CHECK_OK(to.add(
        {{.name = "hub.logout",
          .summary = "Ends this session on every server",
          .method = verb::post,
          .gives = integer(1, 1),
          .needed = right::self,
          .allowed_before_password_change = true},
         done_by(&auth_, &auth_methods::log_out)}));
    CHECK_OK(to.add(
        {{.name = "hub.listServerIds",
          .summary = "The nodes by their numbers",
          .gives = list_of(integer(1)),
          .needed = right::topology_read,
          .within = scope::filtered},
         done_by(this, &hub_methods::list_server_ids)}));
    CHECK_OK(to.add({attach_with({}), done_by(this, &hub_methods::attach)}));
    const auto words = list_of(text(), relay::servers_max);
    return to.add(
        {attach_with({argument("usernames", words), argument("passwords", words)}),
         done_by(this, &hub_methods::attach)});
}

std::vector<std::int64_t> hub_methods::servers_in(const zones& sight) const {
    std::vector<std::int64_t> numbers;
    const auto places = topology_.read();
    for (const auto& [number, name] : places->node_names) {
        const auto* node = places->find_node(number);
        if (node != nullptr && (!sight || sight->contains(node->zone)))
            numbers.push_back(number.value());
    }
    return numbers;
}

parts hub_methods::attached(const std::vector<std::int64_t>& servers, const zones& sight) const {
    parts response;
    const auto existing = servers_in(sight);
    for (const auto server : servers) {
        const bool observed = std::ranges::find(existing, server) != existing.end();
        auto why = observed ? calls_.absence_of(server, sight)
                            : fmt::format("There is no server {}", server);
        if (why.empty())
            response.add(server, 1);
        else
            response.add_failure(server, std::move(why));
    }
    return response;
}

async<answer> hub_methods::log_in_everywhere(call call) {
    auto& entrance = call.context().people.entrance;
    const auto origin = call.who().origin;
    CO_TRY(auto session, co_await auth_.log_in(std::move(call)));
    const auto secret = secret_in(*session.content.get<std::string>());
    CO_TRY(const auto who, co_await entrance.identify(secret, origin));
    zones sight;
    if (!who.may.everywhere(right::topology_read))
        sight = who.may.zones(right::topology_read, *who.zones);
    auto response = attached(servers_in(sight), sight).told();
    response.push_back({"SessionKey", std::move(session.content)});
    co_return answer{std::move(response)};
}

async<answer> hub_methods::list_server_ids(call call) {
    value::list numbers;
    for (const auto zone : servers_in(call.zones())) numbers.emplace_back(zone);
    co_return answer{std::move(numbers)};
}

async<answer> hub_methods::attach(call call) {
    std::vector<std::int64_t> servers;
    for (const auto& each : *call.arguments().find("serverIds")->get<value::list>())
        servers.push_back(*each.get<std::int64_t>());
    co_return answer{attached(servers, call.zones()).told()};
}

}  // namespace muster::xmlrpc_api
