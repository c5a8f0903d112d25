#include "core/rollout/quota_simulation_fixture.h"

#include <algorithm>
#include <chrono>

namespace muster::rollout {

quota_simulation::quota_simulation(std::uint64_t seed, fault planted)
    : random_(seed), planted_(planted), limit_(1 + random_.below(6)) {
    draw_weights();
    for (std::size_t slot = 0; slot < slots; ++slot) table_[slot].node = slot % nodes;
    for (auto& versions : grants_) versions.emplace_back();
    for (std::size_t node = 0; node < nodes; ++node) boot(node);
}

// Which things happen often is drawn for each simulation, so that actions that are common in one
// are rare in another.
void quota_simulation::draw_weights() {
    for (std::uint64_t& weight : weights_) weight = random_.below(8);
    const auto at_least = [this](action action, std::uint64_t often) {
        auto& weight = weights_[static_cast<std::size_t>(action)];
        weight = std::max(weight, often);
    };
    for (const action action : {action::deliver, action::look, action::plan, action::report})
        at_least(action, 5);
    for (const action action : {action::follow, action::offer, action::finish, action::bring})
        at_least(action, 1);
}

quota_simulation::action quota_simulation::any_action() {
    std::uint64_t sum = 0;
    for (const std::uint64_t weight : weights_) sum += weight;
    std::uint64_t drawn = random_.below(sum);
    std::size_t at = 0;
    while (drawn >= weights_[at]) drawn -= weights_[at++];
    return static_cast<action>(at);
}

void quota_simulation::any_step() {
    now_ += std::chrono::milliseconds(random_.below(100));
    const auto node = static_cast<std::size_t>(random_.below(nodes));
    if (servers_[node].up) perform(node, servers_[node].up->machine.expire(now_));
    switch (any_action()) {
        case action::crash:
            return random_.chance(50) ? crash(node) : boot(node);
        case action::give_up:
            return random_.chance(30) ? give_up(node) : boot(node);
        case action::move:
            return random_.chance(50) ? move(static_cast<std::size_t>(random_.below(slots)), node)
                                      : follow_table(node);
        case action::follow:
            return follow_table(node);
        case action::look:
            return look_at_record(node);
        case action::offer:
            return offer(node);
        case action::report:
            return report(node);
        case action::plan:
            return plan(static_cast<std::size_t>(random_.below(coordinators_.size())));
        case action::finish:
            return finish_one();
        case action::bring:
            if (!finished_.empty()) bring_return(*finished_.begin());
            return;
        case action::lose:
            return lose_message();
        case action::deliver:
            return deliver_some();
    }
}

void quota_simulation::quiet_round() {
    now_ += std::chrono::seconds(1);
    for (std::size_t node = 0; node < nodes; ++node) {
        boot(node);
        perform(node, servers_[node].up->machine.expire(now_));
        follow_table(node);
        look_at_record(node);
        offer(node);
        report(node);
        while (!network_.empty()) deliver(0);
        plan(0);
        while (!network_.empty()) deliver(0);
        look_at_record(node);
    }
    while (!network_.empty()) deliver(0);
    while (!running_.empty()) finish_one();
    const auto waiting = finished_;
    for (const std::int64_t system : waiting) bring_return(system);
}

void quota_simulation::lose_message() {
    if (!network_.empty() && network_.front().may_be_lost) network_.erase(network_.begin());
}

// Mostly the oldest ones; now and then one overtakes all others.
void quota_simulation::deliver_some() {
    for (int left = 8; left > 0 && !network_.empty(); --left) {
        const std::size_t reach = random_.chance(100) ? network_.size() : 3;
        deliver(static_cast<std::size_t>(random_.below(std::min(reach, network_.size()))));
    }
}

void quota_simulation::deliver(std::size_t index) {
    const auto message = std::move(network_[index].deliver);
    network_.erase(network_.begin() + static_cast<std::ptrdiff_t>(index));
    message();
}

std::uint64_t quota_simulation::charged() const {
    std::uint64_t sum = 0;
    for (const auto& versions : grants_) sum += versions.back().value.ceiling.concurrency;
    return sum;
}

bool quota_simulation::all_done() const {
    return std::ranges::all_of(
        ledger_, [](const row& row) { return row.state == task_state::completed; });
}

quota_simulation::process* quota_simulation::alive(std::size_t node, const std::string& name) {
    process* up = servers_[node].up.get();
    return up != nullptr && up->name == name ? up : nullptr;
}

void quota_simulation::boot(std::size_t node) {
    server& host = servers_[node];
    if (host.up) return;
    host.gone = false;  // a new process goes through onboarding again
    host.up = std::make_unique<process>(
        "p" + std::to_string(++processes_), scheduler_options{.self = name_of(node)}, epoch_);
    process& up = *host.up;
    job_terms terms{
        .job = job_,
        .rollout = {.batch = amount{.value = static_cast<double>(limit_)}},
        .period = {.opens = now_, .expires = now_ + std::chrono::hours(24)},
        .targets = static_cast<std::uint64_t>(systems)};
    perform(node, up.machine.open(terms, {}, now_).value());
    perform(node, up.machine.set_permission(job_, start_all{}, now_));
    follow_table(node);
}

// The node is declared faulty, rightly or not: its slots go to others, and it gets none before a
// new process of it was taken in.
void quota_simulation::give_up(std::size_t node) {
    if (servers_[node].gone) return;
    const auto heir = static_cast<std::size_t>(random_.below(nodes));
    if (heir == node || servers_[heir].gone) return;
    for (std::size_t slot = 0; slot < slots; ++slot)
        if (table_[slot].node == node) move(slot, heir);
    servers_[node].gone = true;
}

void quota_simulation::move(std::size_t slot, std::size_t target) {
    const std::size_t source = table_[slot].node;
    if (source == target || servers_[target].gone) return;
    table_[slot] = {.node = target, .epoch = ++epoch_};
    servers_[source].changed = servers_[target].changed = epoch_;
}

void quota_simulation::follow_table(std::size_t node) {
    process* up = servers_[node].up.get();
    if (up == nullptr) return;
    if (servers_[node].gone) return crash(node);  // the node reads that it was removed
    for (std::size_t slot = 0; slot < slots; ++slot) {
        const bool had = up->owned.contains(slot);
        const bool has = table_[slot].node == node;
        if (had && (!has || up->owned[slot] != table_[slot].epoch)) {
            const system_number first(static_cast<std::int64_t>(slot) * systems_a_slot);
            const system_number last(first.value() + systems_a_slot - 1);
            up->owned.erase(slot);
            perform(
                node,
                up->machine.remove_systems(
                    fleet::system_set::range(first, last), table_[slot].epoch, now_));
        }
        if (!has || up->owned.contains(slot)) continue;
        up->owned[slot] = table_[slot].epoch;
        perform(node, up->machine.add_share(job_, load(*up, node, slot), now_));
        attach(*up, node, slot);
    }
    up->epoch = epoch_;
}

share quota_simulation::load(process& process, std::size_t /*node*/, std::size_t slot) {
    fences_[slot] = {.epoch = table_[slot].epoch, .process = process.name};
    share match;
    const auto first = static_cast<std::int64_t>(slot) * systems_a_slot;
    for (std::int64_t system = first; system < first + systems_a_slot; ++system) {
        const row& row = ledger_[static_cast<std::size_t>(system)];
        match.targets.add(system_number(system));
        if (row.state == task_state::completed) match.completed.add(system_number(system));
        if (row.state == task_state::picked_up)
            match.running.push_back(
                {.system = system_number(system),
                 .starter = name_of(row.starter),
                 .started = now_});
    }
    return match;
}

void quota_simulation::attach(process& process, std::size_t node, std::size_t slot) {
    const auto first = static_cast<std::int64_t>(slot) * systems_a_slot;
    for (std::int64_t system = first; system < first + systems_a_slot; ++system)
        perform(node, process.machine.on_attached(system_number(system), now_));
}

void quota_simulation::look_at_record(std::size_t node) {
    process* up = servers_[node].up.get();
    if (up == nullptr) return;
    // Knowledge may be old.
    const auto& versions = grants_[node];
    const std::size_t back = random_.chance(300) ? random_.below(versions.size()) : 0;
    const kept_grant& kept_grant = versions[versions.size() - 1 - back];
    if (kept_grant.revision == 0) return;
    up->holder.observe(kept_grant.value, kept_grant.revision);
    use_grant(node, *up);
}

void quota_simulation::use_grant(std::size_t node, process& process) {
    perform(
        node,
        process.machine.set_allowance(
            job_, process.holder.usable(), process.holder.elsewhere(), now_));
}

void quota_simulation::offer(std::size_t node) {
    process* up = servers_[node].up.get();
    if (up == nullptr) return;
    const auto write = up->holder.next_write(up->machine.report(job_, now_)->used);
    use_grant(node, *up);
    if (!write) return;
    send([this, node, write = *write] {
        auto& versions = grants_[node];
        if (versions.back().revision != write.revision) return;
        versions.push_back({write.record, ++revision_});
    });
}

void quota_simulation::report(std::size_t node) {
    process* up = servers_[node].up.get();
    if (up == nullptr) return;
    share_report share_report = *up->machine.report(job_, now_);
    share_report.epoch = up->epoch;
    share_report.unsettled_epoch = std::max(share_report.unsettled_epoch, up->holder.start_epoch());
    for (std::size_t index = 0; index < coordinators_.size(); ++index)
        send([this, node, index, share_report] {
            coordinators_[index].reports[node] = share_report;
        });
}

std::vector<node_view> quota_simulation::views(const coordinator& coordinator) const {
    std::vector<node_view> views;
    for (std::size_t node = 0; node < nodes; ++node) {
        node_view view{.node = name_of(node), .record = {}, .report = {}};
        const kept_grant& kept_grant = grants_[node].back();
        if (kept_grant.revision > 0) view.record = kept_grant.value;
        const auto it = coordinator.reports.find(node);
        if (it != coordinator.reports.end()) view.report = it->second;
        view.owns_slots = std::ranges::any_of(
            table_, [node](const slot_entry& entry) { return entry.node == node; });
        view.epoch = epoch_;
        view.slots_changed = servers_[node].changed;
        view.gone = servers_[node].gone;
        if (view.gone && planted_ == fault::forgets_the_gone) view.record = grant{};
        views.push_back(std::move(view));
    }
    return views;
}

void quota_simulation::plan(std::size_t index) {
    const std::size_t changes_max = 1 + random_.below(nodes);
    const auto changes = plan_grants(
        {.concurrency = limit_, .starts_milli = {}}, views(coordinators_[index]), changes_max);
    if (changes.empty()) return;
    std::array<std::int64_t, nodes> read{};
    for (std::size_t node = 0; node < nodes; ++node) read[node] = grants_[node].back().revision;
    send([this, changes, read, plan_read = plan_revision_] {
        if (planted_ != fault::no_plan_key && plan_revision_ != plan_read) return;
        for (std::size_t node = 0; node < nodes; ++node)
            for (const grant_change& change : changes)
                if (change.node == name_of(node) && grants_[node].back().revision != read[node])
                    return;
        plan_revision_ = ++revision_;
        for (std::size_t node = 0; node < nodes; ++node)
            for (const grant_change& change : changes)
                if (change.node == name_of(node))
                    grants_[node].push_back({change.updated, revision_});
    });
}

void quota_simulation::finish_one() {
    if (running_.empty()) return;
    auto at = running_.begin();
    std::advance(at, static_cast<std::ptrdiff_t>(random_.below(running_.size())));
    finished_.insert(*at);
    running_.erase(at);
}

// The agent sends its return to the owner of its slot until the owner has recorded it.
void quota_simulation::bring_return(std::int64_t system) {
    const std::size_t slot = slot_of(system);
    const std::size_t node = table_[slot].node;
    process* up = servers_[node].up.get();
    if (up == nullptr || !up->owned.contains(slot)) return;
    perform(
        node,
        up->machine.on_returned({job_, system_number(system), 1}, outcome::completed, "", now_));
}

void quota_simulation::perform(std::size_t node, const effects& effects) {
    process* up = servers_[node].up.get();
    for (const effect& effect : effects) {
        if (const auto* match = std::get_if<start>(&effect)) record_start(node, *match);
        if (const auto* match = std::get_if<resend_task>(&effect))
            arrives_at_agent(match->task.system.value());
        if (const auto* match = std::get_if<conclude>(&effect)) {
            const std::int64_t system = match->task.system.value();
            const std::size_t slot = slot_of(system);
            if (fences_[slot].process != up->name) continue;
            ledger_[static_cast<std::size_t>(system)].state = match->state;
            finished_.erase(system);
        }
    }
}

void quota_simulation::record_start(std::size_t node, start start) {
    const attempt_key task = start.task;
    const process& up = *servers_[node].up;
    const std::size_t slot = slot_of(task.system.value());
    const fence own{.epoch = up.owned.at(slot), .process = up.name};
    // A node asks the ledger until it has an answer: late, but not lost.
    send_surely([this, node, start, task, slot, own] {
        row& row = ledger_[static_cast<std::size_t>(task.system.value())];
        const bool reserved = fences_[slot] == own && row.state == task_state::queued;
        if (reserved) row = {.state = task_state::picked_up, .starter = node};
        send_surely([this, node, start, task, reserved, name = own.process] {
            process* sender = alive(node, name);
            if (sender == nullptr) return;
            if (reserved)
                arrives_at_agent(task.system.value());
            else
                perform(node, sender->machine.on_not_recorded(start, now_));
        });
    });
}

// The agent's journal: a task that is running or not acknowledged does not run again.
void quota_simulation::arrives_at_agent(std::int64_t system) {
    const bool ended = ledger_[static_cast<std::size_t>(system)].state == task_state::completed;
    if (ended || finished_.contains(system)) return;
    running_.insert(system);
}

}  // namespace muster::rollout
