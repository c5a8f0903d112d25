#include "core/rollout/quota_world_fixture.h"

#include <algorithm>
#include <chrono>

namespace muster::rollout {

quota_world::quota_world(std::uint64_t seed, fault planted)
    : random_(seed), planted_(planted), limit_(1 + random_.below(6)) {
    draw_habits();
    for (std::size_t slot = 0; slot < slots; ++slot) table_[slot].node = slot % nodes;
    for (auto& versions : grants_) versions.emplace_back();
    for (std::size_t node = 0; node < nodes; ++node) boot(node);
}

// Which things happen often is drawn for each world: what is common in one hardly happens in
// another.
void quota_world::draw_habits() {
    for (std::uint64_t& each : habits_) each = random_.below(8);
    const auto at_least = [this](action action, std::uint64_t often) {
        auto& habit = habits_[static_cast<std::size_t>(action)];
        habit = std::max(habit, often);
    };
    for (const action each : {action::deliver, action::look, action::plan, action::report})
        at_least(each, 5);
    for (const action each : {action::follow, action::offer, action::finish, action::bring})
        at_least(each, 1);
}

quota_world::action quota_world::any_action() {
    std::uint64_t sum = 0;
    for (const std::uint64_t habit : habits_) sum += habit;
    std::uint64_t drawn = random_.below(sum);
    std::size_t at = 0;
    while (drawn >= habits_[at]) drawn -= habits_[at++];
    return static_cast<action>(at);
}

void quota_world::any_step() {
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

void quota_world::quiet_round() {
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

void quota_world::lose_message() {
    if (!network_.empty() && network_.front().may_be_lost) network_.erase(network_.begin());
}

// Mostly the oldest ones; now and then one overtakes all others.
void quota_world::deliver_some() {
    for (int left = 8; left > 0 && !network_.empty(); --left) {
        const std::size_t reach = random_.chance(100) ? network_.size() : 3;
        deliver(static_cast<std::size_t>(random_.below(std::min(reach, network_.size()))));
    }
}

void quota_world::deliver(std::size_t index) {
    const auto message = std::move(network_[index].arrive);
    network_.erase(network_.begin() + static_cast<std::ptrdiff_t>(index));
    message();
}

std::uint64_t quota_world::charged() const {
    std::uint64_t sum = 0;
    for (const auto& versions : grants_) sum += versions.back().value.ceiling.places;
    return sum;
}

bool quota_world::all_done() const {
    return std::ranges::all_of(
        ledger_, [](const row& row) { return row.state == task_state::completed; });
}

quota_world::process* quota_world::alive(std::size_t node, const std::string& name) {
    process* up = servers_[node].up.get();
    return up != nullptr && up->name == name ? up : nullptr;
}

void quota_world::boot(std::size_t node) {
    server& host = servers_[node];
    if (host.up) return;
    host.gone = false;  // a new process goes through onboarding again
    host.up = std::make_unique<process>(
        "p" + std::to_string(++processes_), engine_options{.self = name_of(node)}, epoch_);
    process& up = *host.up;
    job_terms terms{
        .job = job_,
        .rollout = {.batch = amount{.value = static_cast<double>(limit_)}},
        .when = {.opens = now_, .expires = now_ + std::chrono::hours(24)},
        .targets = static_cast<std::uint64_t>(systems)};
    perform(node, up.machine.open(terms, {}, now_).value());
    perform(node, up.machine.permit(job_, everybody{}, now_));
    follow_table(node);
}

// The node is declared faulty, rightly or not: its slots go to others, and it gets none before a
// new process of it was taken in.
void quota_world::give_up(std::size_t node) {
    if (servers_[node].gone) return;
    const auto heir = static_cast<std::size_t>(random_.below(nodes));
    if (heir == node || servers_[heir].gone) return;
    for (std::size_t slot = 0; slot < slots; ++slot)
        if (table_[slot].node == node) move(slot, heir);
    servers_[node].gone = true;
}

void quota_world::move(std::size_t slot, std::size_t to) {
    const std::size_t from = table_[slot].node;
    if (from == to || servers_[to].gone) return;
    table_[slot] = {.node = to, .epoch = ++epoch_};
    servers_[from].changed = servers_[to].changed = epoch_;
}

void quota_world::follow_table(std::size_t node) {
    process* up = servers_[node].up.get();
    if (up == nullptr) return;
    if (servers_[node].gone) return crash(node);  // it reads that it was given up
    for (std::size_t slot = 0; slot < slots; ++slot) {
        const bool had = up->mine.contains(slot);
        const bool has = table_[slot].node == node;
        if (had && (!has || up->mine[slot] != table_[slot].epoch)) {
            const system_number first(static_cast<std::int64_t>(slot) * systems_a_slot);
            const system_number last(first.value() + systems_a_slot - 1);
            up->mine.erase(slot);
            perform(
                node,
                up->machine.lose(fleet::system_set::range(first, last), table_[slot].epoch, now_));
        }
        if (!has || up->mine.contains(slot)) continue;
        up->mine[slot] = table_[slot].epoch;
        perform(node, up->machine.gain(job_, load(*up, node, slot), now_));
        attach(*up, node, slot);
    }
    up->epoch = epoch_;
}

share quota_world::load(process& on, std::size_t /*node*/, std::size_t slot) {
    fences_[slot] = {.epoch = table_[slot].epoch, .process = on.name};
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

void quota_world::attach(process& on, std::size_t node, std::size_t slot) {
    const auto first = static_cast<std::int64_t>(slot) * systems_a_slot;
    for (std::int64_t system = first; system < first + systems_a_slot; ++system)
        perform(node, on.machine.attached(system_number(system), now_));
}

void quota_world::look_at_record(std::size_t node) {
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

void quota_world::use_grant(std::size_t node, process& on) {
    perform(node, on.machine.allow(job_, on.holder.usable(), on.holder.settled(), now_));
}

void quota_world::offer(std::size_t node) {
    process* up = servers_[node].up.get();
    if (up == nullptr) return;
    const auto write = up->holder.wish(up->machine.report(job_, now_)->used);
    use_grant(node, *up);
    if (!write) return;
    send([this, node, write = *write] {
        auto& versions = grants_[node];
        if (versions.back().revision != write.revision) return;
        versions.push_back({write.to, ++revision_});
    });
}

void quota_world::report(std::size_t node) {
    process* up = servers_[node].up.get();
    if (up == nullptr) return;
    share_report share_report = *up->machine.report(job_, now_);
    share_report.epoch = up->epoch;
    share_report.unsettled = std::max(share_report.unsettled, up->holder.began());
    for (std::size_t to = 0; to < coordinators_.size(); ++to)
        send([this, node, to, share_report] { coordinators_[to].reports[node] = share_report; });
}

std::vector<node_view> quota_world::views(const coordinator& by) const {
    std::vector<node_view> all;
    for (std::size_t node = 0; node < nodes; ++node) {
        node_view view{.node = name_of(node), .record = {}, .report = {}};
        const kept_grant& kept_grant = grants_[node].back();
        if (kept_grant.revision > 0) view.record = kept_grant.value;
        const auto response = by.reports.find(node);
        if (response != by.reports.end()) view.report = response->second;
        view.owns_slots =
            std::ranges::any_of(table_, [node](const place& place) { return place.node == node; });
        view.epoch = epoch_;
        view.changed = servers_[node].changed;
        view.gone = servers_[node].gone;
        if (view.gone && planted_ == fault::forgets_the_gone) view.record = grant{};
        all.push_back(std::move(view));
    }
    return all;
}

void quota_world::plan(std::size_t index) {
    const std::size_t changes_max = 1 + random_.below(nodes);
    const auto changes = plan_grants(
        {.places = limit_, .starts_milli = {}}, views(coordinators_[index]), changes_max);
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
                if (change.node == name_of(node)) grants_[node].push_back({change.to, revision_});
    });
}

void quota_world::finish_one() {
    if (running_.empty()) return;
    auto at = running_.begin();
    std::advance(at, static_cast<std::ptrdiff_t>(random_.below(running_.size())));
    finished_.insert(*at);
    running_.erase(at);
}

// The agent offers its return to the node its slot belongs to, until that has it on record.
void quota_world::bring_return(std::int64_t system) {
    const std::size_t slot = slot_of(system);
    const std::size_t node = table_[slot].node;
    process* up = servers_[node].up.get();
    if (up == nullptr || !up->mine.contains(slot)) return;
    perform(
        node, up->machine.returned({job_, system_number(system), 1}, outcome::completed, "", now_));
}

void quota_world::perform(std::size_t node, const effects& effects) {
    process* up = servers_[node].up.get();
    for (const effect& effect : effects) {
        if (const auto* one = std::get_if<start>(&effect)) record_start(node, *one);
        if (const auto* one = std::get_if<send_again>(&effect))
            arrives_at_agent(one->task.system.value());
        if (const auto* one = std::get_if<conclude>(&effect)) {
            const std::int64_t system = one->task.system.value();
            const std::size_t slot = slot_of(system);
            if (fences_[slot].process != up->name) continue;
            ledger_[static_cast<std::size_t>(system)].state = one->to;
            finished_.erase(system);
        }
    }
}

void quota_world::record_start(std::size_t node, start start) {
    const attempt_key task = start.task;
    const process& up = *servers_[node].up;
    const std::size_t slot = slot_of(task.system.value());
    const fence own{.epoch = up.mine.at(slot), .process = up.name};
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
                perform(node, sender->machine.not_recorded(start, now_));
        });
    });
}

// The agent's journal: a task it has, or had and nobody acknowledged, is not run again.
void quota_world::arrives_at_agent(std::int64_t system) {
    const bool ended = ledger_[static_cast<std::size_t>(system)].state == task_state::completed;
    if (ended || finished_.contains(system)) return;
    running_.insert(system);
}

}  // namespace muster::rollout
