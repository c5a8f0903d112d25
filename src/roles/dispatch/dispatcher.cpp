#include "roles/dispatch/dispatcher.h"

#include "ports/deadline.h"
#include "roles/dispatch/task_frames.h"
#include "roles/dispatch/zone_limit.h"

#include <algorithm>
#include <utility>

namespace muster::dispatch {
namespace {

using namespace std::chrono_literals;
using muster::channel::Frame;

constexpr auto clock_interval = 250ms;
// So many at once tell that more are coming: waking up for each of them would cost as much as what
// it says.
constexpr std::size_t crowd = 8;
constexpr auto crowd_pause = 2ms;
constexpr auto holdings_interval = 1s;
constexpr auto look_again_interval = 30s;
constexpr auto lingers_from = 20s;

// Its time is over, or it is cancelled, and still it has not ended.
bool lingers(const job_record& job, wall_time now) {
    const auto over = job.spec.not_before.value_or(made_at(job.job))
                      + std::chrono::floor<std::chrono::microseconds>(job.spec.expires_after);
    const bool cancelled = job.stage == job_stage::cancelling && now >= job.changed + lingers_from;
    return cancelled || now >= over + lingers_from;
}

}  // namespace

dispatcher::dispatcher(surroundings around, options how)
    : around_(std::move(around)),
      how_(std::move(how)),
      engine_(
          {.self = how_.self,
           .jobs_max = how_.jobs_max,
           .node_points = how_.node_points,
           .system_points = how_.system_points,
           .unpaid_max = how_.node_points}),
      keeper_(
          around_.records.records(),
          around_.time,
          around_.log,
          how_.keeping,
          [this](std::vector<task_record> rows, return_keeper::standing how) {
              recorded(std::move(rows), how);
          }),
      payloads_(
          {.records = around_.records,
           .time = around_.time,
           .log = around_.log,
           .send = [this](system_number to, Frame frame) { send(to, std::move(frame)); },
           .flush =
               [this] {
                   flush();
               }},
          how_.payloads),
      held_(how_.self.str(), how_.handover) {
    around_.book.watch([this](const jobs::open_job& one) { job_changed(one); });
}

void dispatcher::heard_of(std::span<const fleet::change> changes) {
    {
        const std::scoped_lock lock(changes_guard_);
        changes_.insert(changes_.end(), changes.begin(), changes.end());
    }
    holdings_bell_.ring();
}

boost::asio::awaitable<void> dispatcher::read_inbox() {
    while (true) {
        const auto news = inbox_.take();
        for (const auto& each : news) std::visit([this](const auto& one) { take(one); }, each);
        if (!news.empty()) {
            review_pressure();
            flush();
        }
        result<void> rung;
        if (news.size() < crowd) {
            rung = co_await inbox_.bell().wait();
        } else {
            rung = co_await around_.time.sleep_for(crowd_pause);
        }
        if (!rung) co_return;
    }
}

boost::asio::awaitable<void> dispatcher::watch_clock() {
    while (true) {
        review_pressure();
        review_gates();
        look_again();
        perform(engine_.expire(now()));
        write_overdue_starts();
        write_presumed();
        send_recorded();
        flush();
        const auto wake =
            std::min(engine_.next_deadline().value_or(instant::max()), now() + clock_interval);
        const auto slept = co_await around_.time.sleep_until(wake);
        if (!slept) co_return;
    }
}

boost::asio::awaitable<void> dispatcher::keep_holdings() {
    while (true) {
        const auto known = around_.topology.read();
        heed_zone_limit(known);
        if (held_.see(*known, now()) && around_.systems.complete()) {
            const auto made = co_await held_.survey(around_.systems, now());
            if (!made) co_return;
            holdings_changed(*made);
            known_epoch_ = held_.whole_epoch();
        }
        std::vector<fleet::change> changes;
        {
            const std::scoped_lock lock(changes_guard_);
            changes = std::exchange(changes_, {});
        }
        if (!changes.empty()) holdings_changed(held_.heard_of(changes, now()));
        const auto rung = co_await within(around_.time, holdings_interval, holdings_bell_.wait());
        if (!rung && rung.error().code() == errc::cancelled) co_return;
    }
}

void dispatcher::heed_zone_limit(const std::shared_ptr<const cluster::topology>& known) {
    if (std::exchange(limited_by_, known) == known) return;
    const auto points = points_of(*known, how_.self.str(), how_.node_points);
    perform(engine_.set_points(points, now()));
    flush();
}

void dispatcher::holdings_changed(const holdings::difference& made) {
    if (made.empty()) return;
    presumed_.lose(made.lost);
    perform(engine_.lose(made.lost, held_.epoch(), now()));
    for (const auto& each : around_.book.all()) {
        auto mine = each->who->targets & made.gained;
        if (!mine.empty())
            push_errand(open_share{.job = each->record.job, .systems = std::move(mine)});
    }
    flush();
}

rollout::permission dispatcher::permission_of(const jobs::open_job& one) const {
    switch (one.record.phase) {
        case job_phase::nobody:
            return rollout::nobody{};
        case job_phase::canaries:
            return rollout::canaries_only{one.who->canaries};
        case job_phase::everybody:
            return rollout::everybody{};
    }
    MUSTER_ASSERT(false);
}

void dispatcher::job_changed(const jobs::open_job& one) {
    const auto& record = one.record;
    const auto known = engine_.jobs();
    if (!std::ranges::binary_search(known, record.job)) {
        if (is_end(record.stage)) return;
        auto mine = one.who->targets & held_.held();
        if (!mine.empty()) push_errand(open_share{.job = record.job, .systems = std::move(mine)});
        return;
    }
    if (!is_end(record.stage)) perform(engine_.permit(record.job, permission_of(one), now()));
    perform(engine_.change(record.job, record.stage, record.kill_running, now()));
    flush();
}

void dispatcher::take(const agent_left& news) {
    const auto known = channels_.find(news.system);
    if (known == channels_.end() || known->second != news.over) return;
    channels_.erase(known);
    perform(engine_.went_away(news.system, now()));
}

void dispatcher::take(const agent_said& news) {
    switch (news.frame.kind_case()) {
        case Frame::kTasksHeld:
            take_held(news, news.frame.tasks_held());
            return;
        case Frame::kReports:
            for (const auto& each : news.frame.reports().reports()) take_report(news.system, each);
            return;
        case Frame::kPayloadPart:
            payloads_.take(news.system, news.frame.payload_part());
            return;
        default:
            return;
    }
}

void dispatcher::take_held(const agent_said& news, const muster::channel::TasksHeld& said) {
    for (const auto& each : said.held()) {
        const auto task = key_of(each.task(), news.system);
        if (each.unknown()) {
            perform(engine_.not_known(task, now()));
            continue;
        }
        perform(engine_.accepted(task, now()));
        perform(engine_.still_running(task, now()));
        auto row = row_of(task, task_state::picked_up);
        row.picked_up =
            std::min(wall_time(std::chrono::microseconds(each.since_us())), around_.time.wall());
        const task_key key(task.job, task.system.value());
        if (around_.book.find(task.job) == nullptr) continue;
        if (unrecorded_.try_emplace(key, std::move(row)).second)
            unrecorded_since_.emplace_back(now(), key);
    }
    if (!said.all()) return;
    channels_[news.system] = news.over;
    perform(engine_.bounded(news.system, said.running_max(), now()));
    perform(engine_.attached(news.system, now()));
}

// A ledger that took long may have outlasted the lease: then another node may be counting what runs
// already, and would not know of these. If the slot is still ours when the lease is sure again,
// they go out; if not, it is for the heir to send them.
void dispatcher::send_recorded() {
    if (fenced()) return;
    for (const auto& [key, attempt] : std::exchange(unsent_, {})) {
        const system_number system(key.second);
        if (held_.held().contains(system))
            send_task({.job = key.first, .system = system, .attempt = attempt});
    }
}

void dispatcher::write_overdue_starts() {
    while (!unrecorded_since_.empty()
           && unrecorded_since_.front().first + how_.picked_up_after <= now()) {
        const auto found = unrecorded_.find(unrecorded_since_.front().second);
        if (found != unrecorded_.end()) {
            if (!keeper_.submit(found->second)) return;
            unrecorded_.erase(found);
        }
        unrecorded_since_.pop_front();
    }
}

void dispatcher::review_pressure() {
    using pressure = rollout::engine::ledger;
    in_flight_ = engine_.in_flight();
    waiting_ = keeper_.waiting();
    const bool slow = keeper_.behind() || fenced();
    perform(engine_.pressure(slow ? pressure::falls_behind : pressure::keeps_up, now()));
}

// A start of the system's former node may have come on record after this node had read what there
// is; nobody else would ever ask what became of it.
void dispatcher::look_again() {
    if (now() < look_again_due_) return;
    look_again_due_ = now() + look_again_interval;
    for (const auto& each : around_.book.all()) {
        if (!lingers(each->record, around_.time.wall()) || opening_.contains(each->record.job))
            continue;
        auto mine = each->who->targets & held_.held();
        if (!mine.empty())
            push_errand(open_share{.job = each->record.job, .systems = std::move(mine)});
    }
}

void dispatcher::allow(job_id job, rollout::allowance part, rollout::settlement used) {
    perform(engine_.allow(job, part, used, now()));
    flush();
}

}  // namespace muster::dispatch
