#include "adapters/ledger/postgres/writer_pool.h"

#include "adapters/ledger/postgres/retry.h"
#include "runtime/clock.h"

#include <algorithm>
#include <utility>

namespace muster::ledger_postgres {
namespace {

using namespace std::chrono_literals;

constexpr auto idle_wait = 1s;

error closing_error() {
    return {errc::unavailable, "ledger is closing"};
}

error queue_full_error() {
    return {errc::unavailable, "ledger write queue is full"};
}

error timeout_error() {
    return {errc::unavailable, "ledger write timed out in the queue"};
}

// Whether the request itself is wrong, so that a retry cannot help.
bool is_refusal(errc code) {
    return code == errc::invalid || code == errc::conflict || code == errc::denied
           || code == errc::corrupt;
}

}  // namespace

writer_pool::writer_pool(const settings& settings, const std::atomic<bool>& notify_supported)
    : options_(settings),
      notify_supported_(notify_supported),
      queue_(settings.queue_writes_max),
      bytes_(settings.queue_bytes_max) {
    for (std::size_t number = 0; number < settings.writers; ++number)
        threads_.emplace_back([this, number] { run(number); });
}

writer_pool::~writer_pool() {
    for (auto& request : queue_.close()) complete(request, fail(closing_error()));
    for (auto& thread : threads_) thread.join();
}

void writer_pool::submit(write_request request) {
    if (!bytes_.try_reserve(request.bytes)) return request.done(fail(queue_full_error()));
    if (!queue_.try_push(request)) complete(request, fail(queue_full_error()));
}

void writer_pool::complete(write_request& request, result<table::summary> outcome) {
    bytes_.release(request.bytes);
    if (!outcome && request.uncertain && !is_refusal(outcome.error().code()))
        outcome = fail(errc::timed_out, outcome.error().detail());
    request.done(std::move(outcome));
}

void writer_pool::run(std::size_t number) {
    session writer;
    backoff pauses = retry_pauses(number);
    while (!queue_.is_closed()) {
        group_limit limit(options_);
        auto group = queue_.pop_group(
            idle_wait, [&limit](const write_request& next) { return limit.accept(next); });
        if (!group.empty()) write(writer, std::move(group), pauses);
    }
}

void writer_pool::write(
    session& writer, std::vector<write_request> owned_requests, backoff& pauses) {
    requests group;
    for (auto& request : owned_requests) group.push_back(&request);
    complete_expired(group, timeout_error());
    while (!group.empty()) {
        const auto written = attempt(writer, group);
        if (written) {
            pauses.reset();
            for (std::size_t index = 0; index < group.size(); ++index)
                complete(*group[index], (*written)[index]);
            return;
        }
        if (is_refusal(written.error().code())) return write_one_by_one(writer, group);
        if (queue_.is_closed()) {
            for (auto* request : group) complete(*request, fail(closing_error()));
            return;
        }
        complete_expired(group, written.error());
        drop_expired(written.error());
        if (!group.empty())
            queue_.pause(std::chrono::ceil<std::chrono::milliseconds>(pauses.next()));
    }
}

// Finds the requests that the server refuses, and writes the others. Does not repeat an attempt
// that fails for another reason; the caller may. Starts none after its deadline, so that a silent
// server does not block this thread for one attempt a request.
void writer_pool::write_one_by_one(session& writer, const requests& group) {
    for (auto* request : group) {
        if (request->deadline <= runtime::monotonic_now()) {
            complete(*request, fail(timeout_error()));
            continue;
        }
        const auto written = attempt(writer, {request});
        if (written) {
            complete(*request, written->front());
            continue;
        }
        const bool refused = is_refusal(written.error().code());
        complete(
            *request,
            fail(refused ? written.error().code() : errc::unavailable, written.error().detail()));
    }
}

result<std::vector<table::summary>> writer_pool::attempt(session& writer, const requests& group) {
    const instant deadline = runtime::monotonic_now() + options_.attempt;
    if (!writer || writer->broken()) {
        writer.reset();
        TRY(connection opened, connection::open(options_, deadline));
        writer.emplace(std::move(opened), notify_supported_);
    }
    auto written = writer->write(group, deadline);
    if (!written && written.error().code() == errc::timed_out)
        for (auto* request : group) request->uncertain = true;
    return written;
}

void writer_pool::complete_expired(requests& group, const error& reason) {
    const instant now = runtime::monotonic_now();
    std::erase_if(group, [&](write_request* request) {
        if (request->deadline > now) return false;
        complete(*request, fail(errc::unavailable, reason.detail()));
        return true;
    });
}

void writer_pool::drop_expired(const error& reason) {
    const instant now = runtime::monotonic_now();
    auto expired = queue_.pop_front_while(
        [now](const write_request& request) { return request.deadline <= now; });
    for (auto& request : expired) complete(request, fail(errc::unavailable, reason.detail()));
}

}  // namespace muster::ledger_postgres
