#include "adapters/net/http/server.h"

#include "adapters/net/event_loops.h"
#include "adapters/net/http/admission.h"
#include "adapters/net/http/connection.h"
#include "adapters/net/http/worker.h"
#include "adapters/net/listen.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <sys/socket.h>

#include <algorithm>
#include <atomic>
#include <string_view>
#include <utility>

namespace muster::net::http {

namespace asio = boost::asio;
using asio::ip::tcp;

namespace {

struct bound_listener {
    tcp::acceptor acceptor;
    std::uint16_t port;  // a closed acceptor no longer knows its port
    std::shared_ptr<rotating_tls_server> tls;
    std::shared_ptr<const http::service> service;
};

result<tcp::acceptor> open_acceptor(
    const asio::any_io_executor& executor, const listener& listener, int backlog) {
    boost::system::error_code parse_failure;
    const auto address = asio::ip::make_address(listener.address.host, parse_failure);
    if (!listener.tls && !parse_failure && !address.is_loopback()) {
        return fail(
            errc::invalid,
            to_string(listener.address)
                + ": HTTP without TLS is allowed only on loopback addresses such as 127.0.0.1");
    }
    return listen_at(executor, listener.address, backlog);
}

// Best effort: the client may not read the response.
void send_unavailable(tcp::socket& client) {
    constexpr std::string_view response =
        "HTTP/1.1 503 Service Unavailable\r\nretry-after: 1\r\nconnection: close\r\n"
        "content-length: 0\r\n\r\n";
    ::send(client.native_handle(), response.data(), response.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    boost::system::error_code ignored;
    client.shutdown(tcp::socket::shutdown_send, ignored);
}

}  // namespace

struct server::state {
    explicit state(const options& options)
        : loops(options.loops),
          clock(*options.clock),
          limits(options.limits),
          admission_(limits, options.proxies) {}

    result<void> open(std::vector<listener>& listeners);
    void create_workers();
    void begin();
    worker& least_loaded_worker();
    asio::awaitable<void> accept_from(bound_listener* listener);
    void admit(
        tcp::socket socket,
        asio::ip::address client,
        const bound_listener& listener,
        worker& worker);
    void start_drain(monotonic::duration timeout, completion<std::size_t> done);
    static asio::awaitable<void> drain_worker(
        worker* worker, monotonic::duration timeout, std::function<void(std::size_t cut)> then);
    void stop();

