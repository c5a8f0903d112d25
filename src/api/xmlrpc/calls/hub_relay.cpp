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

constexpr std::string_view to_one = "unicast.";
constexpr std::string_view to_many = "multicast.";
constexpr std::int64_t wrong_parameters = -32602;

fault refused(std::string text) {
    return {wrong_parameters, std::move(text)};
}

// One call for each server: the key, and each server's own of every further argument.
result<std::vector<xmlrpc::method_call>> dealt(
    const xmlrpc::method_call& method_call, std::size_t servers) {
    std::vector<xmlrpc::method_call> calls(
        servers,
        {.method = method_call.method.substr(to_many.size()),
         .arguments = {method_call.arguments.front()}});
    for (const auto& each : std::span(method_call.arguments).subspan(2)) {
        const auto* one_each = each.get<value::list>();
        if (one_each == nullptr || one_each->size() != servers)
            return fail(
                errc::invalid,
                fmt::format(
                    "Each argument must be a list with one value for each of {} servers", servers));
        for (std::size_t at = 0; at < servers; ++at) calls[at].arguments.push_back((*one_each)[at]);
    }
    return calls;
}

async<value> gathered(answer answer) {
    if (!answer.items) co_return std::move(answer.content);
    value::list all;
    for (;;) {
        CO_TRY(auto some, co_await answer.items());
        if (some.empty()) co_return value(std::move(all));
        if (all.size() + some.size() > relay::items_max)
            co_return fail(
                errc::invalid,
                fmt::format(
                    "The list has more than {} items: ask each server by unicast",
                    relay::items_max));
        std::ranges::move(some, std::back_inserter(all));
    }
}

}  // namespace

void parts::add(std::int64_t server, value input) {
    done.emplace_back(server);
    answers.push_back(std::move(input));
}

void parts::add_failure(std::int64_t server, std::string reason) {
    failed.emplace_back(server);
    reasons.emplace_back(std::move(reason));
}

value::record parts::told() && {
    return {
        {"Successful",
         value::record{{"ServerIds", std::move(done)}, {"Responses", std::move(answers)}}},
        {"Failed",
         value::record{{"ServerIds", std::move(failed)}, {"Responses", std::move(reasons)}}}};
}

bool relay::is_meant(std::string_view method) {
    return method.starts_with(to_one) || method.starts_with(to_many);
}

boost::asio::awaitable<outcome> relay::connect(
    xmlrpc::method_call method_call, std::string origin) const {
    if (method_call.arguments.size() < 2 || !method_call.arguments.front().holds<std::string>())
        co_return refused("A session's key and the servers must be given first");
    const auto named = method_call.method.substr(method_call.method.find('.') + 1);
    if (named.starts_with("auth.") || named.starts_with("hub."))
        co_return refused("Sessions are good on every server: ask for that without naming one");
    // Before anything is told of the servers.
    const auto who =
        co_await deps_.calls.holder(*method_call.arguments.front().get<std::string>(), origin);
    if (!who) co_return fault{-1, who.error().detail()};
    // Once for all the servers.
    const auto looked = co_await deps_.served.look_over();
    if (!looked) co_return fault{-1, looked.error().detail()};
    caller from{.origin = std::move(origin), .sight = {}};
    if (!who->may.everywhere(access::right::topology_read))
        from.sight = who->may.zones(access::right::topology_read, *who->zones);
    if (method_call.method.starts_with(to_one))
        co_return co_await unicast(std::move(method_call), std::move(from));
    co_return co_await multicast(std::move(method_call), std::move(from));
}

std::string relay::absence_of(std::int64_t server, const zones& sight) const {
    const auto places = deps_.topology.read();
    const auto* node = places->find_node(node_number(server));
    if (node != nullptr && places->servers.contains(node->name)) return {};
    if (node == nullptr || (sight && !sight->contains(node->zone)))
        return fmt::format("There is no server {}", server);
    return fmt::format("Server {} ({}) is not there", server, node->name);
}

boost::asio::awaitable<outcome> relay::ask(
    std::int64_t server, xmlrpc::method_call method_call, caller caller) const {
    if (auto why = absence_of(server, caller.sight); !why.empty())
        co_return fault{-1, std::move(why)};
    call_terms under{.node = node_number(server)};
    co_return co_await deps_.calls.connect(
        std::move(method_call), std::move(caller.origin), std::move(under));
}

boost::asio::awaitable<outcome> relay::unicast(
    xmlrpc::method_call method_call, caller caller) const {
    const auto* server = method_call.arguments[1].get<std::int64_t>();
    if (server == nullptr) co_return refused("The second argument must be a server's number");
    const auto number = *server;
    method_call.arguments.erase(method_call.arguments.begin() + 1);
    method_call.method.erase(0, to_one.size());
    co_return co_await ask(number, std::move(method_call), std::move(caller));
}

async<value> relay::whole_answer(
    std::int64_t server, xmlrpc::method_call method_call, caller caller) const {
    auto ended = co_await ask(server, std::move(method_call), std::move(caller));
    if (auto* failed = std::get_if<fault>(&ended))
        co_return fail(errc::unavailable, std::move(failed->text));
    co_return co_await gathered(std::move(std::get<answer>(ended)));
}

boost::asio::awaitable<outcome> relay::multicast(
    xmlrpc::method_call method_call, caller caller) const {
    const auto* servers = method_call.arguments[1].get<value::list>();
    if (servers == nullptr || servers->empty() || servers->size() > servers_max)
        co_return refused(
            fmt::format("The second argument must be a list of 1 to {} servers", servers_max));
    std::vector<std::int64_t> numbers;
    for (const auto& server : *servers) {
        const auto* number = server.get<std::int64_t>();
        if (number == nullptr) co_return refused("A server is named by its number");
        if (std::ranges::find(numbers, *number) != numbers.end())
            co_return refused(fmt::format("Server {} is named twice", *number));
        numbers.push_back(*number);
    }
    auto calls = dealt(method_call, numbers.size());
    if (!calls) co_return refused(calls.error().detail());

    const api::fan_out all(deps_.clock, deps_.asking);
    const auto one = [&](std::size_t at) {
        return whole_answer(numbers[at], std::move((*calls)[at]), caller);
    };
    auto answers = co_await all.ask<value>(numbers.size(), one);
    if (!answers) co_return fault{-1, answers.error().detail()};

    parts parts;
    for (std::size_t at = 0; at < numbers.size(); ++at) {
        auto& input = (*answers)[at];
        if (input)
            parts.add(numbers[at], *std::move(input));
        else
            parts.add_failure(numbers[at], std::string(input.error().detail()));
    }
    co_return answer{std::move(parts).told()};
}

}  // namespace muster::xmlrpc_api
