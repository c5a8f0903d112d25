#pragma once

#include "core/packages/list/package_list.h"
#include "ports/clock.h"
#include "ports/ledger.h"

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

namespace muster::content {

using list_ref = std::shared_ptr<const packages::package_list>;

// What systems have installed, by the digest that they tell as a fact: a set is stored once,
// however many systems have it. Thread-safe.
class package_sets {
public:
    static constexpr std::size_t kept_packages_max = 500'000;  // in memory, of all lists

    package_sets(muster::ledger& ledger, muster::clock& clock) : ledger_(ledger), clock_(clock) {}

    // errc::not_found: nobody has told it yet.
    async<list_ref> find(std::string digest);
    // Somebody is about to have it: it is kept for unused_time from now on.
    async<bool> knows(std::string digest);

    // Takes a list, if it is one and has this digest. errc::invalid.
    async<void> put(std::string digest, std::string text);

    // Forgets the lists that nobody has asked for or told for so long, and that `used` does not
    // name; how many.
    static constexpr std::chrono::hours unused_time = std::chrono::hours(24 * 7);
    async<std::size_t> sweep(std::function<bool(const std::string&)> used);

    static bool is_digest(std::string_view text);  // 64 small hexadecimal digits

private:
    struct kept {
        list_ref list;
        std::uint64_t used = 0;
    };

    list_ref take_kept(const std::string& digest);
    void keep(const std::string& digest, list_ref list);

    ledger& ledger_;
    muster::clock& clock_;
    std::mutex mutex_;
    std::map<std::string, kept> kept_;
    std::size_t kept_packages_ = 0;
    std::uint64_t uses_ = 0;
};

}  // namespace muster::content
