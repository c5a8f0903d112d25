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
      known_(deps.known, options_.own),
      facts_(
          {.ledger = deps.ledger,
           .clock = deps.known.clock,
           .log = deps.log,
           .counted = counted_,
           .channels = *this},
          options_.facts),
      gate_({.how = options_.channels, .attached = attached_, .clock = deps.known.clock}),
      observers_(deps.known.clock, *this) {
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
    const auto loop = loops_.of(executor, shared());
    agent_connection agent_connection(*loop, std::move(channel));
    co_await agent_connection.run();
}

shared_connection_state agent_connection_server::shared() {
    return {
        .how = options_.channels,
        .known = known_,
        .attached = attached_,
        .facts = facts_,
        .tasks = deps_.tasks,
        .watching = observers_,
        .counted = counted_,
        .gate = gate_,
        .loops = loops_};
}

bool agent_connection_server::holds(channel_id channel, const fingerprint& print) {
    return attached_.find(known_.look_up(print).now.number) == channel;
}

bool agent_connection_server::fenced() {
    return known_.fenced();
}

void agent_connection_server::let_go_of_all() {
    const session::refusal why{
        .why = reason::orphan, .address = {}, .retry_after = options_.channels.waits.orphan};
    for (const auto& loop : loops_.all())
        asio::post(loop->executor(), [loop, why] { loop->let_go_of_all(why); });
}

void agent_connection_server::answer(channel_id channel, const std::string& digest) {
    const auto loop = loops_.at(channel.loop);
    asio::post(loop->executor(), [loop, channel, digest] {
        agent_connection* const one = loop->find(channel.number);
        if (one == nullptr) return;
        one->send(digest.empty() ? facts_wanted_frame() : facts_taken_frame(digest));
    });
}

void agent_connection_server::send(std::vector<dispatch::outgoing> frames) {
    std::map<std::size_t, std::vector<dispatch::outgoing>> by_loop;
    for (auto& frame : frames) by_loop[frame.to.loop].push_back(std::move(frame));
    for (auto& [index, some] : by_loop) {
        const auto loop = loops_.at(index);
        asio::post(loop->executor(), [loop, frames_of_loop = std::move(some)] {
            for (const auto& each : frames_of_loop)
                if (agent_connection* const one = loop->find(each.to.number)) one->send(each.frame);
        });
    }
}

bool agent_connection_server::send(system_number to, muster::agent_protocol::Frame frame) {
    const auto over = attached_.find(to);
    if (!over) return false;
    std::vector<dispatch::outgoing> outgoings;
    outgoings.push_back({.to = *over, .frame = std::move(frame)});
    send(std::move(outgoings));
    return true;
}

void agent_connection_server::heard_of(std::span<const fleet::change> changes) {
    for (const auto& change : changes)
        if (fleet::must_leave_node(change)) release(change.after.print, change.before->number);
}

// It is judged on its own loop, by what is known then.
void agent_connection_server::release(const fingerprint& print, system_number number) {
    const auto which = attached_.find(number);
    if (!which) return;
    const auto loop = loops_.at(which->loop);
    asio::post(loop->executor(), [this, loop, which = *which, print] {
        agent_connection* const one = loop->find(which.number);
        if (one == nullptr || one->print() != print) return;
        auto match = known_.look_up(print);
        match.now.released = true;
        if (auto why = session::reconsider(match.now, options_.channels.waits))
            one->let_go(*std::move(why));
    });
}

asio::awaitable<void> agent_connection_server::run() {
    while (true) {
        const auto now = deps_.known.clock.now();
        for (const auto& loop : loops_.all())
            asio::post(loop->executor(), [loop, now] { loop->sweep(now); });
        const auto slept = co_await deps_.known.clock.sleep_for(options_.channels.sweep_interval);
        if (!slept) co_return;
    }
}

void agent_connection_server::export_metrics(runtime::metrics& to) {
    to.watch_gauge({"muster_channels_attached", "Agents attached to this node."}, [this] {
        return static_cast<double>(attached_.size());
    });
    to.watch_gauge(
        {"muster_channels_fenced", "Whether this node's lease is not sure: it does nothing then."},
        [this] { return known_.fenced() ? 1.0 : 0.0; });
    const auto total = [&to](const std::string& name, const std::string& help, const auto& of) {
        to.watch_counter({name, help}, [&of] { return static_cast<double>(of.load()); });
    };
    total("muster_channel_attaches_total", "Agents taken in.", counted_.attaches);
    total("muster_channel_beats_total", "Beats answered.", counted_.beats);
    total("muster_facts_taken_total", "Facts brought on record.", counted_.facts_taken);
    total("muster_facts_refused_total", "Facts that were not sound.", counted_.facts_refused);
    total(
        "muster_facts_deferred_total",
        "Facts put off because too many were waiting.",
        counted_.facts_deferred);
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
        to.watch_counter(
            {"muster_channel_refusals_total", "Agents refused.", {{"reason", name}}}, [this, why] {
                return static_cast<double>(
                    agent_connection_counters::of(counted_.refusals, why).load());
            });
        to.watch_counter(
            {"muster_channel_detaches_total", "Channels that ended.", {{"reason", name}}},
            [this, why] {
                return static_cast<double>(
                    agent_connection_counters::of(counted_.detaches, why).load());
            });
    }
}

}  // namespace muster::node
