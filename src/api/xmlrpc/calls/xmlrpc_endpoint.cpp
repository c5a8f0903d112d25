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

http::response xml(std::string body) {
    return run_sync(media, std::move(body));
}

http::response told(const fault& fault) {
    return xml(xmlrpc::fault(fault.code, "redstone.xmlrpc.XmlRpcFault: " + fault.text));
}

list_format in_xml() {
    return {
        .media = media,
        .opening = xmlrpc::list_opening(),
        .append = [](std::string& to, const value& item, bool) { xmlrpc::append_item(to, item); },
        .closing = xmlrpc::list_closing()};
}

}  // namespace

result<void> xmlrpc_endpoint::add_routes(http::router& to) {
    for (const char* path : {"/rpc/api", "/hub/rpc/api"}) {
        CHECK_OK(to.add(
            "POST",
            path,
            {.handle = [this](http::request request) { return respond(std::move(request)); },
             .body_bytes_max = call_bytes_max}));
    }
    return {};
}

async<http::response> xmlrpc_endpoint::respond(http::request request) {
    const std::string accepted(request.field("Accept-Encoding").value_or(""));
    CO_TRY(auto result, co_await answer_to(std::move(request)));
    co_return net::gzip::compressed_response(std::move(result), accepted);
}

async<http::response> xmlrpc_endpoint::answer_to(http::request request) {
    auto origin = request.client_address().to_string();
    const auto body = co_await read_call(&request, [this, origin](const std::string& beginning) {
        return calls_.holder(key_at_beginning(beginning), origin);
    });
    if (!body && body.error().code() == errc::denied) co_return told({-1, body.error().detail()});
    CO_CHECK_OK(body);
    auto call = xmlrpc::parse_call(*body);
    if (!call) co_return told({-1, call.error().detail()});
    call_terms under{.edit = std::string(request.field("Muster-Edit").value_or(""))};
    const bool further = relay::is_meant(call->method);
    if (further && !under.edit.empty())
        co_return told({-1, "A draft is for all servers: leave out Muster-Edit, or the server"});
    auto ended =
        further ? co_await further_.connect(*std::move(call), std::move(origin))
                : co_await calls_.connect(*std::move(call), std::move(origin), std::move(under));
    if (const auto* failed = std::get_if<fault>(&ended)) co_return told(*failed);
    auto& input = std::get<answer>(ended);
    if (!input.items)
        co_return naming_missing(xml(xmlrpc::response(input.content)), input.missing_nodes);
    auto listed = co_await list_response(std::move(input.items), in_xml());
    if (!listed) co_return told(fault_of(listed.error(), {}));
    co_return naming_missing(*std::move(listed), input.missing_nodes);
}

}  // namespace muster::xmlrpc_api
