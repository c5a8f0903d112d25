#include "roles/compat/xmlrpc_door.h"

#include "ports/deadline.h"
#include "roles/compat/session_key.h"

#include <fmt/format.h>

#include <span>
#include <utility>

namespace muster::compat {
namespace {

namespace http = net::http;
using api::value;

// Up to here an answer is kept and sent as one.
constexpr std::size_t whole_bytes_max = 256 * std::size_t{1024};

http::response xml(std::string body) {
    http::response made{.status = 200, .body = std::move(body)};
    made.fields.emplace_back("Content-Type", "text/xml;charset=UTF-8");
    return gateway::no_store(std::move(made));
}

http::response told(const fault& what) {
    return xml(xmlrpc::fault(what.code, "redstone.xmlrpc.XmlRpcFault: " + what.text));
}

async<void> write_rest(http::body_writer to, std::string begun, item_source items) {
    CO_CHECK_OK(co_await to.write(std::move(begun)));
    for (;;) {
        CO_TRY(const auto piece, co_await items());
        if (piece.empty()) break;
        std::string text;
        for (const auto& each : piece) xmlrpc::append_item(text, each);
        CO_CHECK_OK(co_await to.write(std::move(text)));
    }
    co_return co_await to.write(xmlrpc::list_closing());
}

// In one piece when it is short.
async<http::response> list_answer(item_source items) {
    auto text = xmlrpc::list_opening();
    while (text.size() < whole_bytes_max) {
        CO_TRY(const auto piece, co_await items());
        if (piece.empty()) co_return xml(text + xmlrpc::list_closing());
        for (const auto& each : piece) xmlrpc::append_item(text, each);
    }
    auto made = xml({});
    made.stream = [begun = std::move(text), items = std::move(items)](http::body_writer to) {
        return write_rest(to, begun, items);
    };
    co_return made;
}

}  // namespace

result<void> xmlrpc_door::add_routes(http::router& to) {
    return to.add(
        "POST",
        "/rpc/api",
        {.handle = [this](http::request asked) { return respond(std::move(asked)); },
         .body_bytes_max = call_bytes_max});
}

async<gateway::visitor> xmlrpc_door::admit(
    const method& which, std::string key, std::string origin) const {
    CO_TRY(auto desk, desk_.enter());
    if (!which.takes_session())
        co_return gateway::visitor{people::identity(), std::move(desk), std::move(origin)};
    auto looking = desk->people.entrance.identify(secret_in(key), origin);
    auto who = co_await within(time_, gateway::engine_patience, std::move(looking));
    // By this sentence clients know that they have to log in again.
    if (!who && who.error().code() == errc::denied)
        co_return fail(
            errc::denied, fmt::format("Could not find session with id: {}", number_in(key)));
    CO_CHECK_OK(who);
    co_return gateway::visitor{*std::move(who), std::move(desk), std::move(origin)};
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
    auto who = co_await admit(chosen, std::move(key), std::move(origin));
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
    auto listed = co_await list_answer(std::move(given.items));
    if (!listed) co_return told(fault_of(listed.error(), {}));
    co_return listed;
}

}  // namespace muster::compat
