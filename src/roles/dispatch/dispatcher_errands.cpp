// What needs the ledger and is done one after the other.
#include "base/assert.h"
#include "roles/dispatch/dispatcher.h"
#include "roles/dispatch/share_loader.h"

#include <utility>

namespace muster::dispatch {
namespace {

constexpr std::chrono::milliseconds errand_pause{500};

// Whether any of them has windows: without, how long work takes need not be looked up.
bool have_windows(const dispatcher::surroundings& around, const fleet::system_set& systems) {
    const auto seen = around.windows(systems, {});
    return !seen.closed.empty() || !seen.begin_by.empty();
}

}  // namespace

void dispatcher::push_errand(errand next) {
    if (errands_.size() >= errands_max && std::holds_alternative<late_report>(next)) {
        ++errands_dropped_;  // its agent says it again
        return;
    }
    if (const auto* share = std::get_if<open_share>(&next)) ++opening_[share->job];
    errands_.push_back(std::move(next));
    errands_bell_.ring();
}

void dispatcher::pop_errand() {
    if (const auto* share = std::get_if<open_share>(&errands_.front())) {
        const auto counted = opening_.find(share->job);
        MUSTER_ASSERT(counted != opening_.end());
        if (--counted->second == 0) opening_.erase(counted);
    }
    errands_.pop_front();
}

// A job that finds no room waits for one that ends, and nothing else waits behind it.
bool dispatcher::put_off_if_full() {
    const auto* share = std::get_if<open_share>(&errands_.front());
    if (share == nullptr || engine_.takes(share->job)) return false;
    if (put_off_.empty())
        around_.log.warning(
            "this node has as many open jobs as it takes; others wait",
            {{"jobs", how_.jobs_max}, {"first", to_string(share->job)}});
    const auto [waiting, fresh] = put_off_.try_emplace(share->job, share->systems);
    if (fresh) {
        errands_.pop_front();  // it is being opened still
    } else {
        waiting->second |= share->systems;
        pop_errand();
    }
    return true;
}

void dispatcher::take_up_what_was_put_off() {
    while (!put_off_.empty() && engine_.takes(put_off_.begin()->first)) {
        auto first = put_off_.extract(put_off_.begin());
        errands_.emplace_back(open_share{.job = first.key(), .systems = std::move(first.mapped())});
        errands_bell_.ring();
        if (around_.book.find(first.key()) != nullptr) return;  // it takes the room
    }
}

std::optional<std::int64_t> dispatcher::loaded_epoch(job_id job) const {
    if (opening_.contains(job)) return std::nullopt;
    return known_epoch_;
}

boost::asio::awaitable<void> dispatcher::run_errands() {
    bool well = true;
    while (true) {
        if (errands_.empty()) {
            const auto rung = co_await errands_bell_.wait();
            if (!rung) co_return;
            continue;
        }
        if (put_off_if_full()) continue;
        auto next = errands_.front();
        const auto done = co_await std::visit(
            [this](auto what) { return run(std::move(what)); }, std::move(next));
        if (done || done.error().code() == errc::invalid
            || done.error().code() == errc::not_found) {
            pop_errand();
            well = true;
            flush();
            continue;
        }
        if (done.error().code() == errc::cancelled) co_return;
        if (std::exchange(well, false))
            around_.log.warning("cannot look up tasks", {{"reason", to_string(done.error())}});
        const auto slept = co_await around_.time.sleep_for(errand_pause);
        if (!slept) co_return;
    }
}

async<void> dispatcher::run(open_share wanted) {
    if (around_.book.find(wanted.job) == nullptr) co_return result<void>();
    CO_TRY(
        auto mine,
        co_await load_share(&around_.records, wanted.job, wanted.systems & held_.held()));
    const auto job = around_.book.find(wanted.job);
    if (job == nullptr || mine.targets.empty()) co_return result<void>();
    if (job->record.spec.windows == job_spec::window_rule::respect
        && have_windows(around_, mine.targets)) {
        CO_CHECK_OK(co_await learn_duration(job->record.spec));
    }
    // What was lost meanwhile is no longer ours to start.
    mine.targets &= held_.held();
    std::erase_if(mine.running, [&mine](const rollout::running_task& each) {
        return !mine.targets.contains(each.system);
    });
    std::erase_if(mine.waiting, [&mine](const rollout::waiting_task& each) {
        return !mine.targets.contains(each.system);
    });
    const auto gained = mine.targets;
    shut_gate(*job, gained);  // one that is open here would start them at once
    CO_TRY(
        const auto effects,
        engine_.open(
            rollout::terms_of(job->record, around_.time.wall(), now()), std::move(mine), now()));
    perform(effects);
    shut_gate(*job, gained);  // one that was not here before has its gate only now
    review_gate(*job);
    perform(engine_.permit(wanted.job, permission_of(*job), now()));
    perform(engine_.change(wanted.job, job->record.stage, job->record.kill_running, now()));
    co_return result<void>();
}

async<void> dispatcher::run(halt_job wanted) {
    const auto halted = co_await around_.records.change(
        wanted.job, [reason = wanted.reason](job_record job) -> result<job_record> {
            if (is_end(job.stage)) return job;
            job.stage = job_stage::halted;
            job.reason = reason;
            return job;
        });
    if (!halted) co_return fail(halted.error());
    co_return result<void>();
}

}  // namespace muster::dispatch
