#include "adapters/ledger/postgres/writer_pool.h"

#include "adapters/ledger/postgres/retry.h"
#include "runtime/clock.h"

#include <algorithm>
#include <utility>

namespace muster::ledger_postgres {
namespace {

using namespace std::chrono_literals;

constexpr auto idle_wait = 1s;

error closing() {
    return {errc::unavailable, "the ledger is closing"};
}

error too_many() {
    return {errc::unavailable, "too many writes to the ledger wait"};
}

error waited_too_long() {
    return {errc::unavailable, "a write to the ledger waited too long for its turn"};
}

// Whether the request itself is at fault, so that trying again would not help.
bool refused(errc code) {
    return code == errc::invalid || code == errc::conflict || code == errc::denied
           || code == errc::corrupt;
}

}  // namespace

writer_pool::writer_pool(const settings& settings, const std::atomic<bool>& sequence_notifier)
    : options_(settings),
      doorbell_(sequence_notifier),
      queue_(settings.queue_writes_max),
      bytes_(settings.queue_bytes_max) {
    for (std::size_t number = 0; number < settings.writers; ++number)
        threads_.emplace_back([this, number] { run(number); });
}

writer_pool::~writer_pool() {
    for (auto& each : queue_.close()) settle(each, fail(closing()));
    for (auto& thread : threads_) thread.join();
}

void writer_pool::submit(write_request write_request) {
    if (!bytes_.try_take(write_request.bytes)) return write_request.done(fail(too_many()));
    if (!queue_.try_push(write_request)) settle(write_request, fail(too_many()));
}

void writer_pool::settle(write_request& write_request, result<table::summary> outcome) {
    bytes_.release_memory(write_request.bytes);
    if (!outcome && write_request.uncertain && !refused(outcome.error().code()))
        outcome = fail(errc::timed_out, outcome.error().detail());
    write_request.done(std::move(outcome));
}

void writer_pool::run(std::size_t number) {
    session through;
    backoff pauses = retry_pauses(number);
    while (!queue_.closed()) {
        group_limit limit(options_);
        auto group = queue_.pop_group(
            idle_wait, [&limit](const write_request& next) { return limit.accept(next); });
        if (!group.empty()) write(through, std::move(group), pauses);
    }
}

void writer_pool::write(
    session& through, std::vector<write_request> write_requests, backoff& pauses) {
    requests group;
    for (auto& each : write_requests) group.push_back(&each);
    settle_expired(group, waited_too_long());
    while (!group.empty()) {
        const auto written = attempt(through, group);
        if (written) {
            pauses.reset();
            for (std::size_t at = 0; at < group.size(); ++at) settle(*group[at], (*written)[at]);
            return;
        }
        if (refused(written.error().code())) return write_each(through, group);
        if (queue_.closed()) {
            for (auto* each : group) settle(*each, fail(closing()));
            return;
        }
        settle_expired(group, written.error());
        refuse_expired(written.error());
        if (!group.empty())
            queue_.pause(std::chrono::ceil<std::chrono::milliseconds>(pauses.next()));
    }
}

// Finds those the server refuses; the others are written. An attempt that fails for another reason
// is not repeated here: the caller of the port is told and may. None is begun after its deadline,
// or a server that falls silent now would hold this thread for as many attempts as there are.
void writer_pool::write_each(session& through, const requests& group) {
    for (auto* each : group) {
        if (each->deadline <= runtime::monotonic_now()) {
            settle(*each, fail(waited_too_long()));
            continue;
        }
        const auto written = attempt(through, {each});
        if (written) {
            settle(*each, written->front());
            continue;
        }
        const bool existing = refused(written.error().code());
        settle(
            *each,
            fail(existing ? written.error().code() : errc::unavailable, written.error().detail()));
    }
}

result<std::vector<table::summary>> writer_pool::attempt(session& through, const requests& group) {
    const instant deadline = runtime::monotonic_now() + options_.attempt;
    if (!through || through->broken()) {
        through.reset();
        TRY(connection result, connection::open(options_, deadline));
        through.emplace(std::move(result), doorbell_);
    }
    auto written = through->write(group, deadline);
    if (!written && written.error().code() == errc::timed_out)
        for (auto* each : group) each->uncertain = true;
    return written;
}

void writer_pool::settle_expired(requests& group, const error& reason) {
    const instant now = runtime::monotonic_now();
    std::erase_if(group, [&](write_request* write_request) {
        if (write_request->deadline > now) return false;
        settle(*write_request, fail(errc::unavailable, reason.detail()));
        return true;
    });
}

void writer_pool::refuse_expired(const error& reason) {
    const instant now = runtime::monotonic_now();
    auto expired = queue_.drop_front(
        [now](const write_request& write_request) { return write_request.deadline <= now; });
    for (auto& each : expired) settle(each, fail(errc::unavailable, reason.detail()));
}

}  // namespace muster::ledger_postgres
