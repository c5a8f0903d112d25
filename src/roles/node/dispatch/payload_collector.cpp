#include "roles/node/dispatch/payload_collector.h"

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
bool genuine(const jobs::payload& payload) {
    const auto text = jobs::unpack(payload);
    return text && pki::sha256(*text) == payload.digest;
}

}  // namespace

void payload_collector::offered(const task_record& task) {
    if (task.digest.empty() || !task.inline_payload.empty()) return;
    const holder holder{
        .task = {.job = task.job, .system = system_number(task.system), .attempt = task.attempt},
        .size = task.payload_size};
    const payload_key payload_key(jobs::payload_span(task.job), task.digest);
    if (known_.contains(payload_key)) {
        ++shared_;
        tell_taken(holder);
        return;
    }
    if (waiting_.contains(holder.task)) return;
    if (waiting_.size() >= options_.waiting_max) {
        ++put_off_;
        return;
    }
    waiting_.insert(holder.task);
    if (const auto same = fetches_.find(payload_key); same != fetches_.end()) {
        same->second.holders.push_front(holder);
        return;
    }
    offered_.emplace_back(payload_key, holder);
    more_.ring();
}

void payload_collector::tell_taken(const holder& holder) {
    Frame frame;
    name(*frame.mutable_payload_taken()->mutable_task(), holder.task);
    deps_.outbox.add(holder.task.system, std::move(frame));
}

// For one more, whatever its size.
bool payload_collector::has_room() const {
    return asked_.size() < options_.fetched_at_once
           && (asked_.size() + 1) * options_.payload_bytes_max <= options_.bytes_max;
}

void payload_collector::begin_some() {
    while (!unasked_.empty() && has_room()) {
        const auto unasked = std::move(unasked_.front());
        unasked_.pop_front();
        auto& fetches = fetches_.at(unasked);
        asked_[fetches.holders.back().task] = unasked;
        ask(fetches);
    }
}

void payload_collector::ask(fetch& of) {
    Frame frame;
    auto& desired = *frame.mutable_payload_wanted();
    name(*desired.mutable_task(), of.holders.back().task);
    desired.set_offset(of.content.size());
    desired.set_size_max(options_.piece_bytes);
    of.until = deps_.clock.now() + options_.piece_time;
    deps_.outbox.add(of.holders.back().task.system, std::move(frame));
}

void payload_collector::take(system_number from, const muster::agent_protocol::PayloadPart& part) {
    const auto request = asked_.find(key_of(part.task(), from));
    if (request == asked_.end()) return;
    const auto it = fetches_.find(request->second);
    auto& one = it->second;
    if (one.complete || part.offset() != one.content.size()) return;  // asked for twice
    const bool fits = one.content.size() + part.content().size() <= options_.payload_bytes_max;
    const bool goes_on = part.last() || !part.content().empty();
    if (part.missing()) return drop_holder(it, "its agent has it no more");
    if (!fits) return drop_holder(it, "it is too large");
    if (!goes_on) return drop_holder(it, "it does not come to an end");
    one.content += part.content();
    if (!part.last()) {
        ask(one);
        return;
    }
    jobs::payload whole{
        .digest = it->first.second,
        .size = one.holders.back().size,
        .content = std::move(one.content)};
    if (!genuine(whole)) return drop_holder(it, "it is not what its agent said it is");
    one.content = std::move(whole.content);
    one.complete = true;
    complete_.push_back(it->first);
    more_.ring();
}

// Nobody is asked for it now: another one is when there is room, or all who had it have lost it.
void payload_collector::end_asking(fetch_map::iterator iterator) {
    auto& one = iterator->second;
    asked_.erase(one.holders.back().task);
    one.holders.pop_back();
    one.content.clear();
    if (!one.holders.empty()) {
        unasked_.push_back(iterator->first);
        return;
    }
    for (const auto& loser : one.losers) lost_.push_back({.which = iterator->first, .of = loser});
    fetches_.erase(iterator);
}

// This one cannot give it; perhaps another one can.
void payload_collector::drop_holder(fetch_map::iterator iterator, std::string_view why) {
    iterator->second.losers.push_back({.who = iterator->second.holders.back(), .why = why});
    end_asking(iterator);
    more_.ring();
}

// An agent that went away offers it again when it is back.
void payload_collector::give_up_silent_ones() {
    const auto now = deps_.clock.now();
    std::vector<payload_key> silent;
    for (const auto& [task, which] : asked_) {
        const auto& fetches = fetches_.at(which);
        if (!fetches.complete && fetches.until <= now) silent.push_back(which);
    }
    for (const auto& each : silent) {
        const auto it = fetches_.find(each);
        waiting_.erase(it->second.holders.back().task);
        end_asking(it);
    }
}

