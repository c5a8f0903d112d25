#include "base/prng.h"
#include "core/session/agent_tasks.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <set>

// An agent that is killed, loses power and connection and has a failing disk. Its node repeats
// requests. Only what is on disk survives the agent.
namespace muster::session {
namespace {

using namespace std::chrono_literals;

constexpr int jobs = 12;

class fixture {
public:
    explicit fixture(std::uint64_t seed) : random_(seed) { start_agent(); }

    void step() {
        now_ += std::chrono::milliseconds(random_.below(4000));
        switch (random_.below(12)) {
            case 0:
            case 1:
            case 2:
                return order_something();
            case 3:
            case 4:
                return end_something();
            case 5:
                return take_some_reports();
            case 6:
                attached_ = !attached_;
                if (!attached_) return machine_->on_detached();
                return perform(machine_->on_attached(moment()));
            case 7:
                return cancel_something();
            case 8:
                if (random_.chance(300)) return restart(random_.chance(500));
                return;
            case 9:
                disk_works_ = random_.chance(800);
                return;
            default:
                return perform(machine_->expire(moment()));
        }
    }

    // No more trouble: everything that was ever ordered must come to its end.
    void settle() {
        disk_works_ = true;
        trouble_ = false;
        if (!attached_) {
            attached_ = true;
            perform(machine_->on_attached(moment()));
        }
        for (int round = 0; round < 200 && reports_.size() < ordered_.size(); ++round) {
            now_ += 31s;
            perform(machine_->expire(moment()));
            for (const auto& name : ordered_) {
                if (reports_.contains(name)) continue;
                came_[name] = now_;
                perform(machine_->on_received({arrival(name)}, moment()));
            }
            while (!processes_.empty()) end_something();
        }
    }

    void check() const {
        CHECK(reports_.size() == ordered_.size());
        for (const auto& [name, outcome] : reports_) {
            CAPTURE(name.job);
            const auto it = runs_.find(name);
            const auto runs = it == runs_.end() ? 0 : it->second;
            if (!may_run_again(name)) CHECK(runs <= 1);
            if (may_run_again(name)) CHECK(runs <= 3);
            if (outcome == task_outcome::succeeded) CHECK(runs >= 1);
            if (outcome == task_outcome::refused) CHECK(runs == 0);
            if (outcome == task_outcome::not_started) CHECK(runs == 0);
        }
        CHECK(run_without_record_ == 0);
        CHECK(run_late_ == 0);
    }
    int restarts() const { return restarts_; }
    int not_started() const {
        return static_cast<int>(std::ranges::count_if(
            reports_, [](const auto& item) { return item.second == task_outcome::not_started; }));
    }

private:
    static bool may_run_again(task_name name) { return name.job % 4 == 0; }
    static monotonic::duration start_within(task_name name) {
        return name.job % 3 == 0 ? monotonic::duration(20s) : monotonic::duration();
    }

    agent_tasks::moment moment() const {
        return {
            .now = instant(now_),
            .wall = wall_time(1000h + std::chrono::floor<std::chrono::microseconds>(now_))};
    }

    static agent_tasks::received_task arrival(task_name name) {
        return {
            .request = {
                .name = name,
                .function = "cmd.run",
                .arguments = "{}",
                .timeout = 20s,
                .may_run_again = may_run_again(name),
                .start_within = start_within(name)}};
    }

    void start_agent() {
        machine_.emplace(agent_tasks_options{.running_max = 2, .waiting_max = 4, .wait_max = 1h});
        processes_.clear();
        attached_ = false;
        std::vector<journaled_task> journaled_tasks;
        for (const auto& [name, task] : disk_) journaled_tasks.push_back(task);
        perform(machine_->start(std::move(journaled_tasks), "boot", moment()));
    }

    // A kill leaves what was written, a power failure only what was flushed.
    void restart(bool power_failed) {
        ++restarts_;
        if (power_failed) disk_ = flushed_;
        flushed_ = disk_;
        disk_works_ = true;
        start_agent();
    }

    void order_something() {
        std::vector<agent_tasks::received_task> several;
        for (std::uint64_t left = 1 + random_.below(3); left > 0; --left) {
            const task_name name{
                .job = static_cast<std::int64_t>(random_.below(jobs)), .attempt = 1};
            const auto it = reports_.find(name);
            // A refusal that the disk did not take is forgotten with the agent.
            if (it != reports_.end() && it->second == task_outcome::refused) continue;
            several.push_back(arrival(name));
            if (!attached_) continue;
            ordered_.insert(name);
            came_[name] = now_;
        }
        if (attached_) perform(machine_->on_received(std::move(several), moment()));
    }

