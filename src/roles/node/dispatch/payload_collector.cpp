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

constexpr auto check_interval = 1s;
static_assert(muster::agent_protocol::task_limits::payload_bytes_max <= jobs::payload_bytes_max);

void set_task(muster::agent_protocol::TaskName& task_name, const rollout::attempt_key& task) {
    task_name.set_job(task.job.value());
    task_name.set_attempt(task.attempt);
}

// Whether the content matches its digest.
bool is_genuine(const jobs::payload& payload) {
    const auto text = jobs::unpack(payload);
    return text && pki::sha256(*text) == payload.digest;
}

}  // namespace

void payload_collector::offer(const task_record& task) {
    if (task.digest.empty() || !task.inline_payload.empty()) return;
    const payload_holder holder{
        .task = {.job = task.job, .system = system_number(task.system), .attempt = task.attempt},
        .size = task.payload_size};
    const payload_key key(jobs::payload_span(task.job), task.digest);
    if (stored_keys_.contains(key)) {
        ++shared_;
        acknowledge(holder);
        return;
    }
    if (waiting_.contains(holder.task)) return;
    if (waiting_.size() >= options_.waiting_max) {
        ++deferred_;
        return;
    }
    waiting_.insert(holder.task);
    if (const auto fetch = fetches_.find(key); fetch != fetches_.end()) {
        fetch->second.holders.push_front(holder);
        return;
    }
    offers_.emplace_back(key, holder);
    wakeup_.notify();
}

void payload_collector::acknowledge(const payload_holder& holder) {
    Frame frame;
    set_task(*frame.mutable_payload_taken()->mutable_task(), holder.task);
    deps_.outbox.add(holder.task.system, std::move(frame));
}

// For one more fetch of any size.
bool payload_collector::has_capacity() const {
    return active_requests_.size() < options_.fetches_max
           && (active_requests_.size() + 1) * options_.payload_bytes_max <= options_.bytes_max;
}

void payload_collector::start_fetches() {
    while (!pending_fetches_.empty() && has_capacity()) {
        const auto key = std::move(pending_fetches_.front());
        pending_fetches_.pop_front();
        auto& fetch = fetches_.at(key);
        active_requests_[fetch.holders.back().task] = key;
        request_part(fetch);
    }
}

void payload_collector::request_part(fetch& target) {
    Frame frame;
    auto& message = *frame.mutable_payload_wanted();
    set_task(*message.mutable_task(), target.holders.back().task);
    message.set_offset(target.content.size());
    message.set_size_max(options_.piece_bytes);
    target.deadline = deps_.clock.now() + options_.piece_time;
    deps_.outbox.add(target.holders.back().task.system, std::move(frame));
}

void payload_collector::add_part(
    system_number system, const muster::agent_protocol::PayloadPart& part) {
    const auto request = active_requests_.find(key_of(part.task(), system));
    if (request == active_requests_.end()) return;
    const auto it = fetches_.find(request->second);
    auto& fetch = it->second;
    if (fetch.complete || part.offset() != fetch.content.size()) return;  // duplicate part
    const bool fits = fetch.content.size() + part.content().size() <= options_.payload_bytes_max;
    const bool makes_progress = part.last() || !part.content().empty();
    if (part.missing()) return drop_holder(it, "payload not found on the agent");
    if (!fits) return drop_holder(it, "payload is too large");
    if (!makes_progress) return drop_holder(it, "empty payload part received");
    fetch.content += part.content();
    if (!part.last()) {
        request_part(fetch);
        return;
    }
    jobs::payload payload{
        .digest = it->first.second,
        .size = fetch.holders.back().size,
        .content = std::move(fetch.content)};
    if (!is_genuine(payload)) return drop_holder(it, "payload does not match its digest");
    fetch.content = std::move(payload.content);
    fetch.complete = true;
    complete_fetches_.push_back(it->first);
    wakeup_.notify();
}

// Ends the request to the current holder. Another holder follows when there is capacity; without
// holders the payload is lost.
void payload_collector::end_request(fetch_map::iterator it) {
    auto& fetch = it->second;
    active_requests_.erase(fetch.holders.back().task);
    fetch.holders.pop_back();
    fetch.content.clear();
    if (!fetch.holders.empty()) {
        pending_fetches_.push_back(it->first);
        return;
    }
    for (const auto& failed : fetch.failed) lost_.push_back({.key = it->first, .failed = failed});
    fetches_.erase(it);
}

// This holder cannot deliver the payload; another may.
void payload_collector::drop_holder(fetch_map::iterator it, std::string_view reason) {
    it->second.failed.push_back({.holder = it->second.holders.back(), .reason = reason});
    end_request(it);
    wakeup_.notify();
}

// A detached agent offers the payload again when it returns.
void payload_collector::drop_silent_holders() {
    const auto now = deps_.clock.now();
    std::vector<payload_key> silent;
    for (const auto& [task, key] : active_requests_) {
        const auto& fetch = fetches_.at(key);
        if (!fetch.complete && fetch.deadline <= now) silent.push_back(key);
    }
    for (const auto& key : silent) {
        const auto it = fetches_.find(key);
        waiting_.erase(it->second.holders.back().task);
        end_request(it);
    }
}