void payload_collector::remember(const payload_key& payload_key) {
    if (!known_.insert(payload_key).second) return;
    known_order_.push_back(payload_key);
    if (known_order_.size() <= options_.remembered_max) return;
    known_.erase(known_order_.front());
    known_order_.pop_front();
}

void payload_collector::settle(const payload_key& payload_key, const holder& holder) {
    remember(payload_key);
    waiting_.erase(holder.task);
    tell_taken(holder);
}

// Finds out which of those offered are on record. False: it was cancelled.
boost::asio::awaitable<bool> payload_collector::look_up() {
    std::vector<std::string> digests;
    const auto span = offered_.front().first.first;
    const auto job = offered_.front().second.task.job;
    std::size_t count = 0;
    for (; count < offered_.size() && count < options_.looked_up_at_once; ++count) {
        if (offered_[count].first.first != span) break;
        digests.push_back(offered_[count].first.second);
    }
    std::ranges::sort(digests);
    digests.erase(std::ranges::unique(digests).begin(), digests.end());
    const auto existing = co_await deps_.jobs.known_payloads(job, std::move(digests));
    if (!existing) {
        if (existing.error().code() == errc::cancelled) co_return false;
        const auto slept = co_await deps_.clock.sleep_for(options_.retry_pause);
        co_return slept.has_value();
    }
    for (std::size_t n = 0; n < count; ++n) {
        auto [which, who] = std::move(offered_.front());
        offered_.pop_front();
        if (existing->contains(which.second)) {
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
std::vector<payload_collector::payload_key> payload_collector::take_complete(
    table::batch& into) const {
    std::vector<payload_key> payload_keys;
    std::size_t bytes = 0;
    for (const auto& which : complete_) {
        const auto& fetches = fetches_.at(which);
        bytes += fetches.content.size();
        if (!payload_keys.empty() && bytes > options_.stored_at_once_bytes) break;
        const auto& holders = fetches.holders.back();
        const jobs::payload whole{
            .digest = which.second, .size = holders.size, .content = fetches.content};
        for (auto& write : jobs::writes_of(holders.task.job, whole))
            into.writes.push_back(std::move(write));
        payload_keys.push_back(which);
    }
    return payload_keys;
}

async<void> payload_collector::store_complete() {
    while (true) {
        table::batch change;
        const auto ready = take_complete(change);
        if (ready.empty()) co_return result<void>();
        CO_CHECK_OK(co_await deps_.jobs.records().write(std::move(change)));
        for (const auto& which : ready) {
            ++stored_;
            complete_.pop_front();
            const auto stored = fetches_.extract(which);
            asked_.erase(stored.mapped().holders.back().task);
            for (const auto& loser : stored.mapped().losers) settle(which, loser.who);
            for (const auto& holder : stored.mapped().holders) settle(which, holder);
        }
        // Agents send the next ones while these are told.
        begin_some();
        deps_.outbox.flush();
    }
}

async<void> payload_collector::mark_lost() {
    while (!lost_.empty()) {
        const auto lost = lost_.front();
        const auto& task = lost.of.who.task;
        deps_.log.warning(
            "a payload is lost",
            {{"job", to_string(task.job)},
             {"system", task.system.value()},
             {"reason", lost.of.why}});
        CO_CHECK_OK(co_await deps_.jobs.lose_payload(
            {.job = task.job,
             .system = task.system.value(),
             .attempt = task.attempt,
             .digest = lost.which.second},
            std::string(lost.of.why)));
        ++lost_count_;
        waiting_.erase(task);
        lost_.pop_front();
        tell_taken(lost.of.who);
    }
    co_return result<void>();
}

boost::asio::awaitable<void> payload_collector::run() {
    while (true) {
        if (!offered_.empty()) {
            const bool goes_on = co_await look_up();
            if (!goes_on) co_return;
        }
        give_up_silent_ones();
        begin_some();
        deps_.outbox.flush();
        auto done = co_await store_complete();
        if (done) done = co_await mark_lost();
        deps_.outbox.flush();
        if (!done) {
            if (done.error().code() == errc::cancelled) co_return;
            const auto slept = co_await deps_.clock.sleep_for(options_.retry_pause);
            if (!slept) co_return;
            continue;
        }
        if (!offered_.empty()) continue;
        const auto rung = co_await within(deps_.clock, look_interval, more_.wait());
        if (!rung && rung.error().code() == errc::cancelled) co_return;
    }
}

}  // namespace muster::dispatch
