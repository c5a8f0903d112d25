#include "api/peer/node_client.h"

#include "ports/deadline.h"

#include <utility>

namespace muster::api {
namespace {

using namespace std::chrono_literals;
namespace http = net::http;

constexpr auto answer_time = 10s;  // an agent has five of them
// A node says something every second.
constexpr http::client_limits impatient{
    .connect_time = 3s, .first_byte_time = 5s, .stall_time = 10s};

}  // namespace

result<node_client::place> node_client::where(system_number system) const {
    const auto record = deps_.systems.find(system);
    if (!record || record->stage != enrolment::accepted)
        return fail(errc::not_found, "there is no system " + std::to_string(system.value()));
    const auto places = deps_.topology.read();
    const auto match = places->place_of(record->zone, slot::of(record->print));
    if (match.node == nullptr)
        return fail(errc::unavailable, "no node serves the system at the moment");
    if (match.server == nullptr)
        return fail(errc::unavailable, "the system's node " + match.node->name + " is away");
    return place{.node = match.node->name, .address = match.server->address};
}

result<http::client::options> node_client::client_options() const {
    TRY(auto tls, deps_.tls.current());
    return http::client::options{
        .clock = &deps_.clock, .tls = std::move(tls), .allowed = impatient};
}

std::string node_client::url(const place& of, system_number system, const std::string& path) {
    return "https://" + of.address + "/node/systems/" + std::to_string(system.value()) + path;
}

async<http::answer> node_client::ask(
    system_number system, std::string method, std::string path) const {
    CO_TRY(const auto to, where(system));
    CO_TRY(auto how, client_options());
    how.allowed.first_byte_time = answer_time;
    http::client through(std::move(how));
    http::outgoing outgoing{.method = std::move(method), .url = url(to, system, path)};
    auto answered = co_await within(deps_.clock, answer_time, through.send(std::move(outgoing)));
    if (!answered) co_return fail(answered.error().within("asking the node " + to.node));
    co_return answered;
}

async<void> output_stream::open(std::string url) {
    CO_TRY(auto opened, co_await through_.open({.url = std::move(url)}));
    if (opened.status() != 200)
        co_return fail(errc::unavailable, "the node answered " + std::to_string(opened.status()));
    from_.emplace(std::move(opened));
    co_return result<void>();
}

async<jobs::output_piece> output_stream::next() {
    while (true) {
        CO_TRY(auto piece, pieces_.next());
        if (piece) co_return *std::move(piece);
        CO_TRY(const auto bytes, co_await from_->next());
        if (bytes.empty()) co_return fail(errc::unavailable, "the node hung up");
        pieces_.feed(bytes);
    }
}

}  // namespace muster::api
