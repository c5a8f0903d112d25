#include "api/xmlrpc/calls/switchboard.h"

#include <span>
#include <utility>

namespace muster::xmlrpc_api {

boost::asio::awaitable<outcome> switchboard::connect(
    xmlrpc::method_call wanted, std::string origin, call_terms under) const {
    const auto which = methods_.choose(wanted.method, wanted.arguments);
    if (!which) co_return fault{-1, which.error().detail()};
    const method& chosen = **which;
    std::span<const api::value> arguments = wanted.arguments;
    std::string key;
    if (chosen.takes_session()) {
        key = *arguments.front().get<std::string>();
        arguments = arguments.subspan(1);
    }
    auto who = co_await door_.admit(chosen, std::move(key), std::move(origin));
    if (!who) co_return fault{-1, who.error().detail()};
    call made(chosen.what, *std::move(who), method_book::named(chosen, arguments));
    if (under.node) made.restrict_to(*under.node);
    if (chosen.takes_edit()) made.edit = std::move(under.edit);
    auto given = co_await methods_.perform(chosen, std::move(made));
    if (!given) co_return fault_of(given.error(), chosen.faults);
    co_return *std::move(given);
}

}  // namespace muster::xmlrpc_api
