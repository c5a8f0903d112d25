#include "api/xmlrpc/calls/xmlrpc_endpoint.h"

#include "adapters/net/gzip/compressed_response.h"
#include "api/xmlrpc/calls/call_body.h"
#include "api/xmlrpc/calls/list_response.h"

#include <utility>

namespace muster::xmlrpc_api {
namespace {

namespace http = net::http;
using api::value;

constexpr const char* media = "text/xml;charset=UTF-8";

http::response xml_response(std::string body) {
    return complete_response(media, std::move(body));
}

http::response fault_response(const fault& fault) {
    return xml_response(xmlrpc::fault(fault.code, "redstone.xmlrpc.XmlRpcFault: " + fault.text));
}

list_format xml_list_format() {
    return {
        .media = media,
        .opening = xmlrpc::list_opening(),
        .append =
            [](std::string& output, const value& item, bool) { xmlrpc::append_item(output, item); },
        .closing = xmlrpc::list_closing()};
}

}  // namespace

result<void> xmlrpc_endpoint::add_routes(http::router& router) {
    for (const char* path : {"/rpc/api", "/hub/rpc/api"}) {
        CHECK_OK(router.add(
            "POST",
            path,
            {.handle = [this](http::request request) { return respond(std::move(request)); },
             .body_bytes_max = call_bytes_max}));
    }
    return {};
}

async<http::response> xmlrpc_endpoint::respond(http::request request) {
    const std::string accepted(request.field("Accept-Encoding").value_or(""));
    CO_TRY(auto result, co_await handle_call(std::move(request)));
    co_return net::gzip::compressed_response(std::move(result), accepted);
}

async<http::response> xmlrpc_endpoint::handle_call(http::request request) {
    auto origin = request.client_address().to_string();
    const auto body = co_await read_call(&request, [this, origin](const std::string& beginning) {
        return dispatcher_.authenticate(find_session_key(beginning), origin);
    });
    if (!body && body.error().code() == errc::denied)
        co_return fault_response({-1, body.error().detail()});
    CO_CHECK_OK(body);
    auto call = xmlrpc::parse_call(*body);
    if (!call) co_return fault_response({-1, call.error().detail()});
    call_options options{.edit = std::string(request.field("Muster-Edit").value_or(""))};
    const bool is_hub_call = hub_relay::handles(call->method);
    if (is_hub_call && !options.edit.empty())
        co_return fault_response(
            {-1, "drafts apply to all servers; remove Muster-Edit or the server"});
    auto outcome = is_hub_call ? co_await hub_relay_.dispatch(*std::move(call), std::move(origin))
                               : co_await dispatcher_.dispatch(
                                     *std::move(call), std::move(origin), std::move(options));
    if (const auto* failure = std::get_if<fault>(&outcome)) co_return fault_response(*failure);
    auto& response = std::get<method_response>(outcome);
    if (!response.items)
        co_return with_missing_nodes(
            xml_response(xmlrpc::response(response.content)), response.missing_nodes);
    auto list = co_await list_response(std::move(response.items), xml_list_format());
    if (!list) co_return fault_response(to_fault(list.error(), {}));
    co_return with_missing_nodes(*std::move(list), response.missing_nodes);
}

}  // namespace muster::xmlrpc_api
