#include "roles/node/dispatch/grant_keeper.h"

#include "base/assert.h"
#include "ports/deadline.h"
#include "services/jobs/quota_record.h"

#include <algorithm>
#include <utility>

namespace muster::dispatch {

grant_keeper::grant_keeper(surroundings around, options how)
    : around_(around),
      how_(std::move(how)),
      grants_(around.store, around.time, around.log, jobs::grants_of(how_.self)) {}

// Whether this node may rely on what it knows.
bool grant_keeper::stands() {
    const auto now = around_.time.now();
    const auto last = std::exchange(looked_, now);
    const auto known = around_.topology.read();
    const auto own = known->nodes.find(how_.self.str());
    if (own == known->nodes.end() || !membership::is_member(own->second.state)) return false;
    const std::pair place(own->second.number, own->second.zone);
    if (std::exchange(place_, place) != place) return false;
    return around_.lease.holds(now) && (!last || now - *last <= how_.lapse);
}

void grant_keeper::start_anew() {
    if (held_.empty()) return;
    for (const auto& [job, mine] : held_) around_.node.allow(job, {}, mine.holder.settled());
    held_.clear();
    ++beginnings_;
}

void grant_keeper::forget_ended() {
    std::erase_if(
        held_, [this](const auto& each) { return around_.book.find(each.first) == nullptr; });
}

void grant_keeper::tell_dispatcher(job_id job, holding& mine) {
    if (!around_.node.engine().report(job, around_.time.now())) {
        mine.told.reset();
        return;
    }
    const std::pair now(mine.holder.usable(), mine.holder.settled());
    if (mine.told == now) return;
    mine.told = now;
    around_.node.allow(job, now.first, now.second);
}

// A job none of whose systems are here may still be charged to this node: for what it started
// before its slots went elsewhere.
std::uint64_t grant_keeper::used(job_id job, const holding& mine) const {
    const auto told = around_.node.engine().report(job, around_.time.now());
    return told ? told->used : mine.holder.settled().elsewhere;
}

async<void> grant_keeper::offer(job_id job, rollout::grant_holder::write what) {
    ++writes_;
    const auto key = jobs::grant_key(how_.self, job);
    kv::transaction change;
    change.when.emplace_back(kv::unchanged{key, kv::revision(what.revision)});
    change.then.emplace_back(kv::put{.key = key, .value = jobs::encode(what.to)});
    CO_TRY(
        const auto verdict,
        co_await within(around_.time, how_.patience, around_.store.commit(std::move(change))));
    const auto mine = held_.find(job);
    if (!verdict.committed || mine == held_.end()) co_return result<void>();
    mine->second.holder.observe(std::move(what.to), verdict.at.value());
    tell_dispatcher(job, mine->second);
    co_return result<void>();
}

async<void> grant_keeper::report(std::shared_ptr<const jobs::open_job> job, std::int64_t epoch) {
    const auto id = job->record.job;
    auto& mine = held_.at(id);
    const auto now = around_.time.now();
    if (now < mine.report_from) co_return result<void>();
    auto told = around_.node.engine().report(id, now).value_or(rollout::share_report());
    told.used = used(id, mine);
    told.epoch = epoch;
    told.unsettled = std::max(told.unsettled, mine.holder.began());
    const auto limits = jobs::limits_of(job->record);
    MUSTER_ASSERT(limits.has_value());
    auto outline = rollout::outline(std::move(told), how_.self, *limits);
    if (mine.reported == outline) co_return result<void>();
    ++writes_;
    mine.report_from = now + how_.report_interval;
    kv::transaction change;
    change.then.emplace_back(
        kv::put{.key = jobs::report_key(how_.self, id), .value = jobs::encode(outline)});
    CO_TRY(
        const auto verdict,
        co_await within(around_.time, how_.patience, around_.store.commit(std::move(change))));
    MUSTER_ASSERT(verdict.committed);  // nothing was required
    held_.at(id).reported = std::move(outline);
    co_return result<void>();
}

// Before all of the node's tasks of the job are read it neither uses nor gives back anything: it
// would take for free what earlier starts of its own still use.
async<void> grant_keeper::look_at(std::shared_ptr<const jobs::open_job> job) {
    const auto id = job->record.job;
    const auto loaded = around_.node.loaded_epoch(id);
    if (!loaded) co_return result<void>();
    auto& mine = held_
                     .try_emplace(
                         id,
                         holding{
                             .holder = rollout::grant_holder(
                                 how_.process + "." + std::to_string(beginnings_), *loaded),
                             .told = {},
                             .reported = {}})
                     .first->second;
    const auto* const quota = grants_.find(id);
    if (quota != nullptr) {
        const auto record = quota->grants.find(how_.self.str());
        if (record != quota->grants.end())
            mine.holder.observe(record->second.what, record->second.at.value());
    }
    tell_dispatcher(id, mine);
    if (auto wish = mine.holder.wish(used(id, mine))) {
        CO_CHECK_OK(co_await offer(id, *std::move(wish)));
    }
    co_return co_await report(std::move(job), *loaded);
}

async<void> grant_keeper::look() {
    if (!stands()) {
        start_anew();
        co_return result<void>();
    }
    forget_ended();
    writes_ = 0;
    auto open = around_.book.all();
    std::erase_if(open, [](const auto& each) { return !jobs::limits_of(each->record); });
    // Goes on where it ended, so that many jobs all get their turn.
    const auto next =
        std::ranges::find_if(open, [this](const auto& each) { return each->record.job > last_; });
    std::ranges::rotate(open, next);
    last_ = job_id();
    for (const auto& each : open) {
        if (!may_write()) break;
        CO_CHECK_OK(co_await look_at(each));
        if (!may_write()) last_ = each->record.job;
    }
    co_return result<void>();
}

boost::asio::awaitable<void> grant_keeper::run() {
    bool well = true;
    while (true) {
        const auto news = co_await grants_.follow(how_.interval);
        const auto done = news ? co_await look() : fail(news.error());
        if (done) {
            well = true;
            continue;
        }
        if (done.error().code() == errc::cancelled) co_return;
        if (std::exchange(well, false))
            around_.log.warning(
                "cannot follow what this node may use of jobs' limits; it goes on with what it has",
                {{"reason", to_string(done.error())}});
        const auto slept = co_await around_.time.sleep_for(how_.interval);
        if (!slept) co_return;
    }
}

}  // namespace muster::dispatch
