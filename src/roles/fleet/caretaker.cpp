#include "roles/fleet/caretaker.h"

#include "core/lifecycle/enrolment.h"

#include <utility>
#include <vector>

namespace muster::fleet {
namespace {

constexpr std::size_t rows_at_once = 2'000;

}  // namespace

// Marked rows are read first: what this round marks is erased by a later one.
async<std::size_t> caretaker::purge() {
    CO_TRY(const auto erased, co_await erase_marked());
    CO_CHECK_OK(co_await mark());
    co_return erased;
}

// How long a mark has stood is measured by this process's own steady clock from when it first saw
// it: a wall clock that jumps must not erase a row that somebody is about to write.
async<std::size_t> caretaker::erase_marked() {
    CO_TRY(
        const auto evicted,
        co_await keys_.table().read_evicted(
            system_table::erasure_mark::set, table::value_limits::time_max, rows_at_once));
    const auto now = time_.now();
    std::map<fingerprint, instant> still_marked;
    std::vector<fingerprint> due;
    for (const auto& each : evicted) {
        const auto& print = each.record.print;
        const auto seen = marked_since_.find(print);
        const auto since = seen == marked_since_.end() ? now : seen->second;
        if (now - since >= how_.settle) {
            due.push_back(print);
        } else {
            still_marked.emplace(print, since);
        }
    }
    marked_since_ = std::move(still_marked);
    const auto count = due.size();
    if (count == 0) co_return count;
    CO_CHECK_OK(co_await keys_.table().erase(std::move(due)));
    co_return count;
}

async<void> caretaker::mark() {
    const auto before = time_.wall() - how_.keep_evicted;
    CO_TRY(
        const auto evicted,
        co_await keys_.table().read_evicted(
            system_table::erasure_mark::unset, before, rows_at_once));
    std::vector<system_record> marked;
    for (const auto& each : evicted) {
        CO_TRY(const auto next, lifecycle::purge(each.record));
        if (next) marked.push_back(*next);
    }
    if (marked.empty()) co_return result<void>();
    CO_CHECK_OK(co_await keys_.table().write(std::move(marked)));
    co_return result<void>();
}

async<void> caretaker::tend() {
    if (!known_.complete()) co_return result<void>();
    CO_CHECK_OK(co_await keys_.settle_replacements());
    CO_TRY(const auto erased, co_await purge());
    if (erased > 0) log_.info("purged keys that the pool let go of", {{"keys", erased}});
    co_return result<void>();
}

boost::asio::awaitable<void> caretaker::run(std::function<bool()> active) {
    while (true) {
        const auto slept = co_await time_.sleep_for(how_.interval);
        if (!slept) co_return;
        if (!active()) continue;
        const auto done = co_await tend();
        if (done) continue;
        if (done.error().code() == errc::cancelled) co_return;
        log_.warning("cannot clean up the fleet", {{"reason", to_string(done.error())}});
    }
}

}  // namespace muster::fleet
