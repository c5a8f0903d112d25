#include "roles/node/dispatch/owned_systems.h"

#include "core/fleet/compact_system_record.h"

#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <utility>
#include <vector>

namespace muster::dispatch {
namespace {

constexpr std::size_t looked_at_once = 4'096;

}  // namespace

bool owned_systems::see(const cluster::topology& topology, instant now) {
    const auto own = topology.nodes.find(node_);
    std::shared_ptr<const placement::slot_table> table;
    std::string zone;
    if (own != topology.nodes.end() && membership::is_member(own->second.state)) {
        zone = own->second.zone;
        const auto it = topology.slots.find(zone);
        if (it != topology.slots.end()) table = it->second;
        if (!claims_ || number_ != own->second.number || zone != zone_) {
            number_ = own->second.number;
            claims_.emplace(number_, handover_);
        }
    } else {
        claims_.reset();
    }
    const bool due = settled_at_ && now >= *settled_at_;
    const bool moved = zone != zone_ || table != table_;
    if (due) settled_at_.reset();
    if (!moved) return due;
    if (zone != zone_) whole_.reset();
    zone_ = std::move(zone);
    table_ = std::move(table);
    epoch_ = table_ ? table_->current().value() : 0;
    if (claims_ && table_) claims_->see(table_, now);
    settled_at_ = now + handover_;
    return true;
}

bool owned_systems::holds(const std::string& zone, slot slot, instant now) const {
    return claims_ && table_ && zone == zone_ && claims_->may_act(slot, now);
}

bool owned_systems::acts_for_all(instant now) const {
    if (!claims_ || !table_) return false;
    for (std::size_t number = 0; number < slot::count; ++number)
        if (claims_->owns(slot(number)) && !claims_->may_act(slot(number), now)) return false;
    return true;
}

async<owned_systems::difference> owned_systems::survey(
    const fleet::system_cache& systems, instant now) {
    const bool whole = acts_for_all(now);
    std::vector<std::uint32_t> held;
    const auto look = [this, now, &held](
                          const fingerprint& print,
                          const fleet::compact_system_record& compact_system) {
        if (compact_system.stage() == enrolment::accepted
            && holds(compact_system.zone(), slot::of(print), now))
            held.push_back(static_cast<std::uint32_t>(compact_system.number().value()));
    };
    std::optional<fingerprint> after;
    do {
        after = systems.visit(after, looked_at_once, look);
        co_await boost::asio::post(
            co_await boost::asio::this_coro::executor, boost::asio::use_awaitable);
    } while (after);
    if (!claims_) held.clear();  // dropped meanwhile
    if (whole && claims_) whole_ = epoch_;
    co_return replaced_by(fleet::system_set::of(held));
}

owned_systems::difference owned_systems::drop() {
    zone_.clear();
    claims_.reset();
    table_.reset();
    epoch_ = 0;
    whole_.reset();
    settled_at_.reset();
    return replaced_by({});
}

owned_systems::difference owned_systems::replaced_by(fleet::system_set now) {
    difference difference{.gained = now - held_, .lost = held_ - now};
    held_ = std::move(now);
    return difference;
}

owned_systems::difference owned_systems::heard_of(
    std::span<const fleet::change> changes, instant now) {
    difference difference;
    for (const auto& change : changes) {
        const auto& after = change.after;
        const auto before = change.before ? change.before->number : system_number();
        if (before && before != after.number && held_.remove(before)) difference.lost.add(before);
        if (!after.number) continue;
        const bool held =
            after.stage == enrolment::accepted && holds(after.zone, slot::of(after.print), now);
        if (held && held_.add(after.number)) difference.gained.add(after.number);
        if (!held && held_.remove(after.number)) difference.lost.add(after.number);
    }
    // One that was lost and gained again within the set stands as it was.
    const auto both = difference.gained & difference.lost;
    difference.gained -= both;
    difference.lost -= both;
    return difference;
}

std::int64_t owned_systems::epoch_of(slot slot) const {
    return table_ ? table_->at(slot).since.value() : 0;
}

}  // namespace muster::dispatch
