#include "api/xmlrpc/calls/list_response.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <utility>

namespace muster::xmlrpc_api {
namespace {

namespace http = net::http;

// Up to here an answer is kept and sent as one.
constexpr std::size_t whole_bytes_max = 256 * std::size_t{1024};

struct list_writer {
    item_source items;
    list_format how;
    bool first = true;
    bool over = false;
};

// What stands next in the list; behind the last item, what closes it.
async<std::string> next_text(std::shared_ptr<list_writer> of) {
    CO_TRY(const auto piece, co_await of->items());
    of->over = piece.empty();
    if (of->over) co_return of->how.closing;
    std::string text;
    for (const auto& each : piece) {
        of->how.append(text, each, of->first);
        of->first = false;
    }
    co_return text;
}

async<void> write_rest(http::body_writer to, std::string begun, std::shared_ptr<list_writer> of) {
    CO_CHECK_OK(co_await to.write(std::move(begun)));
    while (!of->over) {
        CO_TRY(auto text, co_await next_text(of));
        CO_CHECK_OK(co_await to.write(std::move(text)));
    }
    co_return result<void>();
}

}  // namespace

http::response run_sync(std::string media, std::string body) {
    http::response response{.status = 200, .body = std::move(body)};
    response.fields.emplace_back("Content-Type", std::move(media));
    response.fields.emplace_back("X-Content-Type-Options", "nosniff");
    return api::no_store(std::move(response));
}

http::response naming_missing(
    http::response response, const std::vector<std::string>& missing_nodes) {
    if (!missing_nodes.empty())
        response.fields.emplace_back(
            "Muster-Missing-Nodes", fmt::format("{}", fmt::join(missing_nodes, ",")));
    return response;
}

async<http::response> list_response(item_source items, list_format list_format) {
    auto of = std::make_shared<list_writer>(
        list_writer{.items = std::move(items), .how = std::move(list_format)});
    auto text = of->how.opening;
    while (!of->over && text.size() < whole_bytes_max) {
        CO_TRY(const auto more, co_await next_text(of));
        text += more;
    }
    if (of->over) co_return run_sync(of->how.media, std::move(text));
    auto result = run_sync(of->how.media, {});
    result.stream = [begun = std::move(text), of](http::body_writer to) {
        return write_rest(to, begun, of);
    };
    co_return result;
}

}  // namespace muster::xmlrpc_api