    void end_something() {
        if (processes_.empty()) return;
        const auto name = *processes_.begin();
        processes_.erase(name);
        perform(machine_->on_ended(name, {.outcome = task_outcome::succeeded}, moment()));
    }

    void cancel_something() {
        const task_name name{.job = static_cast<std::int64_t>(random_.below(jobs)), .attempt = 1};
        if (attached_) perform(machine_->on_signal(name, task_signal::cancel, moment()));
    }

    void take_some_reports() {
        std::vector<task_name> names;
        for (const auto& [name, outcome] : reports_) {
            if (random_.chance(500)) names.push_back(name);
        }
        if (attached_) perform(machine_->on_reports_acknowledged(names, moment()));
    }

    void perform(task_effects task_effects) {
        std::deque<task_effect> due(task_effects.begin(), task_effects.end());
        while (!due.empty()) {
            // Killed between any two effects.
            if (trouble_ && random_.chance(10)) return restart(random_.chance(500));
            const auto next = std::move(due.front());
            due.pop_front();
            const auto more = perform_one(next);
            due.insert(due.end(), more.begin(), more.end());
        }
    }

    task_effects perform_one(const task_effect& next) {
        if (const auto* stored = std::get_if<store_tasks>(&next)) return store(*stored);
        if (const auto* begun = std::get_if<run_task>(&next)) {
            const auto name = begun->request.name;
            ++runs_[name];
            const auto within = start_within(name);
            if (within.count() > 0 && now_ >= came_.at(name) + within) ++run_late_;
            processes_.insert(name);
            const auto record = flushed_.find(name);
            if (record == flushed_.end()
                || record->second.state != journaled_task::journal_state::running)
                ++run_without_record_;
        } else if (const auto* end = std::get_if<end_task>(&next)) {
            if (processes_.erase(end->task) > 0)
                return machine_->on_ended(end->task, {.outcome = task_outcome::failed}, moment());
        } else if (const auto* message = std::get_if<send_reports>(&next)) {
            // A frame may be lost with its connection. The node keeps the first report.
            if (!trouble_ || random_.chance(800)) {
                for (const auto& report : message->reports)
                    reports_.try_emplace(report.task, report.result.outcome);
            }
        }
        return {};
    }

    task_effects store(const store_tasks& store_tasks) {
        if (!disk_works_) {
            if (!store_tasks.durable) return {};
            return machine_->on_stored(
                store_tasks.ticket, fail(errc::unavailable, "full"), moment());
        }
        for (const auto& item : store_tasks.put) disk_[item.request.name] = item;
        for (const auto& item : store_tasks.erased) disk_.erase(item);
        if (!store_tasks.durable) return {};
        flushed_ = disk_;
        return machine_->on_stored(store_tasks.ticket, {}, moment());
    }

    prng random_;
    monotonic::duration now_ = 1h;
    std::optional<agent_tasks> machine_;
    std::map<task_name, journaled_task> disk_;
    std::map<task_name, journaled_task> flushed_;
    std::set<task_name> processes_;
    std::set<task_name> ordered_;  // by a connected node
    std::map<task_name, task_outcome> reports_;
    std::map<task_name, int> runs_;
    std::map<task_name, monotonic::duration> came_;  // when it was last ordered
    int run_without_record_ = 0;
    int run_late_ = 0;
    int restarts_ = 0;
    bool attached_ = false;
    bool disk_works_ = true;
    bool trouble_ = true;
};

TEST_CASE("however an agent dies, no task runs twice and every task has its report") {
    int restarts = 0;
    int not_started = 0;
    for (std::uint64_t seed = 1; seed <= 400; ++seed) {
        CAPTURE(seed);
        fixture fixture(seed);
        for (int steps = 0; steps < 300; ++steps) fixture.step();
        fixture.settle();
        fixture.check();
        restarts += fixture.restarts();
        not_started += fixture.not_started();
    }
    CHECK(not_started > 100);
    CHECK(restarts > 1000);
}

}  // namespace
}  // namespace muster::session
