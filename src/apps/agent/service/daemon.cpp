#include "apps/agent/service/daemon.h"

#include "adapters/os/file.h"
#include "adapters/os/random.h"
#include "adapters/pki/fingerprint.h"
#include "apps/agent/service/restarting_task.h"
#include "base/hex.h"
#include "base/iso_time.h"
#include "ports/deadline.h"

#include <boost/asio/this_coro.hpp>
#include <fmt/format.h>

#include <cstring>
#include <exception>
#include <filesystem>
#include <utility>

namespace muster::agent {

namespace asio = boost::asio;
using lifecycle::agent_machine_options;
using lifecycle::agent_state_machine;
using lifecycle::connection_end;
using lifecycle::enrol;

namespace {

constexpr std::size_t start_bytes = 16;
constexpr backoff::options restart_pauses{
    .first = std::chrono::seconds(1), .longest = std::chrono::minutes(1)};

prng create_prng() {
    std::uint64_t seed = 0;
    const auto bytes = os::random_bytes(sizeof seed);
    std::memcpy(&seed, bytes.data(), sizeof seed);
    return prng(seed);
}

// The facts that the cluster accepted, with their digest; empty if the record is unreadable.
session::digested_facts load_accepted_facts(const journal& journal) {
    const auto it = journal.records().find(accepted_facts_record);
    if (it == journal.records().end()) return {};
    auto stored = parse_canonical_form(it->second);
    if (!stored) return {};
    return {.all = *std::move(stored), .digest = pki::sha256(it->second)};
}

session::digested_facts add_digest(const facts& facts) {
    return {.all = facts, .digest = pki::sha256(canonical_form(facts))};
}

// The cluster knows one system per machine: a second key replaces the first. Additional agents with
// their own data directory count as separate machines.
std::string derive_machine_id(const std::string& machine_id, const std::filesystem::path& data) {
    if (machine_id.empty() || data == std::filesystem::path(data_default)) return machine_id;
    constexpr std::size_t digits = 32;
    const auto directory = std::filesystem::absolute(data).lexically_normal().string();
    return to_hex(pki::sha256(machine_id + directory)).substr(0, digits);
}

std::string text_fact(const facts& facts, const std::string& path) {
    const auto it = facts.find(path);
    if (it == facts.end() || it->second.size() < 2) return {};
    return it->second.substr(1, it->second.size() - 2);
}

agent_machine_options life_options(const agent_options& options) {
    return {
        .entries = options.entries.size(),
        .poll_interval = options.poll_interval,
        .retry = {.first = std::chrono::milliseconds(500), .longest = options.retry_max}};
}

}  // namespace

daemon::daemon(agent_options options, agent_resources resources, dependencies deps)
    : options_(std::move(options)),
      resources_(std::move(resources)),
      deps_(std::move(deps)),
      life_cycle_(*this, life_options(options_), create_prng()),
      timer_(deps_.clock),
      gateway_(
          {.tls = resources_.entry_tls, .proxy = options_.proxy}, resources_.identity, deps_.clock),
      facts_(load_accepted_facts(*resources_.journal)),
      start_id_(to_hex(os::random_bytes(start_bytes))),
      state_actions_(options_.state_actions, deps_.log, deps_.clock, create_prng()),
      packages_(options_.packages, package_dependencies(), *this),
      tasks_(options_.tasks, task_dependencies(), *this),
      parts_(deps_.loop, [this](const std::string& part, std::exception_ptr exception) {
          deps_.log.error(
              "agent component failed", {{"component", part}, {"error", to_text(exception)}});
      }) {
    packages_.restore(facts_.acknowledged().all);
    refresh_fact_cache();
    if (options_.name.empty()) options_.name = text_fact(present_facts_, "fqdn");
    if (options_.name.empty()) options_.name = resources_.identity.print.str();
    status_ = {
        .fingerprint = resources_.identity.print.str(),
        .name = options_.name,
        .state = "starting",
        .since = deps_.clock.wall()};
}

package_reporter::dependencies daemon::package_dependencies() const {
    return {
        .log = deps_.log,
        .clock = deps_.clock,
        .tls = resources_.entry_tls,
        .identity = resources_.identity};
}

task_manager::dependencies daemon::task_dependencies() {
    return {
        .journal = *resources_.journal,
        .payloads = *resources_.payloads,
        .inventory = *this,
        .clock = deps_.clock,
        .loop = deps_.loop};
}

void daemon::restart_needed() {
    needs_restart_ = true;
    stopped_.notify();
}

asio::awaitable<void> daemon::run() {
    deps_.log.info(
        "agent started",
        {{"version", MUSTER_VERSION},
         {"name", options_.name},
         {"fingerprint", resources_.identity.print.str()},
         {"gateway", options_.entries.front()}});
    if (resources_.journal->dropped_bytes() > 0) {
        deps_.log.warning(
            "incomplete last record of the task journal dropped",
            {{"bytes", resources_.journal->dropped_bytes()}});
    }
    deps_.systemd.ready("connecting");
    spawn_part("state_actions", [this] { return state_actions_.run(); });
    spawn_part("facts", [this] { return collect_facts_loop(); });
    spawn_part("packages", [this] { return packages_.run(); });
    spawn_part("watchdog", [this] { return feed_watchdog(); });
    spawn_part("tasks", [this] { return tasks_.run(); });
    spawn_part("output", [this] { return tasks_.send_live_output(); });
    if (options_.exit_when_idle > options_.exit_when_idle.zero())
        spawn_part("idle_exit", [this] { return stop_when_idle(); });
    life_cycle_.feed(&agent_state_machine::start);
    spawn_part("state_machine", [this] { return timer_.run(this); });
    const auto waited = co_await stopped_.wait();
    ignore_error(waited, "the daemon stops in both cases");
    deps_.systemd.stopping("stopping");
    co_await tasks_.stop();
    if (connection_) connection_->close();
    parts_.cancel();
    co_await parts_.join();
    if (life_cycle_->is_stopped()) {
        co_await finish_deleted();
    } else {
        status_.state = "stopped";
        status_.node.clear();
        status_.since = deps_.clock.wall();
        status_.next_attempt.reset();
        write_status_file();
    }
    deps_.log.info("agent stopped", {{"state", status_.state}});
}

void daemon::spawn_part(std::string name, std::function<asio::awaitable<void>()> create) {
    restarting_part part{.name = name, .create = std::move(create)};
    parts_.spawn(
        std::move(name),
        run_with_restart(
            std::move(part), backoff(restart_pauses, create_prng()), deps_.clock, deps_.log));
}

void daemon::stop() {
    stopped_.notify();
}

void daemon::refresh_facts() {
    facts_requested_.notify();
}

void daemon::deadline_due() {
    life_cycle_.feed(&agent_state_machine::expire);
}

void daemon::settled() {
    const auto deadline = life_cycle_->next_deadline();
    timer_.rearm(deadline);
    std::optional<wall_time> attempt;
    if (deadline)
        attempt = deps_.clock.wall() + std::chrono::floor<wall_time::duration>(*deadline - now());
    // A poll while the system waits for acceptance is not worth a write.
    const bool changed =
        std::exchange(status_changed_, false) || (attempt && !status_.last_error.empty());
    status_.next_attempt = attempt;
    if (changed) write_status_file();
}

void daemon::execute(const enrol& effect) {
    enrolment_form form{
        .name = options_.name,
        .machine_id = derive_machine_id(text_fact(present_facts_, "machine_id"), options_.data),
        .facts = present_facts_,
        .activation_key = options_.activation_key,
        .token = options_.token};
    deps_.log.info("enrolment requested", {{"gateway", options_.entries.at(effect.entry)}});
    parts_.spawn(
        "enrol",
        handle_response(gateway_.enrol(options_.entries.at(effect.entry), std::move(form))));
}

asio::awaitable<void> daemon::handle_response(asio::awaitable<gateway_response> request) {
    gateway_response response = no_response{};
    std::exception_ptr exception;
    try {
        response = co_await std::move(request);
    } catch (...) {
        exception = std::current_exception();
    }
    const auto cancellation = co_await asio::this_coro::cancellation_state;
    if (cancellation.cancelled() != asio::cancellation_type::none) co_return;
    if (exception) response = no_response{.reason = to_text(exception)};
    apply_response(response);
}

void daemon::apply_response(const gateway_response& response) {
    if (const auto* state = std::get_if<state_response>(&response)) {
        status_.last_error.clear();
        life_cycle_.feed(&agent_state_machine::on_state, state->state);
    } else if (const auto* placement = std::get_if<placement_response>(&response)) {
        status_.last_error.clear();
        life_cycle_.feed(&agent_state_machine::on_placement, placement->address);
    } else if (const auto* wait = std::get_if<retry_response>(&response)) {
        life_cycle_.feed(&agent_state_machine::on_no_placement, wait->retry_after);
    } else if (std::holds_alternative<not_accepted_response>(response)) {
        life_cycle_.feed(&agent_state_machine::on_not_accepted);
    } else {
        const auto& failure = std::get<no_response>(response);
        if (record_error(failure.reason))
            deps_.log.warning("gateway request failed", {{"error", failure.reason}});
        life_cycle_.feed(&agent_state_machine::on_request_failed, failure.retry_after);
    }
}

asio::awaitable<void> daemon::run_connection(
    std::shared_ptr<node_connection> connection, std::string address) {
    session::disconnect ending{.why = session::reason::broken};
    std::exception_ptr exception;
    try {
        ending = co_await connection->run();
    } catch (...) {
        exception = std::current_exception();
    }
    const auto cancellation = co_await asio::this_coro::cancellation_state;
    if (cancellation.cancelled() != asio::cancellation_type::none) co_return;
    if (exception)
        deps_.log.error("node connection handler failed", {{"error", to_text(exception)}});
    if (connection != connection_) co_return;  // closed by the daemon
    connection_.reset();
    channel_lost();
    status_.node.clear();
    report_connection_end(address, ending.why, connection->failure());
    const bool usable = net::parse_endpoint(ending.address).has_value();
    const connection_end channel_ending{
        .why = ending.why,
        .address = usable ? ending.address : "",
        .retry_after = ending.retry_after};
    life_cycle_.feed(&agent_state_machine::on_connection_end, channel_ending);
}

void daemon::attached(const attachment& attachment) {
    deps_.log.info("attached to node", {{"node", attachment.node}, {"system", attachment.system}});
    gateway_.close_connection();
    status_.last_error.clear();
    life_cycle_.feed(&agent_state_machine::on_welcome);
    status_.node = to_string(connection_->address());
    write_status_file();
    tasks_.attached(connection_);
    if (const auto message = facts_.on_attached(attachment.facts_wanted))
        connection_->send(*message);
    packages_.attached();
}

void daemon::facts_answered(const std::string& digest, bool wanted) {
    const auto update = facts_.on_response(digest, wanted);
    if (update.newly_acknowledged) {
        const auto stored = resources_.journal->put(
            accepted_facts_record, canonical_form(facts_.acknowledged().all));
        if (!stored)
            deps_.log.warning("task journal write failed", {{"error", stored.error().detail()}});
    }
    if (update.next && connection_) connection_->send(*update.next);
}

void daemon::refresh_fact_cache() {
    auto collected = collect_facts(options_.facts);
    for (const auto& problem : collected.problems)
        deps_.log.warning("some facts not reported", {{"error", problem}});
    present_facts_ = std::move(collected.values);
    for (const auto& [path, text] : packages_.reported_facts())
        present_facts_.insert_or_assign(path, text);
    const auto message = facts_.on_collected(add_digest(present_facts_));
    if (message && connection_) connection_->send(*message);
}

asio::awaitable<void> daemon::collect_facts_loop() {
    while (true) {
        const auto notified =
            co_await within(deps_.clock, options_.facts_interval, facts_requested_.wait());
        if (!notified && notified.error().code() == errc::cancelled) co_return;
        refresh_fact_cache();
    }
}

asio::awaitable<void> daemon::feed_watchdog() {
    const auto interval = deps_.systemd.watchdog_interval();
    while (interval) {
        deps_.systemd.alive();
        const auto waited = co_await deps_.clock.sleep_for(*interval);
        if (!waited) co_return;
    }
}

// Writes the mark last: if the agent dies earlier, its next start repeats these steps.
asio::awaitable<void> daemon::finish_deleted() {
    co_await state_actions_.finish(system_state::deleted);
    const auto text = fmt::format(
        "System deleted from the cluster (notified {}). The agent will not start.\n",
        iso_time(deps_.clock.wall(), iso_precision::milliseconds));
    const auto saved = os::save_file({.file = resources_.home->file(deleted_file), .text = text});
    if (!saved) deps_.log.error("deletion mark write failed", {{"error", saved.error().detail()}});
    write_status_file();
    deps_.log.warning(
        "system deleted from the cluster; agent disabled",
        {{"file", resources_.home->file(deleted_file).string()}});
}

bool daemon::record_error(std::string error) {
    if (error == status_.last_error) return false;
    status_.last_error = std::move(error);
    return true;
}

void daemon::report_connection_end(
    const std::string& node, session::reason reason, const std::string& error) {
    const bool was_attached = life_cycle_->is_attached();
    const auto is_new = record_error(fmt::format(
        "connection to node {} {}: {}{}{}",
        node,
        was_attached ? "lost" : "failed",
        to_string(reason),
        error.empty() ? "" : ": ",
        error));
    if (!is_new) return;
    if (was_attached) {
        deps_.log.warning(
            "node connection lost",
            {{"node", node}, {"reason", to_string(reason)}, {"error", error}});
    } else {
        deps_.log.warning(
            "node connection failed",
            {{"node", node}, {"reason", to_string(reason)}, {"error", error}});
    }
}

void daemon::write_status_file() {
    const auto written = write_status(resources_.home->file(status_file), status_);
    if (!written)
        deps_.log.warning("status file write failed", {{"error", written.error().detail()}});
}

}  // namespace muster::agent
