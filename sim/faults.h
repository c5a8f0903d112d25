#pragma once

#include "base/prng.h"
#include "base/result.h"

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>

namespace muster::sim {

// How often a fault fires. `armed` is drawn once for the whole run, `fires` at each opportunity. So
// a rare path gets runs in which it is common.
struct fault_odds {
    double armed = 0;
    double fires = 0;
};

// One named fault within one run.
class fault {
public:
    fault() : random_(0) {}
    fault(fault_odds odds, prng random);

    bool fires();
    void disarm() { fires_per_million_ = 0; }
    bool armed() const { return fires_per_million_ > 0; }
    std::uint64_t fired() const { return fired_; }

    // Random numbers for choices of this fault, such as its victim. Use them only when it fires.
    prng& random() { return random_; }

private:
    prng random_;
    std::uint64_t fires_per_million_ = 0;
    std::uint64_t fired_ = 0;
};

struct known_fault {
    std::string_view name;
    std::string_view description;
};

// All faults; parsing refuses a scenario that names another.
std::span<const known_fault> known_faults();

class faults {
public:
    explicit faults(std::uint64_t seed) : seed_(seed) {}

    result<void> arm(const std::string& name, fault_odds odds);

    // The fault of that name; it never fires unless armed. The reference stays valid as long as
    // this object.
    fault& at(const std::string& name);

    const std::map<std::string, fault>& all() const { return by_name_; }

    // Disarms all faults, so that the cluster can settle.
    void disarm_all();

private:
    std::uint64_t seed_;
    std::map<std::string, fault> by_name_;
};

}  // namespace muster::sim
