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
using lifecycle::agent_life_options;
using lifecycle::agent_state_machine;
using lifecycle::channel_ending;
using lifecycle::enrol;

namespace {

constexpr std::size_t start_bytes = 16;
constexpr backoff::options part_pauses{
    .first = std::chrono::seconds(1), .longest = std::chrono::minutes(1)};

prng seeded() {
    std::uint64_t seed = 0;
    const auto bytes = os::random_bytes(sizeof seed);
    std::memcpy(&seed, bytes.data(), sizeof seed);
    return prng(seed);
}

// Facts and their digest as they are sent; a record that cannot be read is as good as none.
session::digested_facts taken_facts(const journal& journal) {
    const auto it = journal.records().find(taken_facts_record);
    if (it == journal.records().end()) return {};
    auto all = parse_canonical_form(it->second);
    if (!all) return {};
    return {.all = *std::move(all), .digest = pki::sha256(it->second)};
}

session::digested_facts digested(const facts& all) {
    return {.all = all, .digest = pki::sha256(canonical_form(all))};
}

// A machine is one system: a second key of it takes the first one's place. Agents that run beside
// the machine's own, each with a data directory of its own, are systems of their own.
std::string machine_of(const std::string& machine_id, const std::filesystem::path& data) {
    if (machine_id.empty() || data == std::filesystem::path(data_default)) return machine_id;
    constexpr std::size_t digits = 32;
    const auto where = std::filesystem::absolute(data).lexically_normal().string();
    return to_hex(pki::sha256(machine_id + where)).substr(0, digits);
}

std::string text_fact(const facts& all, const std::string& path) {
    const auto it = all.find(path);
    if (it == all.end() || it->second.size() < 2) return {};
    return it->second.substr(1, it->second.size() - 2);
}

agent_life_options life_options(const agent_options& options) {
    return {
        .entries = options.entries.size(),
        .poll = options.poll,
        .pause = {.first = std::chrono::milliseconds(500), .longest = options.retry_max}};
}

}  // namespace

daemon::daemon(agent_options options, agent_resources own, dependencies deps)
    : options_(std::move(options)),
      own_(std::move(own)),
      deps_(std::move(deps)),
      life_(*this, life_options(options_), seeded()),
      timer_(deps_.clock),
      entry_({.tls = own_.entry_tls, .proxy = options_.proxy}, own_.self, deps_.clock),
      facts_(taken_facts(*own_.kept)),
      start_(to_hex(os::random_bytes(start_bytes))),
      scenario_(options_.state_action_runner, deps_.log, deps_.clock, seeded()),
      packages_(options_.packages, package_dependencies(), *this),
      work_(options_.tasks, task_dependencies(), *this),
      tasks_(deps_.loop, [this](const std::string& task, std::exception_ptr thrown) {
          deps_.log.error(
              "a part of the agent failed", {{"part", task}, {"error", text_of(thrown)}});
      }) {
    packages_.remember(facts_.taken().all);
    take_survey();
    if (options_.name.empty()) options_.name = text_fact(present_, "fqdn");
    if (options_.name.empty()) options_.name = own_.self.print.str();
    status_ = {
        .fingerprint = own_.self.print.str(),
        .name = options_.name,
        .state = "starting",
        .since = deps_.clock.wall()};
}

package_reporter::dependencies daemon::package_dependencies() const {
    return {.log = deps_.log, .clock = deps_.clock, .tls = own_.entry_tls, .self = own_.self};
}

task_manager::dependencies daemon::task_dependencies() {
    return {
        .kept = *own_.kept,
        .payloads = *own_.payloads,
        .inventory = *this,
        .clock = deps_.clock,
        .loop = deps_.loop};
}

void daemon::restart_needed() {
    wants_restart_ = true;
    over_.ring();
}

