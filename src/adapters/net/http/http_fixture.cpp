#include "tests/fixtures/net/http_fixture.h"

namespace muster::net::http::test {

async<response> hello(request) {
    co_return text(200, "hello");
}

async<response> echo(request from) {
    CO_TRY(std::string whole, co_await from.body());
    co_return text(200, std::move(whole));
}

namespace {

async<response> greet(request from) {
    co_return text(200, "hello " + from.captured("name") + from.query("mark").value_or("."));
}

async<response> throw_up(request) {
    throw std::runtime_error("broken handler");
    co_return response();
}

async<response> not_there(request) {
    co_return fail(errc::not_found, "no system \"web1\"");
}

async<response> who(request from) {
    CO_TRY(const auto agent, from.agent());
    co_return text(200, agent.str());
}

async<response> for_servers(request from) {
    co_return text(200, from.client_certificate()->common_name());
}

async<void> count_up(body_writer to) {
    for (const auto* word : {"one ", "two ", "three"}) {
        CO_CHECK_OK(co_await to.write(word));
    }
    co_return result<void>();
}

async<response> counting(request) {
    co_return response{.stream = count_up};
}

async<void> break_off(body_writer to) {
    CO_CHECK_OK(co_await to.write("half of "));
    co_return fail(errc::unavailable, "the source dried up");
}

async<response> breaking(request) {
    co_return response{.stream = break_off};
}

async<response> big(request) {
    constexpr std::size_t big_bytes = 4'000'000;
    co_return text(200, std::string(big_bytes, 'x'));
}

}  // namespace

std::shared_ptr<router> usual_routes() {
    auto routes = std::make_shared<router>();
    const auto add = [&](std::string_view method, std::string_view path, route to) {
        REQUIRE(routes->add(method, path, std::move(to)).has_value());
    };
    add("GET", "/", {.handle = hello});
    add("POST", "/echo", {.handle = echo});
    add("POST", "/small", {.handle = echo, .body_bytes_max = 10});
    add("GET", "/greet/{name}", {.handle = greet});
    add("GET", "/throw", {.handle = throw_up});
    add("GET", "/missing", {.handle = not_there});
    add("GET", "/who", {.handle = who});
    add("GET", "/servers", {.handle = for_servers, .allowed = caller::cluster_server});
    add("GET", "/count", {.handle = counting});
    add("GET", "/break", {.handle = breaking});
    add("GET", "/big", {.handle = big});
    return routes;
}

limits quick_limits() {
    return {
        .handshake_time = 5s,
        .first_byte_time = 5s,
        .header_time = 5s,
        .body_time = 5s,
        .idle_time = 5s,
        .linger_time = 500ms,
        .event_heartbeat = 50ms,
        .deadline_sweep = 10ms,
    };
}

site::site(options options) {
    tls = std::make_shared<rotating_tls_server>(
        options.tls ? options.tls : server_tls(server_identity(), options.clients));
    const service service{.routes = options.routes, .channels = options.channels};
    std::vector<listener> listeners;
    listeners.push_back({.where = {.host = "127.0.0.1", .port = 0}, .tls = tls, .what = service});
    listeners.push_back(
        {.where = {.host = "127.0.0.1", .port = 0}, .tls = nullptr, .what = service});
    running = server::start({.listeners = std::move(listeners),
                             .clock = &the_clock(),
                             .allowed = options.allowed,
                             .loops = options.loops,
                             .proxies = options.proxies})
                  .value();
}

async<std::string> read_all(net::stream* from) {
    std::string all;
    std::array<char, 4096> buffer{};
    while (true) {
        CO_TRY(const std::size_t size, co_await from->read_some(buffer));
        if (size == 0) co_return all;
        all.append(buffer.data(), size);
    }
}

async<std::string> converse(destination to, std::string bytes) {
    CO_TRY(auto over, co_await connect(std::move(to)));
    CO_CHECK_OK(co_await over->write(std::move(bytes)));
    co_return co_await read_all(over.get());
}

std::string talk(const site& to, std::string bytes) {
    return run(converse({.where = to.plain(), .tls = nullptr}, std::move(bytes))).value();
}

std::size_t occurrences(std::string_view text, std::string_view of) {
    std::size_t count = 0;
    for (auto at = text.find(of); at != std::string_view::npos; at = text.find(of, at + 1)) ++count;
    return count;
}

}  // namespace muster::net::http::test
