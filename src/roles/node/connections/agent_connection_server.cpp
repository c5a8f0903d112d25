#include "roles/node/connections/agent_connection_server.h"

#include "roles/node/connections/frames.h"

#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>

#include <algorithm>
#include <utility>

namespace muster::node {

namespace asio = boost::asio;
using session::reason;

agent_connection_server::agent_connection_server(dependencies deps, options options)
    : deps_(deps),
      options_(std::move(options)),
      locator_(deps.locator, options_.own),
      facts_(
          {.ledger = deps.ledger,
           .clock = deps.locator.clock,
           .log = deps.log,
           .counters = counters_,
           .channels = *this},
          options_.facts),
      limiter_({.options = options_.channels, .attached = attached_, .clock = deps.locator.clock}),
      observers_(deps.locator.clock, *this) {
    observers_.output().export_to(deps.metrics);
    export_metrics(deps.metrics);
}

net::http::channel_handler agent_connection_server::handler() {
    return [this](net::http::channel channel) {
        return serve(std::move(channel));
    };
}

asio::awaitable<void> agent_connection_server::serve(net::http::channel channel) {
    const auto executor = co_await asio::this_coro::executor;
    const auto loop = loops_.get_or_create(executor, shared());
    agent_connection agent_connection(*loop, std::move(channel));
    co_await agent_connection.run();
}

shared_connection_state agent_connection_server::shared() {
    return {
        .options = options_.channels,
        .locator = locator_,
        .attached = attached_,
        .facts = facts_,
        .tasks = deps_.tasks,
        .observers = observers_,
        .counters = counters_,
        .limiter = limiter_,
        .loops = loops_};
}

bool agent_connection_server::is_current(connection_id channel, const fingerprint& print) {
    return attached_.find(locator_.find(print).context.number) == channel;
}

bool agent_connection_server::is_fenced() {
    return locator_.is_fenced();
}

void agent_connection_server::close_all() {
    const session::refusal refusal{
        .why = reason::orphan, .address = {}, .retry_after = options_.channels.waits.orphan};
    for (const auto& loop : loops_.all())
        asio::post(loop->executor(), [loop, refusal] { loop->close_all(refusal); });
}

void agent_connection_server::respond(connection_id channel, const std::string& digest) {
    const auto loop = loops_.at(channel.loop);
    asio::post(loop->executor(), [loop, channel, digest] {
        agent_connection* const connection = loop->find(channel.number);
        if (connection == nullptr) return;
        connection->send(digest.empty() ? facts_wanted_frame() : facts_taken_frame(digest));
    });
}

void agent_connection_server::send(std::vector<dispatch::outgoing> frames) {
    std::map<std::size_t, std::vector<dispatch::outgoing>> by_loop;
    for (auto& frame : frames) by_loop[frame.to.loop].push_back(std::move(frame));
    for (auto& [index, loop_frames] : by_loop) {
        const auto loop = loops_.at(index);
        asio::post(loop->executor(), [loop, frames_of_loop = std::move(loop_frames)] {
            for (const auto& frame : frames_of_loop)
                if (agent_connection* const connection = loop->find(frame.to.number))
                    connection->send(frame.frame);
        });
    }
}

bool agent_connection_server::send(system_number system, muster::agent_protocol::Frame frame) {
    const auto connection = attached_.find(system);
    if (!connection) return false;
    std::vector<dispatch::outgoing> frames;
    frames.push_back({.to = *connection, .frame = std::move(frame)});
    send(std::move(frames));
    return true;
}

void agent_connection_server::on_systems_changed(std::span<const fleet::change> changes) {
    for (const auto& change : changes)
        if (fleet::must_leave_node(change)) release(change.after.print, change.before->number);
}

// Decides on the connection's own loop, with the records at that time.
void agent_connection_server::release(const fingerprint& print, system_number number) {
    const auto connection_id = attached_.find(number);
    if (!connection_id) return;
    const auto loop = loops_.at(connection_id->loop);
    asio::post(loop->executor(), [this, loop, connection_id = *connection_id, print] {
        agent_connection* const connection = loop->find(connection_id.number);
        if (connection == nullptr || connection->print() != print) return;
        auto found = locator_.find(print);
        found.context.released = true;
        if (auto reason = session::reconsider(found.context, options_.channels.waits))
            connection->close(*std::move(reason));
    });
}

asio::awaitable<void> agent_connection_server::run() {
    while (true) {
        const auto now = deps_.locator.clock.now();
        for (const auto& loop : loops_.all())
            asio::post(loop->executor(), [loop, now] { loop->sweep(now); });
        const auto slept = co_await deps_.locator.clock.sleep_for(options_.channels.sweep_interval);
        if (!slept) co_return;
    }
}

void agent_connection_server::export_metrics(runtime::metrics& metrics) {
    metrics.watch_gauge(
        {"muster_agents_attached", "Number of agents attached to this node."},
        [this] { return static_cast<double>(attached_.size()); });
    metrics.watch_gauge(
        {"muster_agents_fenced",
         "Fencing of this node because of an uncertain lease: 1 if fenced, 0 otherwise."},
        [this] { return locator_.is_fenced() ? 1.0 : 0.0; });
    const auto total = [&metrics](
                           const std::string& name, const std::string& help, const auto& counter) {
        metrics.watch_counter(
            {name, help}, [&counter] { return static_cast<double>(counter.load()); });
    };
    total(
        "muster_agent_attaches_total",
        "Total number of agents attached since start.",
        counters_.attaches);
    total(
        "muster_agent_heartbeats_total",
        "Total number of agent heartbeats answered since start.",
        counters_.beats);
    total(
        "muster_facts_accepted_total",
        "Total number of facts reports stored since start.",
        counters_.facts_taken);
    total(
        "muster_facts_refused_total",
        "Total number of invalid facts reports since start.",
        counters_.facts_refused);
    total(
        "muster_facts_deferred_total",
        "Total number of facts reports deferred since start because the queue was full.",
        counters_.facts_deferred);
    constexpr std::array all_reasons{
        reason::moved,
        reason::orphan,
        reason::fresh,
        reason::deleted,
        reason::busy,
        reason::denied,
        reason::stopping,
        reason::replaced,
        reason::closed,
        reason::broken,
        reason::silent,
        reason::malformed};
    for (const auto why : all_reasons) {
        const std::string name(session::to_string(why));
        metrics.watch_counter(
            {"muster_agent_attach_refusals_total",
             "Total number of refused attaches since start, by reason.",
             {{"reason", name}}},
            [this, why] {
                return static_cast<double>(
                    agent_connection_counters::of(counters_.refusals, why).load());
            });
        metrics.watch_counter(
            {"muster_agent_detaches_total",
             "Total number of ended agent connections since start, by reason.",
             {{"reason", name}}},
            [this, why] {
                return static_cast<double>(
                    agent_connection_counters::of(counters_.detaches, why).load());
            });
    }
}

}  // namespace muster::node
