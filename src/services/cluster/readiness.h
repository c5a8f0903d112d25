#pragma once

#include "base/result.h"
#include "base/time.h"

#include <array>
#include <cstddef>
#include <mutex>
#include <string>
#include <string_view>

namespace muster::cluster {

enum class engine { metastore, ledger, bus };
inline constexpr std::array all_engines{engine::metastore, engine::ledger, engine::bus};
std::string_view to_string(engine engine);

struct engine_state {
    bool reachable = false;
    std::string detail = "not tried yet";  // reason while not reachable
    wall_time since;                       // time of the last change of `reachable`
    std::string logged_detail;             // the detail that was logged last
    wall_time logged_at;
};

enum class stage {
    starting,  // it opens the engines and finds its cluster
    serving,
    draining,
};
std::string_view to_string(stage stage);

// Tells whether this server is able to serve, and why not. Thread-safe.
class readiness {
public:
    struct report {
        cluster::stage stage = cluster::stage::starting;
        bool member = false;  // registered among the cluster's servers
        std::array<engine_state, all_engines.size()> engines;

        bool is_ready() const;
        const engine_state& state_of(engine engine) const;
    };

    // Records the result of a check. Returns whether to log it: on a change, for a new reason, and
    // periodically for an unchanged reason.
    bool record_check(engine engine, const result<void>& check, wall_time now);
    void set_stage(stage stage);
    void set_member(bool registered);

    report read() const;

private:
    static bool should_log_again(const engine_state& state, wall_time now);

    mutable std::mutex mutex_;
    report current_;
};

}  // namespace muster::cluster
