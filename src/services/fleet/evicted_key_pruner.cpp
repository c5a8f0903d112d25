#include "services/fleet/evicted_key_pruner.h"

#include "core/lifecycle/enrolment.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace muster::fleet {
namespace {

static_assert(evicted_key_pruner::rows_at_once <= system_store::batch_records_max);

}  // namespace

// Erases before it marks, so a later round erases the rows that this one marks.
async<std::size_t> evicted_key_pruner::purge() {
    CO_TRY(const auto erased, co_await erase_marked());
    CO_CHECK_OK(co_await mark());
    co_return erased;
}

// Measures the age of a mark with the steady clock, from the time this process first saw it. A jump
// of the wall clock must not erase a row that is about to be written.
async<std::size_t> evicted_key_pruner::erase_marked() {
    marks still_marked;
    std::size_t erased = 0;
    system_store::evicted_query query{
        .mark = system_store::erasure_mark::set,
        .before = table::value_limits::time_max,
        .limit = rows_at_once};
    do {
        CO_TRY(const auto page, co_await keys_.store().read_evicted(query));
        auto due = find_due(page.systems, still_marked);
        erased += due.size();
        if (!due.empty()) {
            CO_CHECK_OK(co_await keys_.store().erase(std::move(due)));
        }
        query.after = page.next;
        CO_CHECK_OK(co_await pause_before(query.after));
    } while (!query.after.empty() && still_marked.size() < marks_max);
    marked_since_ = std::move(still_marked);
    co_return erased;
}

std::vector<fingerprint> evicted_key_pruner::find_due(
    const std::vector<stored_system>& marked, marks& pending) const {
    const auto now = clock_.now();
    std::vector<fingerprint> due;
    for (const auto& system : marked) {
        const auto& print = system.record.print;
        const auto mark = marked_since_.find(print);
        const auto since = mark == marked_since_.end() ? now : mark->second;
        if (now - since >= options_.mark_age_min) {
            due.push_back(print);
        } else {
            pending.emplace(print, since);
        }
    }
    return due;
}

// The pool evicts systems only while it is full, and a crowd keeps it full. Then the retention is
// short, because there are too many evicted rows.
std::chrono::seconds evicted_key_pruner::retention() const {
    const auto pooled = systems_.count(enrolment::pooled) + systems_.count(enrolment::rejected);
    return pooled < options_.crowded_pool ? options_.keep_evicted
                                          : std::min(options_.keep_evicted, options_.keep_crowded);
}

async<void> evicted_key_pruner::mark() {
    system_store::evicted_query query{
        .mark = system_store::erasure_mark::unset,
        .before = clock_.wall() - retention(),
        .limit = rows_at_once};
    do {
        CO_TRY(const auto page, co_await keys_.store().read_evicted(query));
        std::vector<system_record> marked;
        for (const auto& system : page.systems) {
            CO_TRY(const auto purged, lifecycle::purge(system.record));
            if (purged) marked.push_back(*purged);
        }
        if (!marked.empty()) {
            CO_CHECK_OK(co_await keys_.store().write(std::move(marked)));
        }
        query.after = page.next;
        CO_CHECK_OK(co_await pause_before(query.after));
    } while (!query.after.empty());
    co_return result<void>();
}

// Limits the load on the ledger.
async<void> evicted_key_pruner::pause_before(std::string next_page) {
    if (next_page.empty()) co_return result<void>();
    co_return co_await clock_.sleep_for(options_.pause);
}

async<void> evicted_key_pruner::run_once() {
    if (!systems_.complete()) co_return result<void>();
    CO_CHECK_OK(co_await keys_.finish_replacements());
    CO_TRY(const auto erased, co_await purge());
    if (erased > 0) log_.info("evicted keys deleted", {{"keys", erased}});
    co_return result<void>();
}

boost::asio::awaitable<void> evicted_key_pruner::run(const std::atomic<bool>& active) {
    while (true) {
        const auto slept = co_await clock_.sleep_for(options_.interval);
        if (!slept) co_return;
        if (!active) continue;
        const auto pruned = co_await run_once();
        if (pruned) continue;
        if (pruned.error().code() == errc::cancelled) co_return;
        log_.warning("evicted key pruning failed", {{"error", to_string(pruned.error())}});
    }
}

}  // namespace muster::fleet
