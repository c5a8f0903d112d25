#include "api/xmlrpc/calls/relay.h"

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
    const xmlrpc::method_call& wanted, std::size_t servers) {
    std::vector<xmlrpc::method_call> calls(
        servers,
        {.method = wanted.method.substr(to_many.size()), .arguments = {wanted.arguments.front()}});
    for (const auto& each : std::span(wanted.arguments).subspan(2)) {
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

async<value> gathered(answer given) {
    if (!given.items) co_return std::move(given.content);
    value::list all;
    for (;;) {
        CO_TRY(auto some, co_await given.items());
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

void parts::add(std::int64_t server, value given) {
    done.emplace_back(server);
    answers.push_back(std::move(given));
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
    xmlrpc::method_call wanted, std::string origin) const {
    if (wanted.arguments.size() < 2 || !wanted.arguments.front().holds<std::string>())
        co_return refused("A session's key and the servers must be given first");
    const auto named = wanted.method.substr(wanted.method.find('.') + 1);
    if (named.starts_with("auth.") || named.starts_with("hub."))
        co_return refused("Sessions are good on every server: ask for that without naming one");
    // Before anything is told of the servers.
    const auto who =
        co_await around_.calls.holder(*wanted.arguments.front().get<std::string>(), origin);
    if (!who) co_return fault{-1, who.error().detail()};
    // Once for all the servers.
    const auto looked = co_await around_.served.look_over();
    if (!looked) co_return fault{-1, looked.error().detail()};
    caller from{.origin = std::move(origin), .sight = {}};
    if (!who->may.everywhere(access::right::topology_read))
        from.sight = who->may.zones(access::right::topology_read, *who->zones);
    if (wanted.method.starts_with(to_one))
        co_return co_await unicast(std::move(wanted), std::move(from));
    co_return co_await multicast(std::move(wanted), std::move(from));
}

std::string relay::absence_of(std::int64_t server, const zones& sight) const {
    const auto known = around_.places.read();
    const auto* node = known->find_node(node_number(server));
    if (node != nullptr && known->servers.contains(node->name)) return {};
    if (node == nullptr || (sight && !sight->contains(node->zone)))
        return fmt::format("There is no server {}", server);
    return fmt::format("Server {} ({}) is not there", server, node->name);
}

boost::asio::awaitable<outcome> relay::ask(
    std::int64_t server, xmlrpc::method_call wanted, caller who) const {
    if (auto why = absence_of(server, who.sight); !why.empty()) co_return fault{-1, std::move(why)};
    call_terms under{.node = node_number(server)};
    co_return co_await around_.calls.connect(
        std::move(wanted), std::move(who.origin), std::move(under));
}

boost::asio::awaitable<outcome> relay::unicast(xmlrpc::method_call wanted, caller who) const {
    const auto* server = wanted.arguments[1].get<std::int64_t>();
    if (server == nullptr) co_return refused("The second argument must be a server's number");
    const auto number = *server;
    wanted.arguments.erase(wanted.arguments.begin() + 1);
    wanted.method.erase(0, to_one.size());
    co_return co_await ask(number, std::move(wanted), std::move(who));
}

async<value> relay::whole_answer(
    std::int64_t server, xmlrpc::method_call wanted, caller who) const {
    auto ended = co_await ask(server, std::move(wanted), std::move(who));
    if (auto* failed = std::get_if<fault>(&ended))
        co_return fail(errc::unavailable, std::move(failed->text));
    co_return co_await gathered(std::move(std::get<answer>(ended)));
}

boost::asio::awaitable<outcome> relay::multicast(xmlrpc::method_call wanted, caller who) const {
    const auto* servers = wanted.arguments[1].get<value::list>();
    if (servers == nullptr || servers->empty() || servers->size() > servers_max)
        co_return refused(
            fmt::format("The second argument must be a list of 1 to {} servers", servers_max));
    std::vector<std::int64_t> numbers;
    for (const auto& each : *servers) {
        const auto* number = each.get<std::int64_t>();
        if (number == nullptr) co_return refused("A server is named by its number");
        if (std::ranges::find(numbers, *number) != numbers.end())
            co_return refused(fmt::format("Server {} is named twice", *number));
        numbers.push_back(*number);
    }
    auto calls = dealt(wanted, numbers.size());
    if (!calls) co_return refused(calls.error().detail());

    const api::fan_out all(around_.time, around_.asking);
    const auto one = [&](std::size_t at) {
        return whole_answer(numbers[at], std::move((*calls)[at]), who);
    };
    auto answers = co_await all.ask<value>(numbers.size(), one);
    if (!answers) co_return fault{-1, answers.error().detail()};

    parts told;
    for (std::size_t at = 0; at < numbers.size(); ++at) {
        auto& given = (*answers)[at];
        if (given)
            told.add(numbers[at], *std::move(given));
        else
            told.add_failure(numbers[at], std::string(given.error().detail()));
    }
    co_return answer{std::move(told).told()};
}

}  // namespace muster::xmlrpc_api
