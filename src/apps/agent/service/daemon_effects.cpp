// What the agent's life wants done, done.
#include "apps/agent/service/daemon.h"
#include "base/assert.h"

#include <fmt/format.h>

#include <utility>

namespace muster::agent {

using lifecycle::ask_place;
using lifecycle::close_channel;
using lifecycle::enter_state;
using lifecycle::open_channel;
using lifecycle::request_status;
using lifecycle::stop_for_ever;

void daemon::execute(const request_status& effect) {
    tasks_.spawn("knock", ask(entry_.knock(options_.entries.at(effect.entry))));
}

void daemon::execute(const ask_place& effect) {
    tasks_.spawn("place", ask(entry_.ask_place(options_.entries.at(effect.entry))));
}

void daemon::execute(const open_channel& effect) {
    const auto where = net::parse_endpoint(effect.address);
    MUSTER_ASSERT(where.has_value());  // no other address gets as far as the life
    node_connection::terms terms{
        .where = *where,
        .tls = own_.channel_tls,
        .proxy = options_.proxy,
        .key = own_.self.key,
        .start = start_,
        .facts_digest = facts_.taken_digest()};
    node_connection_listener& listener = *this;
    channel_ = std::make_shared<node_connection>(std::move(terms), listener, deps_.clock);
    tasks_.spawn("channel", hold(channel_, effect.address));
}

void daemon::node_fenced() {
    life_.feed(&lifecycle::agent_state_machine::fenced);
}

void daemon::measured(const session::round_trips& round_trips) {
    const auto milliseconds = [](monotonic::duration span) {
        return fmt::format("{:.1f}", std::chrono::duration<double, std::milli>(span).count());
    };
    deps_.log.info(
        "measured the network to its node",
        {{"beats", static_cast<std::int64_t>(round_trips.count)},
         {"least_ms", milliseconds(round_trips.least)},
         {"most_ms", milliseconds(round_trips.most)},
         {"last_ms", milliseconds(round_trips.last)}});
    status_.round_trip = fmt::format(
        "{} to {} ms over {} beats",
        milliseconds(round_trips.least),
        milliseconds(round_trips.most),
        round_trips.count);
    note_status();
}

void daemon::execute(const close_channel& /*effect*/) {
    channel_lost();
    if (channel_) std::exchange(channel_, nullptr)->close();
}

void daemon::channel_lost() {
    facts_.channel_lost();
    work_.channel_lost();
    packages_.channel_lost();
}

void daemon::execute(const enter_state& effect) {
    deps_.log.info(
        "is told its state", {{"state", to_string(effect.state)}, {"node", effect.address}});
    status_.state = to_string(effect.state);
    status_.node = effect.address;
    status_.since = deps_.clock.wall();
    deps_.systemd.status(
        effect.address.empty() ? status_.state : status_.state + " at " + effect.address);
    if (effect.state == system_state::deleted) return;  // its scenario is the last thing done
    const auto where = net::parse_endpoint(effect.address);
    scenario_.want(effect.state, where ? where->host : "");
}

void daemon::execute(const stop_for_ever& /*effect*/) {
    over_.ring();
}

}  // namespace muster::agent
