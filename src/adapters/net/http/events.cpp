#include "adapters/net/http/events.h"

#include <algorithm>

namespace muster::net::http {
namespace {

void append_field(std::string& out, std::string_view name, std::string_view value) {
    if (value.empty()) return;
    out.append(name).append(": ");
    for (const char c : value) {
        if (c != '\r' && c != '\n' && c != '\0') out += c;
    }
    out += '\n';
}

async<void> write_source(event_source source, body_writer body) {
    CO_CHECK_OK(co_await body.write(":\n\n"));  // sends the head at once
    co_return co_await source(event_writer(body));
}

}  // namespace

std::string to_text(const event& event) {
    std::string out;
    append_field(out, "id", event.id);
    append_field(out, "event", event.name);
    std::string_view rest = event.data;
    while (true) {
        const auto end = std::min(rest.find_first_of("\r\n"), rest.size());
        out.append("data: ").append(rest.substr(0, end)).append("\n");
        if (end == rest.size()) break;
        const bool crlf = rest.substr(end, 2) == "\r\n";
        rest.remove_prefix(end + (crlf ? 2 : 1));
    }
    return out + '\n';
}

async<void> event_writer::send(http::event event) {
    return body_.write(to_text(event));
}

async<void> event_writer::keep_alive(body_writer body) {
    exchange& connection = body.connection();
    while (true) {
        auto pause = connection.clock().sleep_for(connection.event_heartbeat());
        CO_CHECK_OK(co_await await_unless(connection.wait_for_disconnect(), std::move(pause)));
        CO_CHECK_OK(co_await body.write(":\n\n"));
    }
}

response event_stream(event_source source) {
    return {
        .status = 200,
        .fields = {{"content-type", "text/event-stream"}, {"cache-control", "no-store"}},
        .stream = [source =
                       std::move(source)](body_writer body) { return write_source(source, body); },
    };
}

}  // namespace muster::net::http
