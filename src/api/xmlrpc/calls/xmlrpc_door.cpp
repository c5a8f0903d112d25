#include "api/xmlrpc/calls/xmlrpc_door.h"

#include "adapters/net/gzip/packed_answer.h"
#include "api/xmlrpc/calls/call_body.h"
#include "api/xmlrpc/calls/list_answer.h"

#include <utility>

namespace muster::xmlrpc_api {
namespace {

namespace http = net::http;
using api::value;

constexpr const char* media = "text/xml;charset=UTF-8";

http::response xml(std::string body) {
    return answer_of(media, std::move(body));
}

http::response told(const fault& what) {
    return xml(xmlrpc::fault(what.code, "redstone.xmlrpc.XmlRpcFault: " + what.text));
}

list_spelling in_xml() {
    return {
        .media = media,
        .opening = xmlrpc::list_opening(),
        .append = [](std::string& to, const value& item, bool) { xmlrpc::append_item(to, item); },
        .closing = xmlrpc::list_closing()};
}

}  // namespace

result<void> xmlrpc_door::add_routes(http::router& to) {
    for (const char* path : {"/rpc/api", "/hub/rpc/api"}) {
        CHECK_OK(to.add(
            "POST",
            path,
            {.handle = [this](http::request asked) { return respond(std::move(asked)); },
             .body_bytes_max = call_bytes_max}));
    }
    return {};
}

async<http::response> xmlrpc_door::respond(http::request asked) {
    const std::string accepted(asked.field("Accept-Encoding").value_or(""));
    CO_TRY(auto made, co_await answer_to(std::move(asked)));
    co_return net::gzip::packed_answer(std::move(made), accepted);
}

async<http::response> xmlrpc_door::answer_to(http::request asked) {
    auto origin = asked.client_address().to_string();
    const auto body = co_await read_call(&asked, [this, origin](const std::string& beginning) {
        return calls_.holder(key_at_beginning(beginning), origin);
    });
    if (!body && body.error().code() == errc::denied) co_return told({-1, body.error().detail()});
    CO_CHECK_OK(body);
    auto wanted = xmlrpc::parse_call(*body);
    if (!wanted) co_return told({-1, wanted.error().detail()});
    call_terms under{.edit = std::string(asked.field("Muster-Edit").value_or(""))};
    const bool further = relay::is_meant(wanted->method);
    if (further && !under.edit.empty())
        co_return told({-1, "A draft is for all servers: leave out Muster-Edit, or the server"});
    auto ended =
        further ? co_await further_.connect(*std::move(wanted), std::move(origin))
                : co_await calls_.connect(*std::move(wanted), std::move(origin), std::move(under));
    if (const auto* failed = std::get_if<fault>(&ended)) co_return told(*failed);
    auto& given = std::get<answer>(ended);
    if (!given.items)
        co_return naming_missing(xml(xmlrpc::response(given.content)), given.missing_nodes);
    auto listed = co_await list_answer(std::move(given.items), in_xml());
    if (!listed) co_return told(fault_of(listed.error(), {}));
    co_return naming_missing(*std::move(listed), given.missing_nodes);
}

}  // namespace muster::xmlrpc_api