asio::awaitable<void> daemon::run() {
    deps_.log.info(
        "started",
        {{"version", MUSTER_VERSION},
         {"name", options_.name},
         {"fingerprint", own_.self.print.str()},
         {"entry", options_.entries.front()}});
    if (own_.kept->dropped_bytes() > 0) {
        deps_.log.warning(
            "the end of the journal was torn off by a crash and is dropped",
            {{"bytes", own_.kept->dropped_bytes()}});
    }
    deps_.systemd.ready("knocking");
    spawn_lasting("scenario", [this] { return scenario_.run(); });
    spawn_lasting("survey", [this] { return survey_again(); });
    spawn_lasting("packages", [this] { return packages_.run(); });
    spawn_lasting("watchdog", [this] { return feed_watchdog(); });
    spawn_lasting("tasks", [this] { return work_.run(); });
    spawn_lasting("output", [this] { return work_.show_output(); });
    if (options_.stay > options_.stay.zero())
        spawn_lasting("visit", [this] { return leave_when_idle(); });
    life_.feed(&agent_state_machine::start);
    spawn_lasting("life", [this] { return timer_.run(this); });
    const auto ended = co_await over_.wait();
    ignore_error(ended, "either way it is over");
    deps_.systemd.stopping("stopping");
    co_await work_.stop();
    if (channel_) channel_->close();
    tasks_.cancel();
    co_await tasks_.join();
    if (life_->ended()) {
        co_await end_for_ever();
    } else {
        status_.state = "stopped";
        status_.node.clear();
        status_.since = deps_.clock.wall();
        status_.next_attempt.reset();
        note_status();
    }
    deps_.log.info("ended", {{"state", status_.state}});
}

void daemon::spawn_lasting(std::string name, std::function<asio::awaitable<void>()> make) {
    lasting_part part{.name = name, .make = std::move(make)};
    tasks_.spawn(
        std::move(name),
        run_with_restart(std::move(part), backoff(part_pauses, seeded()), deps_.clock, deps_.log));
}

void daemon::stop() {
    over_.ring();
}

void daemon::look_again() {
    survey_wanted_.ring();
}

void daemon::deadline_due() {
    life_.feed(&agent_state_machine::expire);
}

void daemon::settled() {
    const auto next = life_->next_deadline();
    timer_.rearm(next);
    std::optional<wall_time> attempt;
    if (next) attempt = deps_.clock.wall() + std::chrono::floor<wall_time::duration>(*next - now());
    // A poll of a system that waits to be accepted is not worth a write.
    const bool news =
        std::exchange(status_changed_, false) || (attempt && !status_.last_error.empty());
    status_.next_attempt = attempt;
    if (news) note_status();
}

void daemon::execute(const enrol& effect) {
    enrolment_form form{
        .name = options_.name,
        .machine_id = machine_of(text_fact(present_, "machine_id"), options_.data),
        .all = present_,
        .activation_key = options_.activation_key,
        .token = options_.token};
    deps_.log.info("enrols", {{"entry", options_.entries.at(effect.entry)}});
    tasks_.spawn("enrol", ask(entry_.enrol(options_.entries.at(effect.entry), std::move(form))));
}

asio::awaitable<void> daemon::ask(asio::awaitable<entry_answer> question) {
    entry_answer message = no_response{};
    std::exception_ptr thrown;
    try {
        message = co_await std::move(question);
    } catch (...) {
        thrown = std::current_exception();
    }
    const auto request = co_await asio::this_coro::cancellation_state;
    if (request.cancelled() != asio::cancellation_type::none) co_return;
    if (thrown) message = no_response{.why = text_of(thrown)};
    take(message);
}

void daemon::take(const entry_answer& entry_answer) {
    if (const auto* state = std::get_if<state_response>(&entry_answer)) {
        status_.last_error.clear();
        life_.feed(&agent_state_machine::told, state->state);
    } else if (const auto* place = std::get_if<placement_response>(&entry_answer)) {
        status_.last_error.clear();
        life_.feed(&agent_state_machine::placed, place->address);
    } else if (const auto* wait = std::get_if<retry_response>(&entry_answer)) {
        life_.feed(&agent_state_machine::unplaced, wait->retry_after);
    } else if (std::holds_alternative<told_not_accepted>(entry_answer)) {
        life_.feed(&agent_state_machine::not_accepted);
    } else {
        const auto& nothing = std::get<no_response>(entry_answer);
        say_trouble(nothing.why);
        life_.feed(&agent_state_machine::failed, nothing.retry_after);
    }
}

