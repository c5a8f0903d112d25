#include "roles/node/dispatch/ledger_work_queue.h"

#include "base/assert.h"

#include <utility>

namespace muster::dispatch {

void ledger_work_queue::push(ledger_work work) {
    if (queue_.size() >= length_max && std::holds_alternative<late_report>(work)) {
        ++dropped_;
        return;
    }
    if (const auto* share = std::get_if<open_share>(&work)) ++opening_counts_[share->job];
    queue_.push_back(std::move(work));
    wakeup_.notify();
}

void ledger_work_queue::pop() {
    if (const auto* share = std::get_if<open_share>(&queue_.front())) {
        const auto it = opening_counts_.find(share->job);
        MUSTER_ASSERT(it != opening_counts_.end());
        if (--it->second == 0) opening_counts_.erase(it);
    }
    queue_.pop_front();
}

bool ledger_work_queue::defer_front() {
    const bool was_empty = deferred_.empty();
    const auto& share = std::get<open_share>(queue_.front());
    const auto [entry, is_new] = deferred_.try_emplace(share.job, share.systems);
    if (is_new) {
        queue_.pop_front();  // still counts as opening
    } else {
        entry->second |= share.systems;
        pop();
    }
    return was_empty;
}

std::optional<job_id> ledger_work_queue::first_deferred() const {
    if (deferred_.empty()) return std::nullopt;
    return deferred_.begin()->first;
}

void ledger_work_queue::resume_first() {
    auto first = deferred_.extract(deferred_.begin());
    queue_.emplace_back(open_share{.job = first.key(), .systems = std::move(first.mapped())});
    wakeup_.notify();
}

}  // namespace muster::dispatch
