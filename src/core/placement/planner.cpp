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

// Slots with systems are placed by their weight, empty ones by their mere number. Were both in one
// sum, a node that is one system short would get thousands of empty slots, and with them every
// system that comes later.
enum class part { inhabited, empty };

using heap_entry = std::pair<double, std::size_t>;  // load over share, place in `bins`

struct bin {
    member who;
    double share = 0;  // of all load that may move
    double load = 0;
    std::uint64_t weight = 0;
    std::set<std::pair<double, slot>> slots;  // lightest first

    double fullness() const { return share > 0 ? load / share : 0; }
    double excess() const { return load - share; }
    bool takes(std::uint64_t more) const {
        return weight <= who.load_max && more <= who.load_max - weight;
    }
};

class planning {
public:
    planning(
        const slot_table& table, const std::vector<member>& members, const weights& cost, part part)
        : table_(table), cost_(cost), part_(part) {
        std::map<node_number, member_state> stands;
        for (const member& each : members) {
            MUSTER_ASSERT(each.capacity > 0);
            MUSTER_ASSERT(stands.emplace(each.node, each.stands).second);
            if (each.stands == member_state::away) away_[each.node] = {.who = each};
            if (each.stands != member_state::serving) continue;
            place_of_[each.node] = bins_.size();
            bins_.push_back({.who = each});
        }
        sort_slots(stands);
    }

    plan run(const plan_options& options) {
        if (!bins_.empty()) set_shares();
        place_homeless();
        if (movable_ > 0 && !even_for_all(options)) even_out(options);
        return std::move(made_);
    }

private:
    bool concerns(slot slot) const { return (cost_[slot.number()] == 0) == (part_ == part::empty); }

    double load_of(slot slot) const {
        return part_ == part::empty ? 1.0 : static_cast<double>(cost_[slot.number()]);
    }

    void sort_slots(const std::map<node_number, member_state>& stands) {
        for (std::size_t number = 0; number < slot::count; ++number) {
            const slot which(number);
            if (!concerns(which)) continue;
            const auto owner = stands.find(table_.at(which).owner);
            if (owner != stands.end() && owner->second == member_state::away) {
                away_.at(owner->first).load += load_of(which);
                continue;
            }
            movable_ += load_of(which);
            if (owner != stands.end() && owner->second == member_state::serving) {
                put_into(bins_[place_of_.at(owner->first)], which);
            } else {
                homeless_.push_back(which);
            }
        }
    }

    void set_shares() {
        double capacity = 0;
        for (const bin& each : bins_) capacity += static_cast<double>(each.who.capacity);
        for (bin& each : bins_)
            each.share = movable_ * static_cast<double>(each.who.capacity) / capacity;
    }

    void put_into(bin& target, slot slot) const {
        target.load += load_of(slot);
        target.weight += cost_[slot.number()];
        target.slots.emplace(load_of(slot), slot);
    }

    void take_from(bin& source, slot slot) const {
        source.load -= load_of(slot);
        source.weight -= cost_[slot.number()];
        source.slots.erase({load_of(slot), slot});
    }

    void give(slot slot, bin& target) {
        made_.moves.push_back({.what = slot, .from = table_.at(slot).owner, .to = target.who.node});
        put_into(target, slot);
    }

    // Heaviest first into the emptiest: what is left over at the end is light and fills the gaps.
    void place_homeless() {
        std::ranges::sort(homeless_, [this](slot left, slot right) {
            const auto heavier = cost_[right.number()] <=> cost_[left.number()];
            return heavier != 0 ? heavier < 0 : left < right;
        });
        std::set<heap_entry> emptiest;
        for (std::size_t at = 0; at < bins_.size(); ++at)
            emptiest.emplace(bins_[at].fullness(), at);
        for (const slot which : homeless_) {
            const auto fit = std::ranges::find_if(emptiest, [&](const heap_entry& entry) {
                return bins_[entry.second].takes(cost_[which.number()]);
            });
            if (fit == emptiest.end()) {
                made_.unplaced.push_back(which);
                continue;
            }
            const std::size_t at = fit->second;
            emptiest.erase(fit);
            give(which, bins_[at]);
            emptiest.emplace(bins_[at].fullness(), at);
        }
    }

