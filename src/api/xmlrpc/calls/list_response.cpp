#include "api/xmlrpc/calls/list_response.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <utility>

namespace muster::xmlrpc_api {
namespace {

namespace http = net::http;

// Lists up to this size are sent with a Content-Length.
constexpr std::size_t whole_bytes_max = 256 * std::size_t{1024};

struct list_writer {
    item_source items;
    list_format format;
    bool first = true;
    bool finished = false;
};

// Returns the text of the next items; after the last item, the closing text.
async<std::string> next_text(std::shared_ptr<list_writer> writer) {
    CO_TRY(const auto piece, co_await writer->items());
    writer->finished = piece.empty();
    if (writer->finished) co_return writer->format.closing;
    std::string text;
    for (const auto& item : piece) {
        writer->format.append(text, item, writer->first);
        writer->first = false;
    }
    co_return text;
}

async<void> write_rest(
    http::body_writer output, std::string start, std::shared_ptr<list_writer> writer) {
    CO_CHECK_OK(co_await output.write(std::move(start)));
    while (!writer->finished) {
        CO_TRY(auto text, co_await next_text(writer));
        CO_CHECK_OK(co_await output.write(std::move(text)));
    }
    co_return result<void>();
}

}  // namespace

http::response complete_response(std::string media, std::string body) {
    http::response response{.status = 200, .body = std::move(body)};
    response.fields.emplace_back("Content-Type", std::move(media));
    response.fields.emplace_back("X-Content-Type-Options", "nosniff");
    return api::no_store(std::move(response));
}

http::response with_missing_nodes(
    http::response response, const std::vector<std::string>& missing_nodes) {
    if (!missing_nodes.empty())
        response.fields.emplace_back(
            "Muster-Missing-Nodes", fmt::format("{}", fmt::join(missing_nodes, ",")));
    return response;
}

async<http::response> list_response(item_source items, list_format format) {
    auto writer = std::make_shared<list_writer>(
        list_writer{.items = std::move(items), .format = std::move(format)});
    auto text = writer->format.opening;
    while (!writer->finished && text.size() < whole_bytes_max) {
        CO_TRY(const auto next, co_await next_text(writer));
        text += next;
    }
    if (writer->finished) co_return complete_response(writer->format.media, std::move(text));
    auto result = complete_response(writer->format.media, {});
    result.stream = [start = std::move(text), writer](http::body_writer output) {
        return write_rest(output, start, writer);
    };
    co_return result;
}

}  // namespace muster::xmlrpc_api
