#include "api/xmlrpc/calls/method_dispatcher.h"

#include <span>
#include <utility>

namespace muster::xmlrpc_api {

boost::asio::awaitable<outcome> method_dispatcher::connect(
    xmlrpc::method_call method_call, std::string origin, call_terms under) const {
    const auto which = methods_.choose(method_call.method, method_call.arguments);
    if (!which) co_return fault{-1, which.error().detail()};
    const method& chosen = **which;
    std::span<const api::value> arguments = method_call.arguments;
    std::string key;
    if (chosen.takes_session()) {
        key = *arguments.front().get<std::string>();
        arguments = arguments.subspan(1);
    }
    auto who = co_await door_.admit(chosen, std::move(key), std::move(origin));
    if (!who) co_return fault{-1, who.error().detail()};
    call call(chosen.what, *std::move(who), method_registry::named(chosen, arguments));
    if (under.node) call.restrict_to(*under.node);
    if (chosen.takes_edit()) call.edit = std::move(under.edit);
    auto input = co_await methods_.perform(chosen, std::move(call));
    if (!input) co_return fault_of(input.error(), chosen.faults);
    co_return *std::move(input);
}

}  // namespace muster::xmlrpc_api
