#include "roles/dispatch/payload_keeper.h"

#include "adapters/pki/fingerprint.h"
#include "ports/deadline.h"
#include "roles/dispatch/task_frames.h"
#include "roles/jobs/payload_text.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace muster::dispatch {
namespace {

using namespace std::chrono_literals;
using muster::channel::Frame;

constexpr auto look_interval = 1s;

void name(muster::channel::TaskName& to, const rollout::attempt_key& task) {
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
    if (const auto same = fetches_.find(which); same != fetches_.end()) {
        if (same->second.holders.size() < how_.waiting_max)
            same->second.holders.insert(same->second.holders.begin(), who);
        return;
    }
    if (offered_.size() >= how_.waiting_max) {
        ++put_off_;
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

std::size_t payload_keeper::reserved() const {
    std::size_t bytes = 0;
    for (const auto& [which, one] : fetches_)
        if (one.asked) bytes += how_.payload_bytes_max;
    return bytes;
}

void payload_keeper::begin_some() {
    auto under_way = static_cast<std::size_t>(
        std::ranges::count_if(fetches_, [](const auto& each) { return each.second.asked; }));
    std::size_t bytes = reserved();
    for (auto& [which, one] : fetches_) {
        if (under_way >= how_.fetched_at_once || bytes + how_.payload_bytes_max > how_.bytes_max)
            return;
        if (one.asked) continue;
        one.asked = true;
        ++under_way;
        bytes += how_.payload_bytes_max;
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

void payload_keeper::take(system_number from, const muster::channel::PayloadPart& part) {
    const auto asked = asked_.find(key_of(part.task(), from));
    if (asked == asked_.end()) return;
    const auto found = fetches_.find(asked->second);
    auto& one = found->second;
    if (one.complete || part.offset() != one.content.size()) return;  // asked for twice
    const bool fits = one.content.size() + part.content().size() <= how_.payload_bytes_max;
    const bool goes_on = part.last() || !part.content().empty();
    if (part.missing() || !fits || !goes_on) {
        drop_holder(found);
        return;
    }
    one.content += part.content();
    if (!part.last()) {
        ask(one);
        return;
    }
    const jobs::payload whole{
        .digest = found->first.second,
        .size = one.holders.back().size,
        .content = std::move(one.content)};
    if (!genuine(whole)) {
        drop_holder(found);
        return;
    }
    one.content = whole.content;
    one.complete = true;
    more_.ring();
}

// This one cannot give it; perhaps another one can. It is told not to keep it.
void payload_keeper::drop_holder(fetch_map::iterator which) {
    auto& one = which->second;
    asked_.erase(one.holders.back().task);
    tell_taken(one.holders.back());
    one.holders.pop_back();
    one.content.clear();
    one.asked = false;
    if (one.holders.empty()) fetches_.erase(which);
    more_.ring();
}

// An agent that went away offers it again when it is back.
void payload_keeper::give_up_silent_ones() {
    const auto now = around_.time.now();
    for (auto at = fetches_.begin(); at != fetches_.end();) {
        auto& one = at->second;
        if (!one.asked || one.complete || one.until > now) {
            ++at;
            continue;
        }
        asked_.erase(one.holders.back().task);
        one.holders.pop_back();
        one.content.clear();
        one.asked = false;
        at = one.holders.empty() ? fetches_.erase(at) : std::next(at);
    }
}

void payload_keeper::remember(const payload_key& which) {
    if (!known_.insert(which).second) return;
    known_order_.push_back(which);
    if (known_order_.size() <= how_.remembered_max) return;
    known_.erase(known_order_.front());
    known_order_.pop_front();
}

void payload_keeper::settle(const payload_key& which, const std::vector<holder>& holders) {
    remember(which);
    for (const auto& each : holders) tell_taken(each);
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
            settle(which, {who});
        } else {
            auto& holders = fetches_[which].holders;
            holders.insert(holders.begin(), who);
        }
    }
    co_return true;
}

// Those that are all here, as many as go with one commit.
std::vector<payload_keeper::payload_key> payload_keeper::take_complete(table::batch& into) const {
    std::vector<payload_key> taken;
    std::size_t bytes = 0;
    for (const auto& [which, one] : fetches_) {
        if (!one.complete) continue;
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
            const auto stored = fetches_.extract(which);
            asked_.erase(stored.mapped().holders.back().task);
            settle(which, stored.mapped().holders);
        }
        // Agents send the next ones while these are told.
        begin_some();
        around_.flush();
    }
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
        const auto done = co_await store_complete();
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
