#pragma once

#include "base/result.h"
#include "core/fleet/system_set.h"
#include "core/model/system.h"
#include "services/presence/presence_lookup.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <shared_mutex>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace muster::targeting {
class index;
class query;
struct fact;
}  // namespace muster::targeting

namespace muster::fleet {

class system_cache;

// Finds accepted systems by an expression. It follows the system cache; the facts_follower supplies
// the facts. Thread-safe.
class search {
public:
    // Create it before anything is applied to the cache, which must outlive it.
    explicit search(system_cache& systems);
    search(const search&) = delete;
    search& operator=(const search&) = delete;
    ~search();

    // The systems that match now. errc::unavailable while systems or required facts are still being
    // read; errc::invalid when a regular expression takes too long.
    result<system_set> resolve(
        const targeting::query& query, const presence::presence_lookup& presence) const;

    // The systems of `candidates` that are in one of these zones.
    system_set in_zones(const std::set<std::string>& zones, const system_set& candidates) const;

    // The tags after `after` in order, with the number of accepted systems of each; limited to
    // these zones, if given.
    struct tag_page {
        std::string_view after;
        std::size_t limit;
    };
    using counted_tags = std::vector<std::pair<std::string, std::size_t>>;
    counted_tags tags(tag_page page, const std::optional<std::set<std::string>>& zones) const;

    // Names listed in the expression that no system has.
    std::vector<std::string> missing(const targeting::query& query) const;

    using system_facts = std::pair<system_number, std::vector<targeting::fact>>;
    void set_facts(std::span<const system_facts> facts);
    std::vector<targeting::fact> facts_of(system_number system) const;

    void set_facts_complete() { facts_complete_.store(true, std::memory_order_release); }
    bool facts_complete() const { return facts_complete_.load(std::memory_order_acquire); }

    struct sizes {
        std::size_t systems = 0;
        std::size_t values = 0;  // distinct values of facts
        std::size_t paths = 0;
        std::uint64_t left_out = 0;  // facts dropped because of the limit of paths
    };
    sizes read_sizes() const;

private:
    const system_cache& systems_;
    std::atomic<bool> facts_complete_ = false;
    mutable std::shared_mutex mutex_;
    std::unique_ptr<targeting::index> index_;
};

}  // namespace muster::fleet
