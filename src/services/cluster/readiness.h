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
std::string_view to_string(engine which);

struct engine_state {
    bool reachable = false;
    std::string detail = "not tried yet";  // why not, when it is not
    wall_time since;                       // when that last changed
    std::string told;                      // the reason that stands in the log
    wall_time told_at;
};

enum class stage {
    starting,  // the engines are being opened and the cluster looked up
    serving,
    draining,
};
std::string_view to_string(stage which);

// Whether this server can do its work, and if not, why. Thread-safe.
class readiness {
public:
    struct report {
        stage now = stage::starting;
        bool member = false;  // registered among the cluster's servers
        std::array<engine_state, all_engines.size()> engines;

        bool ready() const;
        const engine_state& of(engine engine) const;
    };

    // Tells whether that is worth a line in the log: a change, another reason than the last one
    // told, and now and then the old one, for whoever looks late.
    bool heard_of(engine engine, const result<void>& answer, wall_time now);
    void enter(stage next);
    void set_member(bool registered);

    report read() const;

private:
    static bool worth_telling(const engine_state& state, wall_time now);

    mutable std::mutex guard_;
    report current_;
};

}  // namespace muster::cluster
