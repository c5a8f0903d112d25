#include "roles/node/dispatch/holdings.h"

#include "core/fleet/packed_record.h"

#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <utility>
#include <vector>

namespace muster::dispatch {
namespace {

constexpr std::size_t looked_at_once = 4'096;

}  // namespace

bool holdings::see(const cluster::topology& known, instant now) {
    const auto own = known.nodes.find(node_);
    std::shared_ptr<const placement::slot_table> table;
    std::string zone;
    if (own != known.nodes.end() && membership::is_member(own->second.state)) {
        zone = own->second.zone;
        const auto found = known.slots.find(zone);
        if (found != known.slots.end()) table = found->second;
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

bool holdings::holds(const std::string& zone, slot which, instant now) const {
    return claims_ && table_ && zone == zone_ && claims_->may_act(which, now);
}

bool holdings::acts_for_all(instant now) const {
    if (!claims_ || !table_) return false;
    for (std::size_t number = 0; number < slot::count; ++number)
        if (claims_->owns(slot(number)) && !claims_->may_act(slot(number), now)) return false;
    return true;
}

async<holdings::difference> holdings::survey(const fleet::fleet& systems, instant now) {
    const bool whole = acts_for_all(now);
    std::vector<std::uint32_t> held;
    const auto look = [this, now, &held](
                          const fingerprint& print, const fleet::packed_record& one) {
        if (one.stage() == enrolment::accepted && holds(one.zone(), slot::of(print), now))
            held.push_back(static_cast<std::uint32_t>(one.number().value()));
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

holdings::difference holdings::drop() {
    zone_.clear();
    claims_.reset();
    table_.reset();
    epoch_ = 0;
    whole_.reset();
    settled_at_.reset();
    return replaced_by({});
}

holdings::difference holdings::replaced_by(fleet::system_set now) {
    difference made{.gained = now - held_, .lost = held_ - now};
    held_ = std::move(now);
    return made;
}

holdings::difference holdings::heard_of(std::span<const fleet::change> changes, instant now) {
    difference made;
    for (const auto& seen : changes) {
        const auto& after = seen.after;
        const auto before = seen.before ? seen.before->number : system_number();
        if (before && before != after.number && held_.remove(before)) made.lost.add(before);
        if (!after.number) continue;
        const bool held =
            after.stage == enrolment::accepted && holds(after.zone, slot::of(after.print), now);
        if (held && held_.add(after.number)) made.gained.add(after.number);
        if (!held && held_.remove(after.number)) made.lost.add(after.number);
    }
    // One that was lost and gained again within the set stands as it was.
    const auto both = made.gained & made.lost;
    made.gained -= both;
    made.lost -= both;
    return made;
}

std::int64_t holdings::epoch_of(slot which) const {
    return table_ ? table_->at(which).since.value() : 0;
}

}  // namespace muster::dispatch