void payload_collector::remember(const payload_key& key) {
    if (!stored_keys_.insert(key).second) return;
    stored_order_.push_back(key);
    if (stored_order_.size() <= options_.remembered_max) return;
    stored_keys_.erase(stored_order_.front());
    stored_order_.pop_front();
}

void payload_collector::mark_stored(const payload_key& key, const payload_holder& holder) {
    remember(key);
    waiting_.erase(holder.task);
    acknowledge(holder);
}

// Checks which offered payloads are stored already. False: cancelled.
boost::asio::awaitable<bool> payload_collector::check_offers() {
    std::vector<std::string> digests;
    const auto span = offers_.front().first.first;
    const auto job = offers_.front().second.task.job;
    std::size_t count = 0;
    for (; count < offers_.size() && count < options_.lookups_max; ++count) {
        if (offers_[count].first.first != span) break;
        digests.push_back(offers_[count].first.second);
    }
    std::ranges::sort(digests);
    digests.erase(std::ranges::unique(digests).begin(), digests.end());
    const auto stored_digests = co_await deps_.jobs.find_digests(job, std::move(digests));
    if (!stored_digests) {
        if (stored_digests.error().code() == errc::cancelled) co_return false;
        const auto slept = co_await deps_.clock.sleep_for(options_.retry_pause);
        co_return slept.has_value();
    }
    for (std::size_t index = 0; index < count; ++index) {
        auto [key, holder] = std::move(offers_.front());
        offers_.pop_front();
        if (stored_digests->contains(key.second)) {
            ++shared_;
            mark_stored(key, holder);
            continue;
        }
        const auto [it, is_new] = fetches_.try_emplace(key);
        if (is_new) pending_fetches_.push_back(key);
        it->second.holders.push_front(holder);
    }
    co_return true;
}

// Adds complete fetches to the batch, as many as fit into one commit.
std::vector<payload_collector::payload_key> payload_collector::add_complete(
    table::batch& batch) const {
    std::vector<payload_key> payload_keys;
    std::size_t bytes = 0;
    for (const auto& key : complete_fetches_) {
        const auto& fetch = fetches_.at(key);
        bytes += fetch.content.size();
        if (!payload_keys.empty() && bytes > options_.batch_bytes_max) break;
        const auto& holder = fetch.holders.back();
        const jobs::payload payload{
            .digest = key.second, .size = holder.size, .content = fetch.content};
        for (auto& write : jobs::payload_writes(holder.task.job, payload))
            batch.writes.push_back(std::move(write));
        payload_keys.push_back(key);
    }
    return payload_keys;
}

async<void> payload_collector::store_complete() {
    while (true) {
        table::batch batch;
        const auto ready = add_complete(batch);
        if (ready.empty()) co_return result<void>();
        CO_CHECK_OK(co_await deps_.jobs.ledger().write(std::move(batch)));
        for (const auto& key : ready) {
            ++stored_;
            complete_fetches_.pop_front();
            const auto fetch = fetches_.extract(key);
            active_requests_.erase(fetch.mapped().holders.back().task);
            for (const auto& failed : fetch.mapped().failed) mark_stored(key, failed.holder);
            for (const auto& holder : fetch.mapped().holders) mark_stored(key, holder);
        }
        // Agents send the next payloads while these are acknowledged.
        start_fetches();
        deps_.outbox.flush();
    }
}

async<void> payload_collector::mark_lost() {
    while (!lost_.empty()) {
        const auto lost = lost_.front();
        const auto& task = lost.failed.holder.task;
        deps_.log.warning(
            "payload lost",
            {{"job", to_string(task.job)},
             {"system", task.system.value()},
             {"error", lost.failed.reason}});
        CO_CHECK_OK(co_await deps_.jobs.mark_payload_lost(
            {.job = task.job,
             .system = task.system.value(),
             .attempt = task.attempt,
             .digest = lost.key.second},
            std::string(lost.failed.reason)));
        ++lost_count_;
        waiting_.erase(task);
        lost_.pop_front();
        acknowledge(lost.failed.holder);
    }
    co_return result<void>();
}

boost::asio::awaitable<void> payload_collector::run() {
    while (true) {
        if (!offers_.empty()) {
            const bool is_running = co_await check_offers();
            if (!is_running) co_return;
        }
        drop_silent_holders();
        start_fetches();
        deps_.outbox.flush();
        auto outcome = co_await store_complete();
        if (outcome) outcome = co_await mark_lost();
        deps_.outbox.flush();
        if (!outcome) {
            if (outcome.error().code() == errc::cancelled) co_return;
            const auto slept = co_await deps_.clock.sleep_for(options_.retry_pause);
            if (!slept) co_return;
            continue;
        }
        if (!offers_.empty()) continue;
        const auto woken = co_await within(deps_.clock, check_interval, wakeup_.wait());
        if (!woken && woken.error().code() == errc::cancelled) co_return;
    }
}

}  // namespace muster::dispatch
