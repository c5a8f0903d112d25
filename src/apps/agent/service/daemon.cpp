#include "apps/agent/service/daemon.h"

#include "adapters/os/file.h"
#include "adapters/os/random.h"
#include "adapters/pki/fingerprint.h"
#include "apps/agent/service/lasting.h"
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
using lifecycle::agent_life;
using lifecycle::agent_life_options;
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
session::digested_facts taken_facts(const journal& kept) {
    const auto found = kept.records().find(taken_facts_record);
    if (found == kept.records().end()) return {};
    auto all = parse_canonical_form(found->second);
    if (!all) return {};
    return {.all = *std::move(all), .digest = pki::sha256(found->second)};
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
    const auto found = all.find(path);
    if (found == all.end() || found->second.size() < 2) return {};
    return found->second.substr(1, found->second.size() - 2);
}

agent_life_options life_options(const agent_options& how) {
    return {
        .entries = how.entries.size(),
        .poll = how.poll,
        .pause = {.first = std::chrono::milliseconds(500), .longest = how.retry_max}};
}

}  // namespace

daemon::daemon(agent_options how, belongings own, surroundings around)
    : how_(std::move(how)),
      own_(std::move(own)),
      around_(std::move(around)),
      life_(*this, life_options(how_), seeded()),
      timer_(around_.time),
      entry_({.tls = own_.entry_tls, .proxy = how_.proxy}, own_.self, around_.time),
      facts_(taken_facts(*own_.kept)),
      start_(to_hex(os::random_bytes(start_bytes))),
      scenario_(how_.performer, around_.log, around_.time, seeded()),
      packages_(how_.packages, around_packages()),
      work_(how_.tasks, around_tasks()),
      tasks_(around_.loop, [this](const std::string& task, std::exception_ptr thrown) {
          around_.log.error(
              "a part of the agent failed", {{"part", task}, {"error", text_of(thrown)}});
      }) {
    packages_.remember(facts_.taken().all);
    take_survey();
    if (how_.name.empty()) how_.name = text_fact(present_, "fqdn");
    if (how_.name.empty()) how_.name = own_.self.print.str();
    status_ = {
        .fingerprint = own_.self.print.str(),
        .name = how_.name,
        .state = "starting",
        .since = around_.time.wall()};
}

keeper::surroundings daemon::around_tasks() {
    return {
        .kept = *own_.kept,
        .payloads = *own_.payloads,
        .time = around_.time,
        .loop = around_.loop,
        .warn = [this](const std::string& what) { around_.log.warning(what); },
        .survey = [this] { return present_; },
        .restart =
            [this] {
                wants_restart_ = true;
                over_.ring();
            },
        .refresh_packages = [this](package_watch::answer to) { packages_.refresh(std::move(to)); },
        .packages_changed =
            [this] {
                packages_.look();
            }};
}

package_watch::surroundings daemon::around_packages() {
    return {
        .log = around_.log,
        .time = around_.time,
        .tls = own_.entry_tls,
        .self = own_.self,
        .attached = [this] { return life_->attached(); },
        .told =
            [this](const facts&) {
                take_survey();
            }};
}

