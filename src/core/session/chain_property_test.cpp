#include "base/prng.h"
#include "core/session/agent_tasks.h"

#include <doctest/doctest.h>

#include <deque>
#include <map>
#include <vector>

// Chains under an agent that is killed, loses power, reboots and has a failing disk. The disk is
// the truth of the agent; what steps did to the machine is the truth of the world.
namespace muster::session {
namespace {

using namespace std::chrono_literals;

constexpr int chains = 4;
constexpr std::size_t steps_most = 4;

class fixture {
public:
    explicit fixture(std::uint64_t seed) : random_(seed) {
        for (int index = 0; index < chains; ++index) {
            const task_name name{.job = index, .attempt = 1};
            for (auto remaining = 1 + random_.below(steps_most); remaining > 0; --remaining)
                natures_[name].push_back(static_cast<task_nature>(random_.below(3)));
            done_[name].resize(natures_[name].size());
            runs_[name].resize(natures_[name].size());
        }
        start_agent();
    }

    void step() {
        now_ += std::chrono::milliseconds(random_.below(2000));
        switch (random_.below(8)) {
            case 0:
            case 1:
                return order_something();
            case 2:
            case 3:
            case 4:
                return end_something();
            case 5:
                if (random_.chance(200)) return restart(random_.chance(400), random_.chance(300));
                return;
            case 6:
                disk_works_ = random_.chance(900);
                return;
            default:
                return perform(machine_->expire(moment()));
        }
    }

    void settle() {
        trouble_ = false;
        disk_works_ = true;
        for (int round = 0; round < 200 && reports_.size() < natures_.size(); ++round) {
            now_ += 31s;
            perform(machine_->expire(moment()));
            for (const auto& [name, steps] : natures_)
                if (!reports_.contains(name))
                    perform(machine_->on_received({arrival(name)}, moment()));
            while (!running_.empty()) end_something();
            if (!waiting_.empty()) restart(false, true);
        }
    }

    void check() const {
        CHECK(reports_.size() == natures_.size());
        CHECK(out_of_order_ == 0);
        CHECK(unrecorded_ == 0);
        for (const auto& [name, runs] : runs_) {
            CAPTURE(name.job);
            for (std::size_t at = 0; at < runs.size(); ++at) {
                const bool harmless = natures_.at(name)[at] == task_nature::harmless;
                if (!harmless && !may_run_again(name)) CHECK(runs[at] <= 1);
                if (reports_.at(name) == task_outcome::succeeded) CHECK(done_.at(name)[at]);
            }
        }
    }
    int restarts() const { return restarts_; }
    std::size_t succeeded() const {
        std::size_t count = 0;
        for (const auto& [name, how] : reports_) count += how == task_outcome::succeeded ? 1U : 0U;
        return count;
    }

private:
    static bool may_run_again(task_name name) { return name.job % 2 == 0; }

    agent_tasks::moment moment() const {
        return {
            .now = instant(now_),
            .wall = wall_time(1000h + std::chrono::floor<std::chrono::microseconds>(now_))};
    }
    agent_tasks::received_task arrival(task_name name) const {
        return {
            .request =
                {.name = name,
                 .function = "chain.run",
                 .arguments = "{}",
                 .timeout = 24h,
                 .may_run_again = may_run_again(name)},
            .nature = task_nature::chain,
            .steps = natures_.at(name)};
    }

    void start_agent() {
        machine_.emplace(agent_tasks_options{.running_max = 2, .starts_max = 1000});
        running_.clear();
        waiting_.clear();
        std::vector<journaled_task> journaled_tasks;
        for (const auto& [name, task] : disk_) journaled_tasks.push_back(task);
        perform(machine_->start(
            std::move(journaled_tasks), "boot " + std::to_string(boots_), moment()));
        perform(machine_->on_attached(moment()));
    }
    void restart(bool power_failed, bool reboots) {
        ++restarts_;
        if (power_failed) disk_ = flushed_;
        flushed_ = disk_;
        disk_works_ = true;
        if (reboots) {
            ++boots_;
            // A machine that was told to reboot, or lost power meanwhile, has done so.
            for (const auto& [name, chain] : waiting_) done_[name][chain.results.size()] = true;
            for (const auto& [name, chain] : running_)
                if (natures_[name][chain.results.size()] == task_nature::reboots)
                    done_[name][chain.results.size()] = true;
        }
        start_agent();
    }

