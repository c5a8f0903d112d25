#include "services/fleet/evicted_key_pruner.h"

#include "core/lifecycle/enrolment.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace muster::fleet {
namespace {

static_assert(evicted_key_pruner::rows_at_once <= system_store::batch_records_max);

}  // namespace

// Marked rows are read first: what this round marks is erased by a later one.
async<std::size_t> evicted_key_pruner::purge() {
    CO_TRY(const auto erased, co_await erase_marked());
    CO_CHECK_OK(co_await mark());
    co_return erased;
}

// How long a mark has stood is measured by this process's own steady clock from when it first saw
// it: a wall clock that jumps must not erase a row that somebody is about to write.
async<std::size_t> evicted_key_pruner::erase_marked() {
    marks still_marked;
    std::size_t erased = 0;
    system_store::evicted_query question{
        .mark = system_store::erasure_mark::set,
        .before = table::value_limits::time_max,
        .limit = rows_at_once};
    do {
        CO_TRY(const auto page, co_await keys_.table().read_evicted(question));
        auto due = due_among(page.systems, still_marked);
        erased += due.size();
        if (!due.empty()) {
            CO_CHECK_OK(co_await keys_.table().erase(std::move(due)));
        }
        question.after = page.next;
        CO_CHECK_OK(co_await pause_before(question.after));
    } while (!question.after.empty() && still_marked.size() < marks_max);
    marked_since_ = std::move(still_marked);
    co_return erased;
}

std::vector<fingerprint> evicted_key_pruner::due_among(
    const std::vector<stored_system>& marked, marks& not_yet) const {
    const auto now = clock_.now();
    std::vector<fingerprint> due;
    for (const auto& each : marked) {
        const auto& print = each.record.print;
        const auto observed = marked_since_.find(print);
        const auto since = observed == marked_since_.end() ? now : observed->second;
        if (now - since >= options_.settle) {
            due.push_back(print);
        } else {
            not_yet.emplace(print, since);
        }
    }
    return due;
}

// The pool lets go of systems only while it is full, and a crowd that fills it goes on doing so:
// then there is no room to remember all of them for long.
std::chrono::seconds evicted_key_pruner::kept_for() const {
    const auto waiting = systems_.count(enrolment::pooled) + systems_.count(enrolment::rejected);
    return waiting < options_.crowded ? options_.keep_evicted
                                      : std::min(options_.keep_evicted, options_.keep_crowded);
}

async<void> evicted_key_pruner::mark() {
    system_store::evicted_query question{
        .mark = system_store::erasure_mark::unset,
        .before = clock_.wall() - kept_for(),
        .limit = rows_at_once};
    do {
        CO_TRY(const auto page, co_await keys_.table().read_evicted(question));
        std::vector<system_record> marked;
        for (const auto& system : page.systems) {
            CO_TRY(const auto next, lifecycle::purge(system.record));
            if (next) marked.push_back(*next);
        }
        if (!marked.empty()) {
            CO_CHECK_OK(co_await keys_.table().write(std::move(marked)));
        }
        question.after = page.next;
        CO_CHECK_OK(co_await pause_before(question.after));
    } while (!question.after.empty());
    co_return result<void>();
}

// The ledger has others to serve.
async<void> evicted_key_pruner::pause_before(std::string next) {
    if (next.empty()) co_return result<void>();
    co_return co_await clock_.sleep_for(options_.pause);
}

async<void> evicted_key_pruner::tend() {
    if (!systems_.complete()) co_return result<void>();
    CO_CHECK_OK(co_await keys_.settle_replacements());
    CO_TRY(const auto erased, co_await purge());
    if (erased > 0) log_.info("purged keys that the pool let go of", {{"keys", erased}});
    co_return result<void>();
}

boost::asio::awaitable<void> evicted_key_pruner::run(const std::atomic<bool>& active) {
    while (true) {
        const auto slept = co_await clock_.sleep_for(options_.interval);
        if (!slept) co_return;
        if (!active) continue;
        const auto done = co_await tend();
        if (done) continue;
        if (done.error().code() == errc::cancelled) co_return;
        log_.warning("cannot clean up the fleet", {{"reason", to_string(done.error())}});
    }
}

}  // namespace muster::fleet
