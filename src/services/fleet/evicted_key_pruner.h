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

// Cleans up behind the others: erases what the pool let go of long ago, and finishes replacements
// of keys that a stopped server left half done. To be run on one server, the active driver.
//
// An evicted row is erased in two steps: marked, so that nobody changes it any more, and erased
// when the mark has stood for longer than any write can be under way.
class evicted_key_pruner {
public:
    static constexpr std::size_t rows_at_once = 2'000;
    // So many marked rows are remembered; when there are more, the newest wait for a later round.
    static constexpr std::size_t marks_max = 300'000;

    struct options {
        std::chrono::seconds keep_evicted = std::chrono::hours(24);
        std::chrono::seconds settle = std::chrono::minutes(10);
        std::chrono::seconds interval = std::chrono::minutes(5);
        // While so many wait in the pool, and for how long an evicted row is kept then.
        std::size_t crowded = enrolment_service::options().pool_max;
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

    // Until it is cancelled; does nothing while `active` says no.
    boost::asio::awaitable<void> run(const std::atomic<bool>& active);

    // One round through all that is due; how many rows were erased.
    async<std::size_t> purge();

private:
    using marks = std::map<fingerprint, instant>;

    async<void> tend();
    async<std::size_t> erase_marked();
    std::vector<fingerprint> due_among(
        const std::vector<stored_system>& marked, marks& not_yet) const;
    std::chrono::seconds kept_for() const;
    async<void> mark();
    async<void> pause_before(std::string next);

    system_service& keys_;
    system_cache& systems_;
    muster::clock& clock_;
    runtime::logger& log_;
    options options_;
    marks marked_since_;
};

}  // namespace muster::fleet
