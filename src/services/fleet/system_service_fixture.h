#pragma once

#include "runtime/clock.h"
#include "services/cluster/zone_service.h"
#include "services/fleet/accept_rule_store.h"
#include "services/fleet/enrolment_service.h"
#include "services/fleet/system_follower.h"
#include "services/fleet/system_service.h"

#include <memory>
#include <string>

namespace muster::harness {
class temporary_directory;
}

namespace muster::fleet {

fingerprint print_of(unsigned number);

// The engines of one machine, and servers on them.
struct world {
    std::unique_ptr<harness::temporary_directory> where;
    runtime::system_clock clock;
    runtime::logger log{{.level = runtime::log_level::error}};
    std::unique_ptr<metastore> store;
    std::unique_ptr<ledger> records;
    std::unique_ptr<bus> bus;
    cluster::bus_publisher bell;
    cluster::zone_service places;

    world();  // with the zones `shop` and `us`
    world(const world&) = delete;
    world& operator=(const world&) = delete;
    ~world();

    // As a server did that knew nothing of rules.
    void lose_zone(const std::string& name);
};

struct server {
    explicit server(world& on, enrolment_service::options options = {});

    void refresh();
    enrolment_service::outcome knock(unsigned number, const std::string& machine = "");
    static enrolment_service::enrolment_input application_of(
        unsigned number, const std::string& machine = "");
    result<enrolment_service::outcome> try_knock(enrolment_service::enrolment_input application);
    system_state state_after(enrolment_service::enrolment_input application);
    bulk_result accept(
        system_service::targets targets,
        system_service::duplicate_machine_policy duplicate_machine_policy =
            system_service::duplicate_machine_policy::replace);

    system_cache known;
    system_follower follows;
    system_service keys;
    accept_rule_store rules;
    enrolment_service door;
};

}  // namespace muster::fleet
