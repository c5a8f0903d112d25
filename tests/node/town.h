#pragma once

// A node with real channels, a real ledger, and a topology and fleet made by hand; and an agent's
// end of a channel, frame by frame.
#include "adapters/channel/frame_codec.h"
#include "adapters/ledger/sqlite/sqlite_ledger.h"
#include "adapters/net/connect.h"
#include "adapters/net/http/server.h"
#include "adapters/pki/agent_proof.h"
#include "adapters/pki/authority.h"
#include "ports/deadline.h"
#include "roles/cluster/ledger_schema.h"
#include "roles/fleet/system_row.h"
#include "roles/node/channel_host.h"
#include "runtime/clock.h"
#include "runtime/task_group.h"
#include "tests/harness/real_world.h"
#include "tests/harness/temporary_directory.h"

#include <boost/asio/this_coro.hpp>
#include <doctest/doctest.h>

#include <array>
#include <functional>
#include <memory>
#include <string>

namespace muster::node::test {

namespace asio = boost::asio;
using namespace std::chrono_literals;
using muster::channel::Frame;

inline constexpr auto patience = 10s;

// An agent's end of a channel, frame by frame.
class agent {
public:
    explicit agent(char seed)
        : key_(pki::private_key::from_ed25519_bytes(std::string(32, seed)).value()) {}

    fingerprint print() const {
        const auto pem = key_.public_half().to_pem();
        return fingerprint::parse(pki::pem_fingerprint(pem)->str()).value();
    }

    async<void> connect(muster::clock* time, net::destination to) {
        CO_TRY(stream_, co_await within(*time, patience, net::connect(std::move(to))));
        time_ = time;
        co_return result<void>();
    }

    async<void> say(Frame frame) {
        auto written = stream_->write(muster::channel::encode(frame));
        co_return co_await within(*time_, patience, std::move(written));
    }

    async<void> hello(std::string facts_digest = {}) {
        CO_TRY(const auto binding, stream_->channel_binding());
        CO_TRY(auto proof, pki::make_agent_proof(key_, binding));
        co_return co_await hello_with(std::move(proof), std::move(facts_digest));
    }

    async<void> hello_with(std::string proof, std::string facts_digest = {}) {
        Frame frame;
        frame.mutable_hello()->set_proof(std::move(proof));
        frame.mutable_hello()->set_version("1");
        frame.mutable_hello()->set_start("one");
        frame.mutable_hello()->set_facts_digest(std::move(facts_digest));
        co_return co_await say(std::move(frame));
    }

    // errc::not_found: the node has hung up.
    async<Frame> hear() {
        while (true) {
            CO_TRY(auto frame, frames_.next());
            if (frame) co_return *std::move(frame);
            auto more = stream_->read_some(buffer_);
            CO_TRY(const auto size, co_await within(*time_, patience, std::move(more)));
            if (size == 0) co_return fail(errc::not_found, "hung up");
            frames_.feed(std::string_view(buffer_.data(), size));
        }
    }

    void hang_up() { stream_->close(); }
    const pki::private_key& key() const { return key_; }
    result<pki::channel_binding> binding() const { return stream_->channel_binding(); }

private:
    pki::private_key key_;
    muster::clock* time_ = nullptr;
    std::unique_ptr<net::stream> stream_;
    muster::channel::frame_reader frames_;
    std::array<char, 4096> buffer_{};
};

// A node of a zone, with everything real but metastore and bus.
struct town {
    harness::temporary_directory home{"channel-host"};
    runtime::system_clock time;
    runtime::logger log{{.level = runtime::log_level::error}};
    runtime::metrics metrics;
    fleet::fleet systems;
    cluster::topology_cell topology;
    cluster::lease_guard lease;
    std::unique_ptr<ledger> records;
    dispatch::task_inbox tasks;
    dispatch::onlookers watching{time, [this](system_number to, Frame frame) {
                                     return host->send(to, std::move(frame));
                                 }};
    pki::authority ca = pki::authority::make("test", runtime::system_clock().wall()).value();
    std::unique_ptr<channel_host> host;
    std::unique_ptr<net::http::server> front;
    std::int64_t version = 1;