asio::awaitable<void> daemon::run() {
    around_.log.info(
        "started",
        {{"version", MUSTER_VERSION},
         {"name", how_.name},
         {"fingerprint", own_.self.print.str()},
         {"entry", how_.entries.front()}});
    if (own_.kept->dropped_bytes() > 0) {
        around_.log.warning(
            "the end of the journal was torn off by a crash and is dropped",
            {{"bytes", own_.kept->dropped_bytes()}});
    }
    around_.systemd.ready("knocking");
    spawn_lasting("scenario", [this] { return scenario_.run(); });
    spawn_lasting("survey", [this] { return survey_again(); });
    spawn_lasting("packages", [this] { return packages_.run(); });
    spawn_lasting("watchdog", [this] { return feed_watchdog(); });
    spawn_lasting("tasks", [this] { return work_.run(); });
    spawn_lasting("output", [this] { return work_.show_output(); });
    if (how_.stay > how_.stay.zero()) spawn_lasting("visit", [this] { return leave_when_idle(); });
    life_.feed(&agent_life::start);
    spawn_lasting("life", [this] { return keep_time(); });
    const auto ended = co_await over_.wait();
    ignore_error(ended, "either way it is over");
    around_.systemd.stopping("stopping");
    co_await work_.stop();
    if (channel_) channel_->close();
    tasks_.cancel();
    co_await tasks_.join();
    if (life_->ended()) {
        co_await end_for_ever();
    } else {
        status_.state = "stopped";
        status_.node.clear();
        status_.since = around_.time.wall();
        status_.next_attempt.reset();
        note_status();
    }
    around_.log.info("ended", {{"state", status_.state}});
}

void daemon::spawn_lasting(std::string name, std::function<asio::awaitable<void>()> make) {
    lasting_part part{.name = name, .make = std::move(make)};
    tasks_.spawn(
        std::move(name),
        lasting(std::move(part), backoff(part_pauses, seeded()), around_.time, around_.log));
}

void daemon::stop() {
    over_.ring();
}

void daemon::look_again() {
    survey_wanted_.ring();
}

asio::awaitable<void> daemon::keep_time() {
    return timer_.run(
        {.deadline = [this] { return life_->next_deadline(); },
         .due =
             [this] {
                 life_.feed(&agent_life::expire);
             }});
}

void daemon::settled() {
    const auto next = life_->next_deadline();
    timer_.rearm(next);
    std::optional<wall_time> attempt;
    if (next)
        attempt = around_.time.wall() + std::chrono::floor<wall_time::duration>(*next - now());
    // A poll of a system that waits to be accepted is not worth a write.
    const bool news =
        std::exchange(status_changed_, false) || (attempt && !status_.last_error.empty());
    status_.next_attempt = attempt;
    if (news) note_status();
}

void daemon::execute(const enrol& effect) {
    enrolment_form form{
        .name = how_.name,
        .machine_id = machine_of(text_fact(present_, "machine_id"), how_.data),
        .all = present_,
        .activation_key = how_.activation_key,
        .token = how_.token};
    around_.log.info("enrols", {{"entry", how_.entries.at(effect.entry)}});
    tasks_.spawn("enrol", ask(entry_.enrol(how_.entries.at(effect.entry), std::move(form))));
}

asio::awaitable<void> daemon::ask(asio::awaitable<entry_answer> question) {
    entry_answer said = told_nothing{};
    std::exception_ptr thrown;
    try {
        said = co_await std::move(question);
    } catch (...) {
        thrown = std::current_exception();
    }
    const auto asked = co_await asio::this_coro::cancellation_state;
    if (asked.cancelled() != asio::cancellation_type::none) co_return;
    if (thrown) said = told_nothing{.why = text_of(thrown)};
    take(said);
}

void daemon::take(const entry_answer& said) {
    if (const auto* state = std::get_if<told_state>(&said)) {
        status_.last_error.clear();
        life_.feed(&agent_life::told, state->state);
    } else if (const auto* place = std::get_if<told_place>(&said)) {
        status_.last_error.clear();
        life_.feed(&agent_life::placed, place->address);
    } else if (const auto* wait = std::get_if<told_to_wait>(&said)) {
        life_.feed(&agent_life::unplaced, wait->retry_after);
    } else if (std::holds_alternative<told_not_accepted>(said)) {
        life_.feed(&agent_life::not_accepted);
    } else {
        const auto& nothing = std::get<told_nothing>(said);
        say_trouble(nothing.why);
        life_.feed(&agent_life::failed, nothing.retry_after);
    }
}

