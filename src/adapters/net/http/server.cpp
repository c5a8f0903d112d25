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

struct door {
    tcp::acceptor acceptor;
    std::uint16_t port;  // kept, because a closed acceptor has none
    std::shared_ptr<rotating_tls_server> tls;
    std::shared_ptr<const service> what;
};

result<tcp::acceptor> open_door(
    const asio::any_io_executor& executor, const listener& listener, int backlog) {
    boost::system::error_code unknown;
    const auto address = asio::ip::make_address(listener.where.host, unknown);
    if (!listener.tls && !unknown && !address.is_loopback()) {
        return fail(
            errc::invalid,
            to_string(listener.where)
                + ": HTTP without TLS is for loopback only, such as 127.0.0.1");
    }
    return listen_at(executor, listener.where, backlog);
}

// Best effort: whether all of it gets through is the client's business.
void turn_away(tcp::socket& client) {
    constexpr std::string_view answer =
        "HTTP/1.1 503 Service Unavailable\r\nretry-after: 1\r\nconnection: close\r\n"
        "content-length: 0\r\n\r\n";
    ::send(client.native_handle(), answer.data(), answer.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    boost::system::error_code ignored;
    client.shutdown(tcp::socket::shutdown_send, ignored);
}

}  // namespace

struct server::state {
    explicit state(const options& options)
        : loops(options.loops),
          clock(*options.clock),
          allowed(options.allowed),
          admitted(allowed, options.proxies) {}

    result<void> open(std::vector<listener>& listeners);
    void make_workers();
    void begin();
    worker& emptiest_worker();
    asio::awaitable<void> accept_at(door* from);
    void admit(tcp::socket socket, asio::ip::address client, const door& from, worker& to);
    void start_drain(monotonic::duration timeout, completion<std::size_t> done);
    static asio::awaitable<void> drain_worker(
        worker* worker, monotonic::duration timeout, std::function<void(std::size_t cut)> then);
    void shut();

    event_loops loops;  // first, so that what lives on them goes before they do
    muster::clock& clock;
    limits allowed;
    counters counted;
    admission admitted;
    std::vector<std::unique_ptr<worker>> workers;
    std::vector<std::unique_ptr<door>> doors;
};

result<void> server::state::open(std::vector<listener>& listeners) {
    for (auto& desired : listeners) {
        TRY(auto acceptor, open_door(loops.executor(0), desired, allowed.listen_backlog));
        const auto port = acceptor.local_endpoint().port();
        doors.push_back(std::make_unique<door>(
            std::move(acceptor),
            port,
            std::move(desired.tls),
            std::make_shared<const service>(std::move(desired.what))));
    }
    return {};
}

void server::state::make_workers() {
    const auto report = doors.empty() ? nullptr : doors.front()->what->report;
    for (std::size_t index = 0; index < loops.size(); ++index) {
        workers.push_back(std::make_unique<worker>(worker::options{
            .executor = loops.executor(index),
            .clock = &clock,
            .allowed = &allowed,
            .counted = &counted,
            .on_failure =
                [report](const std::string& task, std::exception_ptr) {
                    if (report) report("a " + task + " ended by an exception");
                },
        }));
    }
}

void server::state::begin() {
    for (auto& worker : workers)
        asio::post(worker->executor(), [one = worker.get()] { one->start(); });
    asio::post(workers.front()->executor(), [this] {
        for (auto& door : doors) workers.front()->run_beside("acceptor", accept_at(door.get()));
    });
}

worker& server::state::emptiest_worker() {
    return **std::ranges::min_element(
        workers, {}, [](const auto& each) { return each->seats_taken(); });
}

asio::awaitable<void> server::state::accept_at(door* from) {
    while (true) {
        worker& to = emptiest_worker();
        tcp::endpoint client;
        auto [failed, socket] = co_await from->acceptor.async_accept(
            to.executor(), client, asio::as_tuple(asio::use_awaitable));
        if (failed == asio::error::operation_aborted) co_return;
        if (failed) {
            counters::add(counted.accept_failures, 1);
            const auto slept = co_await clock.sleep_for(allowed.accept_pause);
            if (!slept) co_return;
            continue;
        }
        admit(std::move(socket), client.address(), *from, to);
    }
}

