#include "roles/node/dispatch/ledger_work_queue.h"

#include "base/assert.h"

#include <utility>

namespace muster::dispatch {

void ledger_work_queue::push(ledger_work next) {
    if (waiting_.size() >= length_max && std::holds_alternative<late_report>(next)) {
        ++dropped_;
        return;
    }
    if (const auto* share = std::get_if<open_share>(&next)) ++opening_[share->job];
    waiting_.push_back(std::move(next));
    more_.ring();
}

void ledger_work_queue::pop() {
    if (const auto* share = std::get_if<open_share>(&waiting_.front())) {
        const auto counted = opening_.find(share->job);
        MUSTER_ASSERT(counted != opening_.end());
        if (--counted->second == 0) opening_.erase(counted);
    }
    waiting_.pop_front();
}

bool ledger_work_queue::put_off_front() {
    const bool first = put_off_.empty();
    const auto& share = std::get<open_share>(waiting_.front());
    const auto [waiting, fresh] = put_off_.try_emplace(share.job, share.systems);
    if (fresh) {
        waiting_.pop_front();  // it is being opened still
    } else {
        waiting->second |= share.systems;
        pop();
    }
    return first;
}

std::optional<job_id> ledger_work_queue::first_put_off() const {
    if (put_off_.empty()) return std::nullopt;
    return put_off_.begin()->first;
}

void ledger_work_queue::resume_first() {
    auto first = put_off_.extract(put_off_.begin());
    waiting_.emplace_back(open_share{.job = first.key(), .systems = std::move(first.mapped())});
    more_.ring();
}

}  // namespace muster::dispatch
