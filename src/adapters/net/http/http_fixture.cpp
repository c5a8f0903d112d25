#include "tests/fixtures/net/http_fixture.h"

namespace muster::net::http::test {

async<response> hello(request) {
    co_return text(200, "hello");
}

async<response> echo(request request) {
    CO_TRY(std::string whole, co_await request.body());
    co_return text(200, std::move(whole));
}

namespace {

async<response> greet(request request) {
    co_return text(200, "hello " + request.capture("name") + request.query("mark").value_or("."));
}

async<response> throw_exception(request) {
    throw std::runtime_error("broken handler");
    co_return response();
}

async<response> report_missing(request) {
    co_return fail(errc::not_found, "no system \"web1\"");
}

async<response> name_agent(request request) {
    CO_TRY(const auto agent, request.agent());
    co_return text(200, agent.str());
}

async<response> name_client(request request) {
    co_return text(200, request.client_certificate()->common_name());
}

async<void> count_up(body_writer body) {
    for (const auto* word : {"one ", "two ", "three"}) {
        CO_CHECK_OK(co_await body.write(word));
    }
    co_return result<void>();
}

async<response> count_response(request) {
    co_return response{.stream = count_up};
}

async<void> break_off(body_writer body) {
    CO_CHECK_OK(co_await body.write("half of "));
    co_return fail(errc::unavailable, "the source dried up");
}

async<response> broken_response(request) {
    co_return response{.stream = break_off};
}

async<response> big(request) {
    constexpr std::size_t big_bytes = 4'000'000;
    co_return text(200, std::string(big_bytes, 'x'));
}

}  // namespace

std::shared_ptr<router> usual_routes() {
    auto routes = std::make_shared<router>();
    const auto add = [&](std::string_view method, std::string_view path, route route) {
        REQUIRE(routes->add(method, path, std::move(route)).has_value());
    };
    add("GET", "/", {.handle = hello});
    add("POST", "/echo", {.handle = echo});
    add("POST", "/small", {.handle = echo, .body_bytes_max = 10});
    add("GET", "/greet/{name}", {.handle = greet});
    add("GET", "/throw", {.handle = throw_exception});
    add("GET", "/missing", {.handle = report_missing});
    add("GET", "/who", {.handle = name_agent});
    add("GET", "/servers", {.handle = name_client, .allowed = caller::cluster_server});
    add("GET", "/count", {.handle = count_response});
    add("GET", "/break", {.handle = broken_response});
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

server_fixture::server_fixture(options options) {
    tls = std::make_shared<rotating_tls_server>(
        options.tls ? options.tls : server_tls(server_identity(), options.clients));
    const service service{.routes = options.routes, .channels = options.channels};
    std::vector<listener> listeners;
    listeners.push_back(
        {.address = {.host = "127.0.0.1", .port = 0}, .tls = tls, .service = service});
    listeners.push_back(
        {.address = {.host = "127.0.0.1", .port = 0}, .tls = nullptr, .service = service});
    running = server::start({.listeners = std::move(listeners),
                             .clock = &the_clock(),
                             .limits = options.allowed,
                             .loops = options.loops,
                             .proxies = options.proxies})
                  .value();
}

async<std::string> read_all(net::stream* stream) {
    std::string bytes;
    std::array<char, 4096> buffer{};
    while (true) {
        CO_TRY(const std::size_t size, co_await stream->read_some(buffer));
        if (size == 0) co_return bytes;
        bytes.append(buffer.data(), size);
    }
}

async<std::string> converse(destination destination, std::string bytes) {
    CO_TRY(auto stream, co_await connect(std::move(destination)));
    CO_CHECK_OK(co_await stream->write(std::move(bytes)));
    co_return co_await read_all(stream.get());
}

std::string talk(const server_fixture& fixture, std::string bytes) {
    return run(converse({.address = fixture.plain(), .tls = nullptr}, std::move(bytes))).value();
}

std::size_t occurrences(std::string_view text, std::string_view part) {
    std::size_t count = 0;
    for (auto position = text.find(part); position != std::string_view::npos;
         position = text.find(part, position + 1))
        ++count;
    return count;
}

}  // namespace muster::net::http::test