    event_loops loops;  // first member: destroyed after everything that runs on the loops
    muster::clock& clock;
    http::limits limits;
    counters metrics;
    admission admission_;
    std::vector<std::unique_ptr<worker>> workers;
    std::vector<std::unique_ptr<bound_listener>> listeners_;
};

result<void> server::state::open(std::vector<listener>& listeners) {
    for (auto& listener : listeners) {
        TRY(auto acceptor, open_acceptor(loops.executor(0), listener, limits.listen_backlog));
        const auto port = acceptor.local_endpoint().port();
        listeners_.push_back(std::make_unique<bound_listener>(
            std::move(acceptor),
            port,
            std::move(listener.tls),
            std::make_shared<const service>(std::move(listener.service))));
    }
    return {};
}

void server::state::create_workers() {
    const auto report = listeners_.empty() ? nullptr : listeners_.front()->service->report;
    for (std::size_t index = 0; index < loops.size(); ++index) {
        workers.push_back(std::make_unique<worker>(worker::options{
            .executor = loops.executor(index),
            .clock = &clock,
            .limits = &limits,
            .metrics = &metrics,
            .on_failure =
                [report](const std::string& task, std::exception_ptr) {
                    if (report) report(task + " task ended by an exception");
                },
        }));
    }
}

void server::state::begin() {
    for (auto& worker : workers)
        asio::post(worker->executor(), [started = worker.get()] { started->start(); });
    asio::post(workers.front()->executor(), [this] {
        for (auto& listener : listeners_)
            workers.front()->run_housekeeping("acceptor", accept_from(listener.get()));
    });
}

worker& server::state::least_loaded_worker() {
    return **std::ranges::min_element(
        workers, {}, [](const auto& worker) { return worker->connections(); });
}

asio::awaitable<void> server::state::accept_from(bound_listener* listener) {
    while (true) {
        worker& worker = least_loaded_worker();
        tcp::endpoint client;
        auto [failed, socket] = co_await listener->acceptor.async_accept(
            worker.executor(), client, asio::as_tuple(asio::use_awaitable));
        if (failed == asio::error::operation_aborted) co_return;
        if (failed) {
            counters::add(metrics.accept_failures, 1);
            const auto waited = co_await clock.sleep_for(limits.accept_pause);
            if (!waited) co_return;
            continue;
        }
        admit(std::move(socket), client.address(), *listener, worker);
    }
}

void server::state::admit(
    tcp::socket socket, asio::ip::address client, const bound_listener& listener, worker& worker) {
    counters::add(metrics.connections_accepted, 1);
    auto permit = admission_.admit(client);
    if (!permit) {
        counters::add(
            permit.error() == admission_error::total ? metrics.refused_total
                                                     : metrics.refused_per_address,
            1);
        // With TLS a response would cost the handshake that the limit saves.
        if (!listener.tls) send_unavailable(socket);
        return;
    }
    auto serve = [&worker,
                  client,
                  socket = std::move(socket),
                  permit = *std::move(permit),
                  connection_count = worker.count_connection(),
                  tls = listener.tls ? listener.tls->current() : nullptr,
                  service = listener.service]() mutable {
        auto stream = tls ? std::make_unique<net::stream>(std::move(socket), std::move(tls))
                          : std::make_unique<net::stream>(std::move(socket));
        worker.serve(std::make_unique<connection>(
            worker,
            connection::options{
                .stream = std::move(stream),
                .service = std::move(service),
                .client = client,
                .permit = std::move(permit),
                .connection_count = std::move(connection_count)}));
    };
    asio::post(worker.executor(), std::move(serve));
}

asio::awaitable<void> server::state::drain_worker(
    worker* worker, monotonic::duration timeout, std::function<void(std::size_t cut)> then) {
    const auto cut = co_await worker->drain(timeout);
    then(cut);
}

void server::state::start_drain(monotonic::duration timeout, completion<std::size_t> done) {
    asio::post(workers.front()->executor(), [this, timeout, done = std::move(done)] {
        for (auto& listener : listeners_) {
            boost::system::error_code ignored;  // it is closed either way
            listener->acceptor.close(ignored);
        }
        const auto pending = std::make_shared<std::atomic<std::size_t>>(workers.size());
        const auto cut = std::make_shared<std::atomic<std::size_t>>(0);
        const auto on_worker_done = [pending, cut, done](std::size_t worker_cut) {
            cut->fetch_add(worker_cut);
            if (pending->fetch_sub(1) == 1) done(cut->load());
        };
        for (auto& worker : workers) {
            asio::post(worker->executor(), [drained = worker.get(), timeout, on_worker_done] {
                drained->run_housekeeping("drain", drain_worker(drained, timeout, on_worker_done));
            });
        }
    });
}

void server::state::stop() {
    asio::post(workers.front()->executor(), [this] {
        for (auto& listener : listeners_) {
            boost::system::error_code ignored;  // it is closed either way
            listener->acceptor.close(ignored);
        }
    });
    for (auto& worker : workers)
        asio::post(worker->executor(), [stopped = worker.get()] { stopped->stop(); });
    loops.finish();
}

server::server(std::unique_ptr<state> state) : state_(std::move(state)) {}

server::~server() {
    state_->stop();
}

result<std::unique_ptr<server>> server::start(options options) {
    auto state = std::make_unique<server::state>(options);
    CHECK_OK(state->open(options.listeners));
    state->create_workers();
    state->begin();
    return std::unique_ptr<server>(new server(std::move(state)));
}

async<std::size_t> server::drain(monotonic::duration timeout) {
    auto start = [state = state_.get(), timeout](completion<std::size_t> done) {
        state->start_drain(timeout, std::move(done));
    };
    return await_callback<std::size_t>(std::move(start));
}

async<void> server::pulse() {
    return await_callback<void>([state = state_.get()](const completion<void>& done) {
        const auto pending = std::make_shared<std::atomic<std::size_t>>(state->loops.size());
        for (std::size_t index = 0; index < state->loops.size(); ++index) {
            asio::post(state->loops.executor(index), [pending, done] {
                if (pending->fetch_sub(1) == 1) done({});
            });
        }
    });
}

std::uint16_t server::port(std::size_t listener_index) const {
    return state_->listeners_.at(listener_index)->port;
}

const counters& server::metrics() const {
    return state_->metrics;
}

std::vector<std::size_t> server::connections_by_loop() const {
    std::vector<std::size_t> sizes;
    for (const auto& worker : state_->workers) sizes.push_back(worker->connections());
    return sizes;
}

}  // namespace muster::net::http
