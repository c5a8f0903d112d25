#pragma once

#include "services/cluster/topology.h"
#include "api/rest/history_api.h"
#include "services/presence/history_keeper.h"
#include "services/presence/history_reader.h"
#include "services/presence/history_warden.h"
#include "runtime/log.h"
#include "runtime/metrics.h"
#include "runtime/task_group.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

namespace muster::server {

// What a server does with the record of who was attached where: a node writes its own, every
// gateway reads it, and the server of the active driver tends it.
class history_front {
public:
    struct surroundings {
        ledger& records;
        const cluster::topology_cell& topology;
        clock& time;
        runtime::logger& log;
        std::function<std::uint64_t()> start;                     // of this process
        std::function<async<system_record>(api::call)> find;  // whom a call is about
    };
    struct options {
        std::string server;
        std::chrono::hours keep;
    };

    history_front(const surroundings& around, const options& how);
    history_front(const history_front&) = delete;
    history_front& operator=(const history_front&) = delete;

    result<void> declare(api::registry& to) { return api_.declare(to); }

    // Of a node: takes who comes and goes. `begin_keeping` lets it be written down.
    std::function<void(const presence::attendance::changes&)> notes() {
        return [this](const presence::attendance::changes& seen) {
            keeper_.note(seen);
        };
    }
    void begin_keeping(runtime::task_group& work, runtime::metrics& counted);
    async<void> finish(presence::attendance::changes last) {
        return keeper_.finish(std::move(last));
    }
    void begin_driving(runtime::task_group& work, std::function<bool()> active);

private:
    presence::history::keeper keeper_;
    presence::history::reader reader_;
    presence::history::warden warden_;
    api::history_api api_;
};

}  // namespace muster::server