    void order_something() {
        const task_name name{.job = static_cast<std::int64_t>(random_.below(chains)), .attempt = 1};
        const auto it = reports_.find(name);
        if (it != reports_.end() && it->second == task_outcome::refused) return;
        perform(machine_->on_received({arrival(name)}, moment()));
    }

    void end_something() {
        if (running_.empty()) return;
        const auto [name, chain] = *running_.begin();
        running_.erase(name);
        const auto at = chain.results.size();
        const bool success = !random_.chance(50);
        if (success && natures_[name][at] == task_nature::reboots) {
            waiting_[name] = chain;
            return;
        }
        if (success) done_[name][at] = true;
        auto next = after_step(
            chain, {.outcome = success ? task_outcome::succeeded : task_outcome::failed});
        if (is_finished(next)) return perform(machine_->on_ended(name, ending(next), moment()));
        next.begun = true;
        progress_[name] = next;
        perform(machine_->on_step_ended(name, next, moment()));
    }
    static task_result ending(const chain_progress& chain) {
        return {.outcome = chain.results.back().outcome};
    }

    void perform(task_effects task_effects) {
        std::deque<task_effect> due(task_effects.begin(), task_effects.end());
        while (!due.empty()) {
            if (trouble_ && random_.chance(10)) return restart(random_.chance(400), false);
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
            if (is_finished(begun->chain))
                return machine_->on_ended(name, ending(begun->chain), moment());
            if (begun->chain.awaits_boot) {
                waiting_[name] = begun->chain;
                return {};
            }
            run_step(name, begun->chain);
        } else if (const auto* on = std::get_if<continue_chain>(&next)) {
            if (on->failure.empty()) {
                run_step(on->task, progress_.at(on->task));
                return {};
            }
            const auto refused =
                after_step(progress_.at(on->task), {.outcome = task_outcome::refused});
            return machine_->on_ended(on->task, ending(refused), moment());
        } else if (const auto* message = std::get_if<send_reports>(&next)) {
            for (const auto& report : message->reports)
                reports_.try_emplace(report.task, report.result.outcome);
        }
        return {};
    }
    void run_step(task_name name, const chain_progress& chain) {
        const auto at = chain.results.size();
        ++runs_[name][at];
        if (at > 0 && !done_[name][at - 1]) ++out_of_order_;
        const auto record = flushed_.find(name);
        const bool existing = record != flushed_.end() && record->second.chain.begun
                              && record->second.chain.results.size() == at;
        if (!existing) ++unrecorded_;
        running_[name] = chain;
    }
    task_effects store(const store_tasks& store_tasks) {
        if (!disk_works_) {
            if (!store_tasks.durable) return {};
            return machine_->on_stored(
                store_tasks.ticket, fail(errc::unavailable, "full"), moment());
        }
        for (const auto& task : store_tasks.put) disk_[task.request.name] = task;
        for (const auto& name : store_tasks.erased) disk_.erase(name);
        if (!store_tasks.durable) return {};
        flushed_ = disk_;
        return machine_->on_stored(store_tasks.ticket, {}, moment());
    }

    prng random_;
    monotonic::duration now_ = 1h;
    std::optional<agent_tasks> machine_;
    std::map<task_name, journaled_task> disk_;
    std::map<task_name, journaled_task> flushed_;
    std::map<task_name, std::vector<task_nature>> natures_;
    std::map<task_name, std::vector<bool>> done_;  // in truth
    std::map<task_name, std::vector<int>> runs_;
    std::map<task_name, chain_progress> progress_;  // that is being stored
    std::map<task_name, chain_progress> running_;
    std::map<task_name, chain_progress> waiting_;  // for a boot
    std::map<task_name, task_outcome> reports_;
    int boots_ = 1;
    int restarts_ = 0;
    int out_of_order_ = 0;
    int unrecorded_ = 0;
    bool disk_works_ = true;
    bool trouble_ = true;
};

TEST_CASE("however an agent dies, a chain's steps run in order, once, and are all told of") {
    int restarts = 0;
    std::size_t succeeded = 0;
    for (std::uint64_t seed = 1; seed <= 400; ++seed) {
        CAPTURE(seed);
        fixture fixture(seed);
        for (int steps = 0; steps < 120; ++steps) fixture.step();
        fixture.settle();
        fixture.check();
        restarts += fixture.restarts();
        succeeded += fixture.succeeded();
    }
    CHECK(restarts > 1000);
    CHECK(succeeded > 400);
}

}  // namespace
}  // namespace muster::session
