#include "api/xmlrpc/calls/hub_relay.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <span>
#include <utility>
#include <vector>

namespace muster::xmlrpc_api {
namespace {

using api::value;

constexpr std::string_view unicast_prefix = "unicast.";
constexpr std::string_view multicast_prefix = "multicast.";
constexpr std::int64_t wrong_parameters = -32602;

fault invalid_call(std::string text) {
    return {wrong_parameters, std::move(text)};
}

// One call for each server: the key, and each server's own of every further argument.
result<std::vector<xmlrpc::method_call>> split_by_server(
    const xmlrpc::method_call& method_call, std::size_t servers) {
    std::vector<xmlrpc::method_call> calls(
        servers,
        {.method = method_call.method.substr(multicast_prefix.size()),
         .arguments = {method_call.arguments.front()}});
    for (const auto& argument : std::span(method_call.arguments).subspan(2)) {
        const auto* values = argument.get<value::list>();
        if (values == nullptr || values->size() != servers)
            return fail(
                errc::invalid,
                fmt::format("each argument must be a list of {} values, one per server", servers));
        for (std::size_t index = 0; index < servers; ++index)
            calls[index].arguments.push_back((*values)[index]);
    }
    return calls;
}

async<value> collect_items(method_response response) {
    if (!response.items) co_return std::move(response.content);
    value::list items;
    for (;;) {
        CO_TRY(auto page, co_await response.items());
        if (page.empty()) co_return value(std::move(items));
        if (items.size() + page.size() > hub_relay::items_max)
            co_return fail(
                errc::invalid,
                fmt::format(
                    "response exceeds the limit of {} items; use unicast for each server",
                    hub_relay::items_max));
        std::ranges::move(page, std::back_inserter(items));
    }
}

}  // namespace

void multicast_results::add(std::int64_t server, value input) {
    succeeded.emplace_back(server);
    responses.push_back(std::move(input));
}

void multicast_results::add_failure(std::int64_t server, std::string reason) {
    failed.emplace_back(server);
    reasons.emplace_back(std::move(reason));
}

value::record multicast_results::to_record() && {
    return {
        {"Successful",
         value::record{{"ServerIds", std::move(succeeded)}, {"Responses", std::move(responses)}}},
        {"Failed",
         value::record{{"ServerIds", std::move(failed)}, {"Responses", std::move(reasons)}}}};
}

bool hub_relay::handles(std::string_view method) {
    return method.starts_with(unicast_prefix) || method.starts_with(multicast_prefix);
}

boost::asio::awaitable<outcome> hub_relay::dispatch(
    xmlrpc::method_call method_call, std::string origin) const {
    if (method_call.arguments.size() < 2 || !method_call.arguments.front().holds<std::string>())
        co_return invalid_call("the first arguments must be a session key and the servers");
    const auto method = method_call.method.substr(method_call.method.find('.') + 1);
    if (method.starts_with("auth.") || method.starts_with("hub."))
        co_return invalid_call(
            "sessions are valid on all servers; call the method without unicast or multicast");
    // Before anything is told of the servers.
    const auto user = co_await deps_.dispatcher.authenticate(
        *method_call.arguments.front().get<std::string>(), origin);
    if (!user) co_return fault{-1, user.error().detail()};
    // Once for all the servers.
    const auto refreshed = co_await deps_.systems_by_node.refresh();
    if (!refreshed) co_return fault{-1, refreshed.error().detail()};
    caller hub_caller{.origin = std::move(origin), .visible_zones = {}};
    if (!user->may.everywhere(access::right::topology_read))
        hub_caller.visible_zones = user->may.zones(access::right::topology_read, *user->zones);
    if (method_call.method.starts_with(unicast_prefix))
        co_return co_await unicast(std::move(method_call), std::move(hub_caller));
    co_return co_await multicast(std::move(method_call), std::move(hub_caller));
}

std::string hub_relay::unavailable_reason(std::int64_t server, const zones& visible_zones) const {
    const auto topology = deps_.topology.read();
    const auto* node = topology->find_node(node_number(server));
    if (node != nullptr && topology->servers.contains(node->name)) return {};
    if (node == nullptr || (visible_zones && !visible_zones->contains(node->zone)))
        return fmt::format("server \"{}\" not found", server);
    return fmt::format("server {} ({}) is not available", server, node->name);
}

boost::asio::awaitable<outcome> hub_relay::call_server(
    std::int64_t server, xmlrpc::method_call method_call, caller caller) const {
    if (auto reason = unavailable_reason(server, caller.visible_zones); !reason.empty())
        co_return fault{-1, std::move(reason)};
    call_options options{.node = node_number(server)};
    co_return co_await deps_.dispatcher.dispatch(
        std::move(method_call), std::move(caller.origin), std::move(options));
}

boost::asio::awaitable<outcome> hub_relay::unicast(
    xmlrpc::method_call method_call, caller caller) const {
    const auto* server = method_call.arguments[1].get<std::int64_t>();
    if (server == nullptr) co_return invalid_call("the second argument must be a server number");
    const auto number = *server;
    method_call.arguments.erase(method_call.arguments.begin() + 1);
    method_call.method.erase(0, unicast_prefix.size());
    co_return co_await call_server(number, std::move(method_call), std::move(caller));
}

async<value> hub_relay::fetch_response(
    std::int64_t server, xmlrpc::method_call method_call, caller caller) const {
    auto outcome = co_await call_server(server, std::move(method_call), std::move(caller));
    if (auto* fault_result = std::get_if<fault>(&outcome))
        co_return fail(errc::unavailable, std::move(fault_result->text));
    co_return co_await collect_items(std::move(std::get<method_response>(outcome)));
}

boost::asio::awaitable<outcome> hub_relay::multicast(
    xmlrpc::method_call method_call, caller caller) const {
    const auto* servers = method_call.arguments[1].get<value::list>();
    if (servers == nullptr || servers->empty() || servers->size() > servers_max)
        co_return invalid_call(fmt::format(
            "the second argument must be a list of 1 to {} server numbers", servers_max));
    std::vector<std::int64_t> numbers;
    for (const auto& server : *servers) {
        const auto* number = server.get<std::int64_t>();
        if (number == nullptr) co_return invalid_call("servers must be given as numbers");
        if (std::ranges::find(numbers, *number) != numbers.end())
            co_return invalid_call(fmt::format("duplicate server {}", *number));
        numbers.push_back(*number);
    }
    auto calls = split_by_server(method_call, numbers.size());
    if (!calls) co_return invalid_call(calls.error().detail());

    const api::fan_out fan_out(deps_.clock, deps_.limits);
    const auto fetch_one = [&](std::size_t index) {
        return fetch_response(numbers[index], std::move((*calls)[index]), caller);
    };
    auto responses = co_await fan_out.request_all<value>(numbers.size(), fetch_one);
    if (!responses) co_return fault{-1, responses.error().detail()};

    multicast_results results;
    for (std::size_t index = 0; index < numbers.size(); ++index) {
        auto& response = (*responses)[index];
        if (response)
            results.add(numbers[index], *std::move(response));
        else
            results.add_failure(numbers[index], std::string(response.error().detail()));
    }
    co_return method_response{std::move(results).to_record()};
}

}  // namespace muster::xmlrpc_api
