#include "core/placement/planner.h"

#include "base/assert.h"

#include <algorithm>
#include <map>
#include <optional>
#include <ranges>
#include <set>
#include <utility>

namespace muster::placement {
namespace {

// Slots with systems are placed by weight, empty slots by number, in two separate runs. In a common
// sum a node that lacks one system would get thousands of empty slots, and then every new system.
enum class slot_kind { inhabited, empty };

using queue_entry = std::pair<double, std::size_t>;  // fullness, index in `bins_`

struct bin {
    member owner;
    double share = 0;  // of the movable load
    double load = 0;
    std::uint64_t weight = 0;
    std::set<std::pair<double, slot>> slots;  // lightest first

    double fullness() const { return share > 0 ? load / share : 0; }
    double excess() const { return load - share; }
    bool has_room_for(std::uint64_t more) const {
        return weight <= owner.load_max && more <= owner.load_max - weight;
    }
};

// Plans the moves of one kind of slots.
class planner {
public:
    planner(
        const slot_table& table,
        const std::vector<member>& members,
        const weights& weights,
        slot_kind kind)
        : table_(table), weights_(weights), kind_(kind) {
        std::map<node_number, member_state> states;
        for (const placement::member& member : members) {
            MUSTER_ASSERT(member.capacity > 0);
            MUSTER_ASSERT(states.emplace(member.node, member.state).second);
            if (member.state == member_state::away) away_[member.node] = {.owner = member};
            if (member.state != member_state::serving) continue;
            bin_index_[member.node] = bins_.size();
            bins_.push_back({.owner = member});
        }
        sort_slots(states);
    }

    plan run(const plan_options& options) {
        if (!bins_.empty()) set_shares();
        place_unowned();
        if (movable_ > 0 && !is_even_with_absent(options)) rebalance(options);
        return std::move(plan_);
    }

private:
    bool has_kind(slot slot) const {
        return (weights_[slot.number()] == 0) == (kind_ == slot_kind::empty);
    }

    double load_of(slot slot) const {
        return kind_ == slot_kind::empty ? 1.0 : static_cast<double>(weights_[slot.number()]);
    }

    void sort_slots(const std::map<node_number, member_state>& states) {
        for (std::size_t number = 0; number < slot::count; ++number) {
            const slot current(number);
            if (!has_kind(current)) continue;
            const auto owner = states.find(table_.at(current).owner);
            if (owner != states.end() && owner->second == member_state::away) {
                away_.at(owner->first).load += load_of(current);
                continue;
            }
            movable_ += load_of(current);
            if (owner != states.end() && owner->second == member_state::serving) {
                put_into(bins_[bin_index_.at(owner->first)], current);
            } else {
                unowned_.push_back(current);
            }
        }
    }

    void set_shares() {
        double capacity = 0;
        for (const bin& target : bins_) capacity += static_cast<double>(target.owner.capacity);
        for (bin& target : bins_)
            target.share = movable_ * static_cast<double>(target.owner.capacity) / capacity;
    }

    void put_into(bin& target, slot slot) const {
        target.load += load_of(slot);
        target.weight += weights_[slot.number()];
        target.slots.emplace(load_of(slot), slot);
    }

    void take_from(bin& source, slot slot) const {
        source.load -= load_of(slot);
        source.weight -= weights_[slot.number()];
        source.slots.erase({load_of(slot), slot});
    }

    void give(slot slot, bin& target) {
        plan_.moves.push_back(
            {.moved_slot = slot, .from = table_.at(slot).owner, .to = target.owner.node});
        put_into(target, slot);
    }

    // Places the heaviest slots first, each into the emptiest bin; light slots fill the gaps.
    void place_unowned() {
        std::ranges::sort(unowned_, [this](slot left, slot right) {
            const auto heavier = weights_[right.number()] <=> weights_[left.number()];
            return heavier != 0 ? heavier < 0 : left < right;
        });
        std::set<queue_entry> by_fullness;
        for (std::size_t index = 0; index < bins_.size(); ++index)
            by_fullness.emplace(bins_[index].fullness(), index);
        for (const slot unowned : unowned_) {
            const auto it = std::ranges::find_if(by_fullness, [&](const queue_entry& entry) {
                return bins_[entry.second].has_room_for(weights_[unowned.number()]);
            });
            if (it == by_fullness.end()) {
                plan_.unplaced.push_back(unowned);
                continue;
            }
            const std::size_t index = it->second;
            by_fullness.erase(it);
            give(unowned, bins_[index]);
            by_fullness.emplace(bins_[index].fullness(), index);
        }
    }

