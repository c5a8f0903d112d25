// Effects of the agent's state machine.
#include "apps/agent/service/daemon.h"
#include "base/assert.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

namespace muster::agent {

using lifecycle::close_connection;
using lifecycle::enter_state;
using lifecycle::open_connection;
using lifecycle::request_placement;
using lifecycle::request_status;
using lifecycle::stop_permanently;

void daemon::execute(const request_status& effect) {
    parts_.spawn(
        "knock", handle_response(gateway_.request_status(options_.entries.at(effect.entry))));
}

void daemon::execute(const request_placement& effect) {
    parts_.spawn(
        "place", handle_response(gateway_.request_placement(options_.entries.at(effect.entry))));
}

void daemon::execute(const open_connection& effect) {
    const auto address = net::parse_endpoint(effect.address);
    MUSTER_ASSERT(address.has_value());  // the state machine gets valid addresses only
    node_connection::options options{
        .address = *address,
        .tls = resources_.channel_tls,
        .proxy = options_.proxy,
        .key = resources_.identity.key,
        .start = start_id_,
        .facts_digest = facts_.acknowledged_digest()};
    node_connection_listener& listener = *this;
    connection_ = std::make_shared<node_connection>(std::move(options), listener, deps_.clock);
    parts_.spawn("channel", run_connection(connection_, effect.address));
}

void daemon::node_fenced() {
    life_cycle_.feed(&lifecycle::agent_state_machine::on_node_fenced);
}

void daemon::measured(const session::round_trips& round_trips) {
    const auto milliseconds = [](monotonic::duration duration) {
        const std::chrono::duration<double, std::milli> exact(duration);
        return std::round(exact.count() * 10) / 10;
    };
    deps_.log.info(
        "node round trips measured",
        {{"heartbeats", static_cast<std::int64_t>(round_trips.count)},
         {"min_ms", milliseconds(round_trips.shortest)},
         {"max_ms", milliseconds(round_trips.longest)},
         {"last_ms", milliseconds(round_trips.last)}});
    status_.round_trip = fmt::format(
        "{:.1f} to {:.1f} ms over {} heartbeats",
        milliseconds(round_trips.shortest),
        milliseconds(round_trips.longest),
        round_trips.count);
    write_status_file();
}

void daemon::execute(const close_connection& /*effect*/) {
    channel_lost();
    if (connection_) std::exchange(connection_, nullptr)->close();
}

void daemon::channel_lost() {
    facts_.on_detached();
    tasks_.channel_lost();
    packages_.channel_lost();
}

void daemon::execute(const enter_state& effect) {
    deps_.log.info(
        "state received", {{"state", to_string(effect.state)}, {"node", effect.address}});
    status_.state = to_string(effect.state);
    status_.node = effect.address;
    status_.since = deps_.clock.wall();
    deps_.systemd.status(
        effect.address.empty() ? status_.state : status_.state + " at " + effect.address);
    if (effect.state == system_state::deleted) return;  // its actions run at the very end
    const auto address = net::parse_endpoint(effect.address);
    state_actions_.set_state(effect.state, address ? address->host : "");
}

void daemon::execute(const stop_permanently& /*effect*/) {
    stopped_.notify();
}

}  // namespace muster::agent