void server::state::admit(
    tcp::socket socket, asio::ip::address client, const door& from, worker& to) {
    counters::add(counted.connections_accepted, 1);
    auto place = admitted.enter(client);
    if (!place) {
        counters::add(
            place.error() == admission_refused::in_all ? counted.refused_in_all
                                                       : counted.refused_per_address,
            1);
        // Under TLS an answer would cost the handshake that the limit is there to save.
        if (!from.tls) turn_away(socket);
        return;
    }
    auto serve = [&to,
                  client,
                  socket = std::move(socket),
                  place = *std::move(place),
                  seat = to.take_seat(),
                  tls = from.tls ? from.tls->current() : nullptr,
                  what = from.what]() mutable {
        auto over = tls ? std::make_unique<stream>(std::move(socket), std::move(tls))
                        : std::make_unique<stream>(std::move(socket));
        to.serve(std::make_unique<connection>(
            to,
            connection::options{
                .over = std::move(over),
                .what = std::move(what),
                .client = client,
                .place = std::move(place),
                .seat = std::move(seat)}));
    };
    asio::post(to.executor(), std::move(serve));
}

asio::awaitable<void> server::state::drain_worker(
    worker* worker, monotonic::duration timeout, std::function<void(std::size_t cut)> then) {
    const auto cut = co_await worker->drain(timeout);
    then(cut);
}

void server::state::start_drain(monotonic::duration timeout, completion<std::size_t> done) {
    asio::post(workers.front()->executor(), [this, timeout, done = std::move(done)] {
        for (auto& door : doors) {
            boost::system::error_code ignored;  // it is closed either way
            door->acceptor.close(ignored);
        }
        const auto left = std::make_shared<std::atomic<std::size_t>>(workers.size());
        const auto cut = std::make_shared<std::atomic<std::size_t>>(0);
        const auto one_done = [left, cut, done](std::size_t cut_there) {
            cut->fetch_add(cut_there);
            if (left->fetch_sub(1) == 1) done(cut->load());
        };
        for (auto& worker : workers) {
            asio::post(worker->executor(), [one = worker.get(), timeout, one_done] {
                one->run_beside("drain", drain_worker(one, timeout, one_done));
            });
        }
    });
}

void server::state::shut() {
    asio::post(workers.front()->executor(), [this] {
        for (auto& door : doors) {
            boost::system::error_code ignored;  // it is closed either way
            door->acceptor.close(ignored);
        }
    });
    for (auto& worker : workers)
        asio::post(worker->executor(), [one = worker.get()] { one->stop(); });
    loops.finish();
}

server::server(std::unique_ptr<state> all) : state_(std::move(all)) {}

server::~server() {
    state_->shut();
}

result<std::unique_ptr<server>> server::start(options options) {
    auto all = std::make_unique<state>(options);
    CHECK_OK(all->open(options.listeners));
    all->make_workers();
    all->begin();
    return std::unique_ptr<server>(new server(std::move(all)));
}

async<std::size_t> server::drain(monotonic::duration timeout) {
    auto start = [all = state_.get(), timeout](completion<std::size_t> done) {
        all->start_drain(timeout, std::move(done));
    };
    return completed<std::size_t>(std::move(start));
}

async<void> server::pulse() {
    return completed<void>([all = state_.get()](const completion<void>& done) {
        const auto left = std::make_shared<std::atomic<std::size_t>>(all->loops.size());
        for (std::size_t index = 0; index < all->loops.size(); ++index) {
            asio::post(all->loops.executor(index), [left, done] {
                if (left->fetch_sub(1) == 1) done({});
            });
        }
    });
}

std::uint16_t server::port(std::size_t listener_index) const {
    return state_->doors.at(listener_index)->port;
}

const counters& server::counted() const {
    return state_->counted;
}

std::vector<std::size_t> server::connections_by_loop() const {
    std::vector<std::size_t> sizes;
    for (const auto& worker : state_->workers) sizes.push_back(worker->seats_taken());
    return sizes;
}

}  // namespace muster::net::http