asio::awaitable<void> daemon::hold(std::shared_ptr<channel_client> channel, std::string address) {
    session::channel_over ending{.why = session::reason::broken};
    std::exception_ptr thrown;
    try {
        ending = co_await channel->run();
    } catch (...) {
        thrown = std::current_exception();
    }
    const auto asked = co_await asio::this_coro::cancellation_state;
    if (asked.cancelled() != asio::cancellation_type::none) co_return;
    if (thrown) around_.log.error("the channel failed", {{"error", text_of(thrown)}});
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
    const channel_ending how{
        .why = ending.why,
        .address = usable ? ending.address : "",
        .retry_after = ending.retry_after};
    life_.feed(&agent_life::channel_ended, how);
}

void daemon::attached(const attachment& to) {
    around_.log.info("is attached", {{"node", to.node}, {"system", to.system}});
    entry_.hang_up();
    status_.last_error.clear();
    life_.feed(&agent_life::welcomed);
    status_.node = to_string(channel_->where());
    note_status();
    const std::weak_ptr<channel_client> through = channel_;
    work_.attached(
        {.send =
             [through](const agent_protocol::Frame& frame) {
                 if (const auto open = through.lock()) open->send(frame);
             },
         .send_bulk =
             [through](const agent_protocol::Frame& frame) {
                 const auto open = through.lock();
                 return open && open->send_bulk(frame);
             },
         .send_output =
             [through](const agent_protocol::Frame& frame) {
                 const auto open = through.lock();
                 return open && open->send_output(frame);
             }});
    if (const auto message = facts_.attached(to.facts_wanted)) channel_->send(*message);
    packages_.look();
}

void daemon::facts_answered(const std::string& digest, bool wanted) {
    const auto answer = facts_.answered(digest, wanted);
    if (answer.newly_taken) {
        const auto stored = own_.kept->put(taken_facts_record, canonical_form(facts_.taken().all));
        if (!stored)
            around_.log.warning("the journal failed", {{"error", stored.error().detail()}});
    }
    if (answer.next && channel_) channel_->send(*answer.next);
}

void daemon::take_survey() {
    auto found = survey(how_.survey);
    for (const auto& each : found.problems)
        around_.log.warning("a fact is left out", {{"problem", each}});
    present_ = std::move(found.all);
    for (const auto& [path, text] : packages_.known()) present_.insert_or_assign(path, text);
    const auto message = facts_.surveyed(digested(present_));
    if (message && channel_) channel_->send(*message);
}

asio::awaitable<void> daemon::survey_again() {
    while (true) {
        const auto asked =
            co_await within(around_.time, how_.survey_interval, survey_wanted_.wait());
        if (!asked && asked.error().code() == errc::cancelled) co_return;
        take_survey();
    }
}

asio::awaitable<void> daemon::feed_watchdog() {
    const auto interval = around_.systemd.watchdog_interval();
    while (interval) {
        around_.systemd.alive();
        const auto slept = co_await around_.time.sleep_for(*interval);
        if (!slept) co_return;
    }
}

// The mark comes last: an agent that dies before it is told once more, and does it all again.
asio::awaitable<void> daemon::end_for_ever() {
    co_await scenario_.finish(system_state::deleted);
    const auto mark = fmt::format(
        "This system was deleted from the cluster (told {}). The agent does not start any more.\n",
        iso_time(around_.time.wall(), iso_precision::milliseconds));
    const auto saved = os::save_file({.file = own_.home->file(deleted_file), .text = mark});
    if (!saved) around_.log.error("cannot keep the mark", {{"error", saved.error().detail()}});
    note_status();
    around_.log.warning(
        "this system was deleted from the cluster: the agent stops for ever",
        {{"mark", own_.home->file(deleted_file).string()}});
}

void daemon::say_trouble(const std::string& what) {
    if (what != status_.last_error) around_.log.warning(what);
    status_.last_error = what;
}

void daemon::note_status() {
    const auto written = write_status(own_.home->file(status_file), status_);
    if (!written) around_.log.warning(written.error().detail());
}

}  // namespace muster::agent
