#include "api/xmlrpc/calls/method_dispatcher.h"

#include <span>
#include <utility>

namespace muster::xmlrpc_api {

boost::asio::awaitable<outcome> method_dispatcher::dispatch(
    xmlrpc::method_call method_call, std::string origin, call_options options) const {
    const auto choice = methods_.choose(method_call.method, method_call.arguments);
    if (!choice) co_return fault{-1, choice.error().detail()};
    const method& method = **choice;
    std::span<const api::value> arguments = method_call.arguments;
    std::string key;
    if (method.takes_session()) {
        key = *arguments.front().get<std::string>();
        arguments = arguments.subspan(1);
    }
    auto caller = co_await authenticator_.authenticate(method, std::move(key), std::move(origin));
    if (!caller) co_return fault{-1, caller.error().detail()};
    call call(
        method.operation, *std::move(caller), method_registry::name_arguments(method, arguments));
    if (options.node) call.restrict_to(*options.node);
    if (method.takes_edit()) call.edit = std::move(options.edit);
    auto response = co_await methods_.perform(method, std::move(call));
    if (!response) co_return to_fault(response.error(), method.faults);
    co_return *std::move(response);
}

}  // namespace muster::xmlrpc_api
