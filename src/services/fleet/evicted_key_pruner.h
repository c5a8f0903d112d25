#pragma once

#include "ports/clock.h"
#include "runtime/log.h"
#include "services/fleet/enrolment_service.h"
#include "services/fleet/system_service.h"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace muster::fleet {

// Erases keys that were evicted from the pool long ago, and finishes key replacements that a
// stopped server left half done. Run it on one server, the active driver.
//
// It erases an evicted row in two steps. First it marks the row, so that no server changes it any
// more. It erases the row when the mark is older than any write in flight.
class evicted_key_pruner {
public:
    static constexpr std::size_t rows_at_once = 2'000;
    // Maximum of remembered marks. Further marks wait for a later round.
    static constexpr std::size_t marks_max = 300'000;

    struct options {
        std::chrono::seconds keep_evicted = std::chrono::hours(24);
        std::chrono::seconds mark_age_min = std::chrono::minutes(10);
        std::chrono::seconds interval = std::chrono::minutes(5);
        // Retention of evicted rows while the pool is crowded.
        std::size_t crowded_pool = enrolment_service::options().pool_max;
        std::chrono::seconds keep_crowded = std::chrono::hours(1);
        std::chrono::milliseconds pause{200};  // between two batches of rows
    };

    evicted_key_pruner(
        system_service& keys,
        system_cache& system_cache,
        muster::clock& clock,
        runtime::logger& log,
        options options)
        : keys_(keys), systems_(system_cache), clock_(clock), log_(log), options_(options) {}

    // Runs until cancelled; does nothing while `active` is false.
    boost::asio::awaitable<void> run(const std::atomic<bool>& active);

    // Runs one round and returns the number of erased rows.
    async<std::size_t> purge();

private:
    using marks = std::map<fingerprint, instant>;

    async<void> run_once();
    async<std::size_t> erase_marked();
    std::vector<fingerprint> find_due(
        const std::vector<stored_system>& marked, marks& pending) const;
    std::chrono::seconds retention() const;
    async<void> mark();
    async<void> pause_before(std::string next_page);

    system_service& keys_;
    system_cache& systems_;
    muster::clock& clock_;
    runtime::logger& log_;
    options options_;
    marks marked_since_;
};

}  // namespace muster::fleet
