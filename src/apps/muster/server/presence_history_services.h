#pragma once

#include "api/rest/history_api.h"
#include "runtime/log.h"
#include "runtime/metrics.h"
#include "runtime/task_group.h"
#include "services/cluster/topology.h"
#include "services/presence/history_reader.h"
#include "services/presence/presence_history_pruner.h"
#include "services/presence/presence_history_writer.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

namespace muster::server {

// What a server does with the record of who was attached where: a node writes its own, every
// gateway reads it, and the server of the active driver tends it.
class presence_history_services {
public:
    struct dependencies {
        ledger& records;
        const cluster::topology_cache& topology;
        clock& time;
        runtime::logger& log;
        std::function<std::uint64_t()> start;                 // of this process
        std::function<async<system_record>(api::call)> find;  // whom a call is about
    };
    struct options {
        std::string server;
        std::chrono::hours keep;
    };

    presence_history_services(const dependencies& deps, const options& options);
    presence_history_services(const presence_history_services&) = delete;
    presence_history_services& operator=(const presence_history_services&) = delete;

    result<void> declare(api::registry& to) { return api_.declare(to); }

    // Of a node: takes who comes and goes. `begin_keeping` lets it be written down.
    std::function<void(const presence::attached_agents::changes&)> notes() {
        return [this](const presence::attached_agents::changes& changes) {
            keeper_.note(changes);
        };
    }
    void begin_keeping(runtime::task_group& work, runtime::metrics& counted);
    async<void> finish(presence::attached_agents::changes last) {
        return keeper_.finish(std::move(last));
    }
    void begin_driving(runtime::task_group& work, std::function<bool()> active);

private:
    presence::history::presence_history_writer keeper_;
    presence::history::reader reader_;
    presence::history::presence_history_pruner warden_;
    api::history_api api_;
};

}  // namespace muster::server
