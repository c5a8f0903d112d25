#pragma once

#include "core/kv/change.h"
#include "core/placement/planner.h"
#include "core/placement/slot_table.h"
#include "services/cluster/topology_record.h"
#include "sim/simulation.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace muster::sim {

// Looks at every change of the topology in the store's own order and tells the world which of them
// must never have been made.
class placement_invariants {
public:
    placement_invariants(sim::simulation& simulation, const placement::weights& weights)
        : simulation_(simulation), weights_(weights) {}

    void check_change(const kv::change& change);
    // The topology as it stands, when changes up to it were missed.
    void start_from(const std::vector<kv::entry>& entries);

    std::int64_t tables_seen() const { return tables_; }
    std::int64_t moves_seen() const { return moves_; }
    std::int64_t given_up() const { return given_up_; }
    std::int64_t stops_seen() const { return stops_; }
    std::int64_t holds_seen() const { return holds_; }

private:
    using node_record = muster::cluster::node_record;

    void check_node(const std::string& name, const node_record& node);
    void see_table(const placement::slot_table& next);
    void check_move(const placement::move& step);
    void check_amount(const std::vector<placement::move>& moves);
    bool half_is_missing() const;
    bool even_with_those_away() const;
    bool all_near(const std::map<node_number, double>& loads) const;
    const node_record* find(node_number number) const;

    sim::simulation& simulation_;
    const placement::weights& weights_;
    std::map<std::string, node_record> nodes_;
    std::optional<placement::slot_table> table_;
    instant members_changed_{};  // when somebody last came, left for good or was drained
    std::int64_t tables_ = 0;
    std::int64_t moves_ = 0;
    std::int64_t given_up_ = 0;
    std::int64_t stops_ = 0;
    std::int64_t holds_ = 0;
};

// The heaviest node's load over the mean, of the slots these nodes own.
double heaviest_over_mean(
    const placement::slot_table& table, const placement::weights& weights, std::size_t nodes);

}  // namespace muster::sim
