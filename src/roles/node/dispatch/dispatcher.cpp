#include "roles/node/dispatch/dispatcher.h"

#include "ports/deadline.h"
#include "roles/node/dispatch/task_frames.h"
#include "roles/node/dispatch/zone_limit.h"

#include <algorithm>
#include <utility>

namespace muster::dispatch {
namespace {

using namespace std::chrono_literals;
using muster::agent_protocol::Frame;
using rollout::engine;

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
          *this,
          rollout::engine_options{
              .self = how_.self,
              .jobs_max = how_.jobs_max,
              .node_points = how_.node_points,
              .system_points = how_.system_points,
              .unpaid_max = how_.node_points}),
      outbox_(around_.send),
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
           .send = [this](system_number to, Frame frame) { outbox_.add(to, std::move(frame)); },
           .flush =
               [this] {
                   outbox_.flush();
               }},
          how_.payloads),
      held_(how_.self.str(), how_.handover),
      gates_({.time = around_.time, .windows = around_.windows, .measured = around_.measured}) {
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
            outbox_.flush();
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
        engine_.feed(&engine::expire);
        write_overdue_starts();
        write_presumed();
        send_recorded();
        outbox_.flush();
        const auto wake =
            std::min(engine_->next_deadline().value_or(instant::max()), now() + clock_interval);
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
    engine_.feed(&engine::set_points, points);
    outbox_.flush();
}

void dispatcher::holdings_changed(const holdings::difference& made) {
    if (made.empty()) return;
    presumed_.lose(made.lost);
    engine_.feed(&engine::lose, made.lost, held_.epoch());
    for (const auto& each : around_.book.all()) {
        auto mine = each->who->targets & made.gained;
        if (!mine.empty())
            work_.push(open_share{.job = each->record.job, .systems = std::move(mine)});
    }
    outbox_.flush();
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
    const auto known = engine_->jobs();
    if (!std::ranges::binary_search(known, record.job)) {
        if (is_end(record.stage)) return;
        auto mine = one.who->targets & held_.held();
        if (!mine.empty()) work_.push(open_share{.job = record.job, .systems = std::move(mine)});
        return;
    }
    if (!is_end(record.stage)) engine_.feed(&engine::permit, record.job, permission_of(one));
    engine_.feed(&engine::change, record.job, record.stage, record.kill_running);
    outbox_.flush();
}

void dispatcher::take(const agent_left& news) {
    if (outbox_.detach(news.system, news.over)) engine_.feed(&engine::went_away, news.system);
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

void dispatcher::take_held(const agent_said& news, const muster::agent_protocol::TasksHeld& said) {
    for (const auto& each : said.held()) {
        const auto task = key_of(each.task(), news.system);
        if (each.unknown()) {
            engine_.feed(&engine::not_known, task);
            continue;
        }
        engine_.feed(&engine::accepted, task);
        engine_.feed(&engine::still_running, task);
        auto row = row_of(task, task_state::picked_up);
        row.picked_up =
            std::min(wall_time(std::chrono::microseconds(each.since_us())), around_.time.wall());
        if (around_.book.find(task.job) != nullptr) unrecorded_.add(std::move(row), now());
    }
    if (!said.all()) return;
    outbox_.attach(news.system, news.over);
    engine_.feed(&engine::bounded, news.system, said.running_max());
    engine_.feed(&engine::attached, news.system);
}

// A ledger that took long may have outlasted the lease: then another node may be counting what runs
// already, and would not know of these. If the slot is still ours when the lease is sure again,
// they go out; if not, it is for the heir to send them.
void dispatcher::send_recorded() {
    if (fenced()) return;
    for (const auto& task : unsent_.take())
        if (held_.held().contains(task.system)) send_task(task);
}

void dispatcher::write_overdue_starts() {
    unrecorded_.write(now() - how_.picked_up_after, [this](const task_record& row) {
        return keeper_.submit(row);
    });
}

void dispatcher::review_pressure() {
    using pressure = engine::ledger;
    in_flight_ = engine_->in_flight();
    waiting_ = keeper_.waiting();
    const bool slow = keeper_.behind() || fenced();
    engine_.feed(&engine::pressure, slow ? pressure::falls_behind : pressure::keeps_up);
}

// A start of the system's former node may have come on record after this node had read what there
// is; nobody else would ever ask what became of it.
void dispatcher::look_again() {
    if (now() < look_again_due_) return;
    look_again_due_ = now() + look_again_interval;
    for (const auto& each : around_.book.all()) {
        if (!lingers(each->record, around_.time.wall()) || work_.is_opening(each->record.job))
            continue;
        auto mine = each->who->targets & held_.held();
        if (!mine.empty())
            work_.push(open_share{.job = each->record.job, .systems = std::move(mine)});
    }
}

// Jobs that heed windows: who may be started on now.
void dispatcher::review_gates() {
    if (now() < gates_due_) return;
    gates_due_ = now() + window_gates::holds;
    for (const auto job : engine_->jobs()) {
        const auto known = around_.book.find(job);
        if (known != nullptr) review_gate(*known);
        if (known == nullptr) gates_.forget(job);
    }
}

void dispatcher::review_gate(const jobs::open_job& one) {
    const auto& record = one.record;
    if (!heeds_windows(record.spec)) return;
    const auto change = gates_.review(record, one.who->targets & held_.held());
    if (!change.shut.empty())
        engine_.feed(&engine::set_gate, record.job, change.shut, engine::gate::closed);
    if (!change.opened.empty())
        engine_.feed(&engine::set_gate, record.job, change.opened, engine::gate::open);
}

void dispatcher::shut_gate(const jobs::open_job& one, const fleet::system_set& systems) {
    if (!heeds_windows(one.record.spec)) return;
    gates_.shut(one.record.job, systems);
    engine_.feed(&engine::set_gate, one.record.job, systems, engine::gate::closed);
}

// At the very moment of a start: this process may have stood still since it last looked, and a
// record may have taken long.
bool dispatcher::outside_of_window(const rollout::attempt_key& task) {
    const auto known = around_.book.find(task.job);
    if (known == nullptr || !heeds_windows(known->record.spec)) return false;
    if (gates_.is_stale(task)) review_gate(*known);
    return gates_.is_closed(task);
}

void dispatcher::allow(job_id job, rollout::allowance part, rollout::settlement used) {
    engine_.feed(&engine::allow, job, part, used);
    outbox_.flush();
}

}  // namespace muster::dispatch