    // Whether all nodes, with the absent ones, are near their share. Then only the absence changed,
    // and no slot moves because of it.
    bool is_even_with_absent(const plan_options& options) const {
        if (away_.empty()) return false;
        double load = movable_;
        double capacity = 0;
        for (const bin& member_bin : bins_)
            capacity += static_cast<double>(member_bin.owner.capacity);
        for (const auto& [node, member_bin] : away_) {
            load += member_bin.load;
            capacity += static_cast<double>(member_bin.owner.capacity);
        }
        const double tolerance = static_cast<double>(options.tolerance_per_mille) / 1000.0;
        const auto is_near_share = [&](const bin& bin) {
            const double share = load * static_cast<double>(bin.owner.capacity) / capacity;
            return bin.load <= share * (1 + tolerance) && bin.load >= share * (1 - tolerance);
        };
        return std::ranges::all_of(bins_, is_near_share)
               && std::ranges::all_of(away_ | std::views::values, is_near_share);
    }

    // Moves slots from the fullest to the emptiest bin until all are near their share, the cap is
    // reached, or no move improves the balance.
    void rebalance(const plan_options& options) {
        const double tolerance = static_cast<double>(options.tolerance_per_mille) / 1000.0;
        std::set<queue_entry> by_fullness;
        for (std::size_t index = 0; index < bins_.size(); ++index)
            by_fullness.emplace(bins_[index].fullness(), index);
        for (std::size_t moves = 0;
             moves < options.rebalance_moves_max && by_fullness.size() > 1;) {
            const auto fullest = std::prev(by_fullness.end());
            const auto emptiest = by_fullness.begin();
            if (fullest->first <= 1 + tolerance && emptiest->first >= 1 - tolerance) return;
            bin& source = bins_[fullest->second];
            bin& target = bins_[emptiest->second];
            const auto moved_slot = choose_slot(source, target);
            if (!moved_slot) {
                // No slot fits. Drops the bin that is further from its share.
                by_fullness.erase(fullest->first - 1 >= 1 - emptiest->first ? fullest : emptiest);
                continue;
            }
            const queue_entry was_fullest = *fullest;
            const queue_entry was_emptiest = *emptiest;
            by_fullness.erase(was_fullest);
            by_fullness.erase(was_emptiest);
            take_from(source, *moved_slot);
            give(*moved_slot, target);
            by_fullness.emplace(source.fullness(), was_fullest.second);
            by_fullness.emplace(target.fullness(), was_emptiest.second);
            ++moves;
        }
    }

    // The heaviest slot that overshoots neither share. Otherwise the lightest slot, if it brings
    // both bins nearer to their shares.
    std::optional<slot> choose_slot(const bin& source, const bin& target) const {
        const double surplus = source.excess();
        const double deficit = -target.excess();
        if (source.slots.empty() || surplus <= 0 || deficit <= 0) return std::nullopt;
        const double load_to_move = std::min(surplus, deficit);
        auto it = source.slots.upper_bound({load_to_move, slot(slot::count - 1)});
        if (it == source.slots.begin()) {
            const double lightest = it->first;
            const bool improves =
                lightest - load_to_move < load_to_move && lightest < surplus + deficit;
            if (!improves || !target.has_room_for(weights_[it->second.number()]))
                return std::nullopt;
            return it->second;
        }
        it = std::prev(it);
        if (!target.has_room_for(weights_[it->second.number()])) return std::nullopt;
        return it->second;
    }

    const slot_table& table_;
    const weights& weights_;
    slot_kind kind_;
    double movable_ = 0;
    std::vector<bin> bins_;
    std::map<node_number, std::size_t> bin_index_;
    std::map<node_number, bin> away_;  // only owner and load
    std::vector<slot> unowned_;
    plan plan_;
};

}  // namespace

plan build_plan(
    const slot_table& table,
    const std::vector<member>& members,
    const weights& weights,
    const plan_options& options) {
    plan result = planner(table, members, weights, slot_kind::inhabited).run(options);
    const plan rest = planner(table, members, weights, slot_kind::empty).run(options);
    result.moves.insert(result.moves.end(), rest.moves.begin(), rest.moves.end());
    result.unplaced.insert(result.unplaced.end(), rest.unplaced.begin(), rest.unplaced.end());
    return result;
}

}  // namespace muster::placement