    explicit town(channel_options how = {}, net::http::limits allowed = {}) {
        records = ledger_sqlite::open({.file = home.path() / "ledger.db"}).value();
        how.sweep_interval = 5ms;
        host = std::make_unique<channel_host>(
            channel_host::surroundings{
                .known = {.systems = systems, .topology = topology, .lease = lease, .time = time},
                .records = *records,
                .tasks = tasks,
                .watching = watching,
                .log = log,
                .counted = metrics},
            channel_host::options{
                .own = {.name = "alpha", .instance = "i1"},
                .channels = how,
                .facts = {.gather_time = 1ms}});
        systems.watch([this](std::span<const fleet::change> changes) { host->heard_of(changes); });
        systems.begin_reading();
        systems.end_reading();
        hold_lease();
        give_all_slots_to("alpha");
        open(allowed);
    }

    void open(const net::http::limits& allowed) {
        auto own = ca.issue({.name = "localhost", .hosts = {"127.0.0.1"}, .now = time.wall()});
        auto tls =
            net::tls_server::make({.own = *std::move(own), .protocols = {"muster/1", "http/1.1"}});
        net::http::service what{
            .routes = std::make_shared<net::http::router>(), .channels = host->handler()};
        front = net::http::server::start(
                    {.listeners =
                         {{.where = {.host = "127.0.0.1", .port = 0},
                           .tls = std::make_shared<net::rotating_tls_server>(*std::move(tls)),
                           .what = std::move(what)}},
                     .time = &time,
                     .allowed = allowed,
                     .loops = 2})
                    .value();
    }

    net::destination where() const {
        auto tls = net::tls_client::make(
            {.trusted = net::trusted_authorities{{ca.certificate()}}, .protocols = {"muster/1"}});
        return {.where = {.host = "127.0.0.1", .port = front->port(0)}, .tls = *std::move(tls)};
    }

    void hold_lease() { lease.confirmed(time.now(), 1h); }

    void give_all_slots_to(
        const std::string& owner, membership::node_state state = membership::node_state::serving) {
        auto next = std::make_shared<cluster::topology>();
        std::int64_t number = 0;
        for (const std::string name : {"alpha", "beta"}) {
            ++number;
            next->nodes[name] = {
                .number = node_number(number),
                .name = name,
                .instance = name == "alpha" ? "i1" : "i2",
                .zone = "default",
                .state = state};
            next->node_names[node_number(number)] = name;
            next->servers[name] = {.name = name, .address = name + ".acme.org:8443"};
        }
        std::vector<placement::move> moves;
        const node_number to(owner == "alpha" ? 1 : 2);
        for (std::size_t n = 0; n < slot::count; ++n)
            moves.push_back({.what = slot(n), .from = node_number(), .to = to});
        next->slots["default"] =
            std::make_shared<placement::slot_table>(placement::slot_table().after(moves).value());
        topology.publish(std::move(next));
    }

    void record(const agent& who, enrolment stage, std::int64_t number) {
        system_record row{
            .print = who.print(),
            .name = "web1",
            .stage = stage,
            .number = system_number(number),
            .zone = "default",
            .version = stage == enrolment::deleted ? version_of_deleted : ++version};
        systems.apply(std::span(&row, 1));
    }
};

// Runs a scenario beside the host's own work.
inline asio::awaitable<void> play(
    town* all, std::function<async<void>()> scenario, result<void>* end) {
    runtime::task_group tasks(
        co_await asio::this_coro::executor,
        [](const std::string& task, std::exception_ptr) { FAIL("a task failed: " << task); });
    const auto migrated = co_await all->records->migrate(cluster::ledger_schema());
    CHECK(migrated.has_value());
    tasks.spawn("sweep", all->host->run());
    tasks.spawn("facts", all->host->keep_facts());
    *end = co_await scenario();
    ignore_error(co_await all->front->drain(1s), "the scenario is over");
    tasks.cancel();
    co_await tasks.join();
}

inline void play(town& all, std::function<async<void>()> scenario) {
    harness::real_world world;
    result<void> end;
    world.run(play(&all, std::move(scenario), &end));
    INFO((end ? "" : to_string(end.error())));
    CHECK(end.has_value());
}

inline async<Frame> attach(town* all, agent* who) {
    CO_CHECK_OK(co_await who->connect(&all->time, all->where()));
    CO_CHECK_OK(co_await who->hello());
    co_return co_await who->hear();
}

}  // namespace muster::node::test
