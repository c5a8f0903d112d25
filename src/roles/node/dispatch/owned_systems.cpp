#include "roles/node/dispatch/owned_systems.h"

#include "core/fleet/compact_system_record.h"

#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <utility>
#include <vector>

namespace muster::dispatch {
namespace {

constexpr std::size_t systems_per_step = 4'096;

}  // namespace

bool owned_systems::update_topology(const cluster::topology& topology, instant now) {
    const auto own = topology.nodes.find(node_);
    std::shared_ptr<const placement::slot_table> table;
    std::string zone;
    if (own != topology.nodes.end() && membership::is_member(own->second.state)) {
        zone = own->second.zone;
        const auto it = topology.slots.find(zone);
        if (it != topology.slots.end()) table = it->second;
        if (!ownership_ || number_ != own->second.number || zone != zone_) {
            number_ = own->second.number;
            ownership_.emplace(number_, handover_);
        }
    } else {
        ownership_.reset();
    }
    const bool is_due = handover_end_ && now >= *handover_end_;
    const bool has_changed = zone != zone_ || table != table_;
    if (is_due) handover_end_.reset();
    if (!has_changed) return is_due;
    if (zone != zone_) complete_epoch_.reset();
    zone_ = std::move(zone);
    table_ = std::move(table);
    epoch_ = table_ ? table_->current_epoch().value() : 0;
    if (ownership_ && table_) ownership_->update(table_, now);
    handover_end_ = now + handover_;
    return true;
}

bool owned_systems::owns(const std::string& zone, slot slot, instant now) const {
    return ownership_ && table_ && zone == zone_ && ownership_->may_act(slot, now);
}

bool owned_systems::owns_all_slots(instant now) const {
    if (!ownership_ || !table_) return false;
    for (std::size_t number = 0; number < slot::count; ++number)
        if (ownership_->owns(slot(number)) && !ownership_->may_act(slot(number), now)) return false;
    return true;
}

async<owned_systems::difference> owned_systems::survey(
    const fleet::system_cache& systems, instant now) {
    const bool is_complete = owns_all_slots(now);
    std::vector<std::uint32_t> numbers;
    const auto check_system = [this, now, &numbers](
                                  const fingerprint& print,
                                  const fleet::compact_system_record& system) {
        if (system.stage() == enrolment::accepted && owns(system.zone(), slot::of(print), now))
            numbers.push_back(static_cast<std::uint32_t>(system.number().value()));
    };
    std::optional<fingerprint> after;
    do {
        after = systems.visit(after, systems_per_step, check_system);
        co_await boost::asio::post(
            co_await boost::asio::this_coro::executor, boost::asio::use_awaitable);
    } while (after);
    if (!ownership_) numbers.clear();  // released meanwhile
    if (is_complete && ownership_) complete_epoch_ = epoch_;
    co_return replace(fleet::system_set::of(numbers));
}

owned_systems::difference owned_systems::release_all() {
    zone_.clear();
    ownership_.reset();
    table_.reset();
    epoch_ = 0;
    complete_epoch_.reset();
    handover_end_.reset();
    return replace({});
}

owned_systems::difference owned_systems::replace(fleet::system_set systems) {
    difference difference{.gained = systems - owned_, .lost = owned_ - systems};
    owned_ = std::move(systems);
    return difference;
}

owned_systems::difference owned_systems::on_systems_changed(
    std::span<const fleet::change> changes, instant now) {
    difference difference;
    for (const auto& change : changes) {
        const auto& after = change.after;
        const auto before = change.before ? change.before->number : system_number();
        if (before && before != after.number && owned_.remove(before)) difference.lost.add(before);
        if (!after.number) continue;
        const bool is_owned =
            after.stage == enrolment::accepted && owns(after.zone, slot::of(after.print), now);
        if (is_owned && owned_.add(after.number)) difference.gained.add(after.number);
        if (!is_owned && owned_.remove(after.number)) difference.lost.add(after.number);
    }
    // Systems that were lost and gained in the same call are unchanged.
    const auto unchanged = difference.gained & difference.lost;
    difference.gained -= unchanged;
    difference.lost -= unchanged;
    return difference;
}

std::int64_t owned_systems::epoch_of(slot slot) const {
    return table_ ? table_->at(slot).since.value() : 0;
}

}  // namespace muster::dispatch
