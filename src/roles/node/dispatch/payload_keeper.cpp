#include "roles/node/dispatch/payload_keeper.h"

#include "adapters/pki/fingerprint.h"
#include "ports/deadline.h"
#include "roles/node/dispatch/task_frames.h"
#include "services/jobs/payload_text.h"

#include <algorithm>
#include <utility>

namespace muster::dispatch {
namespace {

using namespace std::chrono_literals;
using muster::agent_protocol::Frame;

constexpr auto look_interval = 1s;
static_assert(muster::agent_protocol::task_limits::payload_bytes_max <= jobs::payload_bytes_max);

void name(muster::agent_protocol::TaskName& to, const rollout::attempt_key& task) {
    to.set_job(task.job.value());
    to.set_attempt(task.attempt);
}

// Whether the bytes are what the agent said they are.
bool genuine(const jobs::payload& what) {
    const auto text = jobs::unpack(what);
    return text && pki::sha256(*text) == what.digest;
}

}  // namespace

void payload_keeper::offered(const task_record& task) {
    if (task.digest.empty() || !task.inline_payload.empty()) return;
    const holder who{
        .task = {.job = task.job, .system = system_number(task.system), .attempt = task.attempt},
        .size = task.payload_size};
    const payload_key which(jobs::payload_span(task.job), task.digest);
    if (known_.contains(which)) {
        ++shared_;
        tell_taken(who);
        return;
    }
    if (waiting_.contains(who.task)) return;
    if (waiting_.size() >= how_.waiting_max) {
        ++put_off_;
        return;
    }
    waiting_.insert(who.task);
    if (const auto same = fetches_.find(which); same != fetches_.end()) {
        same->second.holders.push_front(who);
        return;
    }
    offered_.emplace_back(which, who);
    more_.ring();
}

void payload_keeper::tell_taken(const holder& who) {
    Frame frame;
    name(*frame.mutable_payload_taken()->mutable_task(), who.task);
    around_.send(who.task.system, std::move(frame));
}

// For one more, whatever its size.
bool payload_keeper::has_room() const {
    return asked_.size() < how_.fetched_at_once
           && (asked_.size() + 1) * how_.payload_bytes_max <= how_.bytes_max;
}

void payload_keeper::begin_some() {
    while (!unasked_.empty() && has_room()) {
        const auto which = std::move(unasked_.front());
        unasked_.pop_front();
        auto& one = fetches_.at(which);
        asked_[one.holders.back().task] = which;
        ask(one);
    }
}

void payload_keeper::ask(fetch& of) {
    Frame frame;
    auto& wanted = *frame.mutable_payload_wanted();
    name(*wanted.mutable_task(), of.holders.back().task);
    wanted.set_offset(of.content.size());
    wanted.set_size_max(how_.piece_bytes);
    of.until = around_.time.now() + how_.piece_time;
    around_.send(of.holders.back().task.system, std::move(frame));
}

void payload_keeper::take(system_number from, const muster::agent_protocol::PayloadPart& part) {
    const auto asked = asked_.find(key_of(part.task(), from));
    if (asked == asked_.end()) return;
    const auto found = fetches_.find(asked->second);
    auto& one = found->second;
    if (one.complete || part.offset() != one.content.size()) return;  // asked for twice
    const bool fits = one.content.size() + part.content().size() <= how_.payload_bytes_max;
    const bool goes_on = part.last() || !part.content().empty();
    if (part.missing()) return drop_holder(found, "its agent has it no more");
    if (!fits) return drop_holder(found, "it is too large");
    if (!goes_on) return drop_holder(found, "it does not come to an end");
    one.content += part.content();
    if (!part.last()) {
        ask(one);
        return;
    }
    jobs::payload whole{
        .digest = found->first.second,
        .size = one.holders.back().size,
        .content = std::move(one.content)};
    if (!genuine(whole)) return drop_holder(found, "it is not what its agent said it is");
    one.content = std::move(whole.content);
    one.complete = true;
    complete_.push_back(found->first);
    more_.ring();
}

// Nobody is asked for it now: another one is when there is room, or all who had it have lost it.
void payload_keeper::end_asking(fetch_map::iterator which) {
    auto& one = which->second;
    asked_.erase(one.holders.back().task);
    one.holders.pop_back();
    one.content.clear();
    if (!one.holders.empty()) {
        unasked_.push_back(which->first);
        return;
    }
    for (const auto& each : one.losers) lost_.push_back({.which = which->first, .of = each});
    fetches_.erase(which);
}

// This one cannot give it; perhaps another one can.
void payload_keeper::drop_holder(fetch_map::iterator which, std::string_view why) {
    which->second.losers.push_back({.who = which->second.holders.back(), .why = why});
    end_asking(which);
    more_.ring();
}

// An agent that went away offers it again when it is back.
void payload_keeper::give_up_silent_ones() {
    const auto now = around_.time.now();
    std::vector<payload_key> silent;
    for (const auto& [task, which] : asked_) {
        const auto& one = fetches_.at(which);
        if (!one.complete && one.until <= now) silent.push_back(which);
    }
    for (const auto& each : silent) {
        const auto found = fetches_.find(each);
        waiting_.erase(found->second.holders.back().task);
        end_asking(found);
    }
}

void payload_keeper::remember(const payload_key& which) {
    if (!known_.insert(which).second) return;
    known_order_.push_back(which);
    if (known_order_.size() <= how_.remembered_max) return;
    known_.erase(known_order_.front());
    known_order_.pop_front();
}

void payload_keeper::settle(const payload_key& which, const holder& who) {
    remember(which);
    waiting_.erase(who.task);
    tell_taken(who);
}

// Finds out which of those offered are on record. False: it was cancelled.
boost::asio::awaitable<bool> payload_keeper::look_up() {
    std::vector<std::string> digests;
    const auto span = offered_.front().first.first;
    const auto job = offered_.front().second.task.job;
    std::size_t count = 0;
    for (; count < offered_.size() && count < how_.looked_up_at_once; ++count) {
        if (offered_[count].first.first != span) break;
        digests.push_back(offered_[count].first.second);
    }
    std::ranges::sort(digests);
    digests.erase(std::ranges::unique(digests).begin(), digests.end());
    const auto known = co_await around_.records.known_payloads(job, std::move(digests));
    if (!known) {
        if (known.error().code() == errc::cancelled) co_return false;
        const auto slept = co_await around_.time.sleep_for(how_.retry_pause);
        co_return slept.has_value();
    }
    for (std::size_t n = 0; n < count; ++n) {
        auto [which, who] = std::move(offered_.front());
        offered_.pop_front();
        if (known->contains(which.second)) {
            ++shared_;
            settle(which, who);
            continue;
        }
        const auto [one, fresh] = fetches_.try_emplace(which);
        if (fresh) unasked_.push_back(which);
        one->second.holders.push_front(who);
    }
    co_return true;
}

// Those that are all here, as many as go with one commit.
std::vector<payload_keeper::payload_key> payload_keeper::take_complete(table::batch& into) const {
    std::vector<payload_key> taken;
    std::size_t bytes = 0;
    for (const auto& which : complete_) {
        const auto& one = fetches_.at(which);
        bytes += one.content.size();
        if (!taken.empty() && bytes > how_.stored_at_once_bytes) break;
        const auto& asked = one.holders.back();
        const jobs::payload whole{
            .digest = which.second, .size = asked.size, .content = one.content};
        for (auto& each : jobs::writes_of(asked.task.job, whole))
            into.writes.push_back(std::move(each));
        taken.push_back(which);
    }
    return taken;
}

async<void> payload_keeper::store_complete() {
    while (true) {
        table::batch change;
        const auto ready = take_complete(change);
        if (ready.empty()) co_return result<void>();
        CO_CHECK_OK(co_await around_.records.records().write(std::move(change)));
        for (const auto& which : ready) {
            ++stored_;
            complete_.pop_front();
            const auto stored = fetches_.extract(which);
            asked_.erase(stored.mapped().holders.back().task);
            for (const auto& each : stored.mapped().losers) settle(which, each.who);
            for (const auto& each : stored.mapped().holders) settle(which, each);
        }
        // Agents send the next ones while these are told.
        begin_some();
        around_.flush();
    }
}

async<void> payload_keeper::mark_lost() {
    while (!lost_.empty()) {
        const auto one = lost_.front();
        const auto& task = one.of.who.task;
        around_.log.warning(
            "a payload is lost",
            {{"job", to_string(task.job)},
             {"system", task.system.value()},
             {"reason", one.of.why}});
        CO_CHECK_OK(co_await around_.records.lose_payload(
            {.job = task.job,
             .system = task.system.value(),
             .attempt = task.attempt,
             .digest = one.which.second},
            std::string(one.of.why)));
        ++lost_count_;
        waiting_.erase(task);
        lost_.pop_front();
        tell_taken(one.of.who);
    }
    co_return result<void>();
}

boost::asio::awaitable<void> payload_keeper::run() {
    while (true) {
        if (!offered_.empty()) {
            const bool goes_on = co_await look_up();
            if (!goes_on) co_return;
        }
        give_up_silent_ones();
        begin_some();
        around_.flush();
        auto done = co_await store_complete();
        if (done) done = co_await mark_lost();
        around_.flush();
        if (!done) {
            if (done.error().code() == errc::cancelled) co_return;
            const auto slept = co_await around_.time.sleep_for(how_.retry_pause);
            if (!slept) co_return;
            continue;
        }
        if (!offered_.empty()) continue;
        const auto rung = co_await within(around_.time, look_interval, more_.wait());
        if (!rung && rung.error().code() == errc::cancelled) co_return;
    }
}

}  // namespace muster::dispatch