    // Whether all are near their share as it is once those that are away are back: then their
    // absence is all that changed, and nobody moves for it.
    bool even_for_all(const plan_options& options) const {
        if (away_.empty()) return false;
        double all = movable_;
        double capacity = 0;
        for (const bin& each : bins_) capacity += static_cast<double>(each.who.capacity);
        for (const auto& [node, each] : away_) {
            all += each.load;
            capacity += static_cast<double>(each.who.capacity);
        }
        const double near = static_cast<double>(options.tolerance_per_mille) / 1000.0;
        const auto at_its_share = [&](const bin& bin) {
            const double share = all * static_cast<double>(bin.who.capacity) / capacity;
            return bin.load <= share * (1 + near) && bin.load >= share * (1 - near);
        };
        return std::ranges::all_of(bins_, at_its_share)
               && std::ranges::all_of(away_ | std::views::values, at_its_share);
    }

    // From the fullest to the emptiest until all are near their share, the cap is reached, or no
    // move makes it better.
    void even_out(const plan_options& options) {
        const double near = static_cast<double>(options.tolerance_per_mille) / 1000.0;
        std::set<heap_entry> order;
        for (std::size_t at = 0; at < bins_.size(); ++at) order.emplace(bins_[at].fullness(), at);
        for (std::size_t moved = 0; moved < options.rebalance_moves_max && order.size() > 1;) {
            const auto fullest = std::prev(order.end());
            const auto emptiest = order.begin();
            if (fullest->first <= 1 + near && emptiest->first >= 1 - near) return;
            bin& source = bins_[fullest->second];
            bin& target = bins_[emptiest->second];
            const auto which = best_between(source, target);
            if (!which) {
                // One of the two is stuck: the one further from its share can be helped no more.
                order.erase(fullest->first - 1 >= 1 - emptiest->first ? fullest : emptiest);
                continue;
            }
            const heap_entry was_fullest = *fullest;
            const heap_entry was_emptiest = *emptiest;
            order.erase(was_fullest);
            order.erase(was_emptiest);
            take_from(source, *which);
            give(*which, target);
            order.emplace(source.fullness(), was_fullest.second);
            order.emplace(target.fullness(), was_emptiest.second);
            ++moved;
        }
    }

    // The heaviest slot that overshoots neither side; failing that, the lightest one if even it
    // leaves both nearer to their shares than they are.
    std::optional<slot> best_between(const bin& source, const bin& target) const {
        const double surplus = source.excess();
        const double deficit = -target.excess();
        if (source.slots.empty() || surplus <= 0 || deficit <= 0) return std::nullopt;
        const double desired = std::min(surplus, deficit);
        auto fit = source.slots.upper_bound({desired, slot(slot::count - 1)});
        if (fit == source.slots.begin()) {
            const double lightest = fit->first;
            const bool better = lightest - desired < desired && lightest < surplus + deficit;
            if (!better || !target.takes(cost_[fit->second.number()])) return std::nullopt;
            return fit->second;
        }
        fit = std::prev(fit);
        if (!target.takes(cost_[fit->second.number()])) return std::nullopt;
        return fit->second;
    }

    const slot_table& table_;
    const weights& cost_;
    part part_;
    double movable_ = 0;
    std::vector<bin> bins_;
    std::map<node_number, std::size_t> place_of_;
    std::map<node_number, bin> away_;  // only who and load
    std::vector<slot> homeless_;
    plan made_;
};

}  // namespace

plan make_plan(
    const slot_table& table,
    const std::vector<member>& members,
    const weights& cost,
    const plan_options& options) {
    plan result = planning(table, members, cost, part::inhabited).run(options);
    const plan rest = planning(table, members, cost, part::empty).run(options);
    result.moves.insert(result.moves.end(), rest.moves.begin(), rest.moves.end());
    result.unplaced.insert(result.unplaced.end(), rest.unplaced.begin(), rest.unplaced.end());
    return result;
}

}  // namespace muster::placement