asio::awaitable<void> daemon::hold(std::shared_ptr<node_connection> channel, std::string address) {
    session::channel_over ending{.why = session::reason::broken};
    std::exception_ptr thrown;
    try {
        ending = co_await channel->run();
    } catch (...) {
        thrown = std::current_exception();
    }
    const auto request = co_await asio::this_coro::cancellation_state;
    if (request.cancelled() != asio::cancellation_type::none) co_return;
    if (thrown) deps_.log.error("the channel failed", {{"error", text_of(thrown)}});
    if (channel != channel_) co_return;  // closed by ourselves
    channel_.reset();
    channel_lost();
    const bool stood = life_->attached();
    status_.node.clear();
    say_trouble(fmt::format(
        "the channel to {} {}: {}{}{}",
        address,
        stood ? "ended" : "was not opened",
        to_string(ending.why),
        channel->trouble().empty() ? "" : ": ",
        channel->trouble()));
    const bool usable = net::parse_endpoint(ending.address).has_value();
    const channel_ending channel_ending{
        .why = ending.why,
        .address = usable ? ending.address : "",
        .retry_after = ending.retry_after};
    life_.feed(&agent_state_machine::channel_ended, channel_ending);
}

void daemon::attached(const attachment& attachment) {
    deps_.log.info("is attached", {{"node", attachment.node}, {"system", attachment.system}});
    entry_.close_connection();
    status_.last_error.clear();
    life_.feed(&agent_state_machine::welcomed);
    status_.node = to_string(channel_->where());
    note_status();
    work_.attached(channel_);
    if (const auto message = facts_.attached(attachment.facts_wanted)) channel_->send(*message);
    packages_.attached();
}

void daemon::facts_answered(const std::string& digest, bool desired) {
    const auto answer = facts_.answered(digest, desired);
    if (answer.newly_taken) {
        const auto stored = own_.kept->put(taken_facts_record, canonical_form(facts_.taken().all));
        if (!stored) deps_.log.warning("the journal failed", {{"error", stored.error().detail()}});
    }
    if (answer.next && channel_) channel_->send(*answer.next);
}

void daemon::take_survey() {
    auto match = survey(options_.survey);
    for (const auto& problem : match.problems)
        deps_.log.warning("a fact is left out", {{"problem", problem}});
    present_ = std::move(match.all);
    for (const auto& [path, text] : packages_.known()) present_.insert_or_assign(path, text);
    const auto message = facts_.surveyed(digested(present_));
    if (message && channel_) channel_->send(*message);
}

asio::awaitable<void> daemon::survey_again() {
    while (true) {
        const auto request =
            co_await within(deps_.clock, options_.survey_interval, survey_wanted_.wait());
        if (!request && request.error().code() == errc::cancelled) co_return;
        take_survey();
    }
}

asio::awaitable<void> daemon::feed_watchdog() {
    const auto interval = deps_.systemd.watchdog_interval();
    while (interval) {
        deps_.systemd.alive();
        const auto slept = co_await deps_.clock.sleep_for(*interval);
        if (!slept) co_return;
    }
}

// The mark comes last: an agent that dies before it is told once more, and does it all again.
asio::awaitable<void> daemon::end_for_ever() {
    co_await scenario_.finish(system_state::deleted);
    const auto mark = fmt::format(
        "This system was deleted from the cluster (told {}). The agent does not start any more.\n",
        iso_time(deps_.clock.wall(), iso_precision::milliseconds));
    const auto saved = os::save_file({.file = own_.home->file(deleted_file), .text = mark});
    if (!saved) deps_.log.error("cannot keep the mark", {{"error", saved.error().detail()}});
    note_status();
    deps_.log.warning(
        "this system was deleted from the cluster: the agent stops for ever",
        {{"mark", own_.home->file(deleted_file).string()}});
}

void daemon::say_trouble(const std::string& text) {
    if (text != status_.last_error) deps_.log.warning(text);
    status_.last_error = text;
}

void daemon::note_status() {
    const auto written = write_status(own_.home->file(status_file), status_);
    if (!written) deps_.log.warning(written.error().detail());
}

}  // namespace muster::agent
