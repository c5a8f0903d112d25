#pragma once

#include "ports/clock.h"
#include "roles/fleet/registrar.h"
#include "runtime/log.h"

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>

namespace muster::fleet {

// Cleans up behind the others: erases what the pool let go of long ago, and finishes replacements
// of keys that a stopped server left half done. To be run on one server, the active driver.
//
// An evicted row is erased in two steps: marked, so that nobody changes it any more, and erased
// when the mark has stood for longer than any write can be under way.
class caretaker {
public:
    struct options {
        std::chrono::seconds keep_evicted = std::chrono::hours(24);
        std::chrono::seconds settle = std::chrono::minutes(10);
        std::chrono::seconds interval = std::chrono::minutes(5);
    };

    caretaker(registrar& keys, fleet& known, clock& time, runtime::logger& log, options how)
        : keys_(keys), known_(known), time_(time), log_(log), how_(how) {}

    // Until it is cancelled; does nothing while `active` says no.
    boost::asio::awaitable<void> run(std::function<bool()> active);

    // One round; how many rows were erased.
    async<std::size_t> purge();

private:
    async<void> tend();
    async<std::size_t> erase_marked();
    async<void> mark();

    registrar& keys_;
    fleet& known_;
    clock& time_;
    runtime::logger& log_;
    options how_;
    std::map<fingerprint, instant> marked_since_;  // at most those of one round
};

}  // namespace muster::fleet
