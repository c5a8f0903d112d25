#include "roles/compat/xmlrpc_door.h"

#include "roles/compat/list_answer.h"

#include <span>
#include <utility>

namespace muster::compat {
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
    return to.add(
        "POST",
        "/rpc/api",
        {.handle = [this](http::request asked) { return respond(std::move(asked)); },
         .body_bytes_max = call_bytes_max});
}

boost::asio::awaitable<xmlrpc_door::outcome> xmlrpc_door::perform(
    xmlrpc::method_call wanted, std::string origin) {
    const auto which = methods_.choose(wanted.method, wanted.arguments);
    if (!which) co_return fault{-1, which.error().detail()};
    const method& chosen = **which;
    std::span<const value> arguments = wanted.arguments;
    std::string key;
    if (chosen.takes_session()) {
        key = *arguments.front().get<std::string>();
        arguments = arguments.subspan(1);
    }
    auto who = co_await door_.admit(chosen, std::move(key), std::move(origin));
    if (!who) co_return fault{-1, who.error().detail()};
    call made(chosen.what, *std::move(who), method_book::named(chosen, arguments));
    auto given = co_await methods_.perform(chosen, std::move(made));
    if (!given) co_return fault_of(given.error(), chosen.faults);
    co_return *std::move(given);
}

async<http::response> xmlrpc_door::respond(http::request asked) {
    CO_TRY(const auto body, co_await asked.body());
    auto wanted = xmlrpc::parse_call(body);
    if (!wanted) co_return told({-1, wanted.error().detail()});
    auto ended = co_await perform(*std::move(wanted), asked.client_address().to_string());
    if (const auto* failed = std::get_if<fault>(&ended)) co_return told(*failed);
    auto& given = std::get<answer>(ended);
    if (!given.items) co_return xml(xmlrpc::response(given.content));
    auto listed = co_await list_answer(std::move(given.items), in_xml());
    if (!listed) co_return told(fault_of(listed.error(), {}));
    co_return listed;
}

}  // namespace muster::compat
