#pragma once

#include "services/cluster/zones.h"
#include "services/fleet/enroller.h"
#include "services/fleet/follower.h"
#include "services/fleet/registrar.h"
#include "services/fleet/rule_book.h"
#include "runtime/clock.h"

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
    runtime::system_clock time;
    runtime::logger log{{.level = runtime::log_level::error}};
    std::unique_ptr<metastore> store;
    std::unique_ptr<ledger> records;
    std::unique_ptr<bus> doorbell;
    cluster::announcer bell;
    cluster::zones places;

    world();  // with the zones `shop` and `us`
    world(const world&) = delete;
    world& operator=(const world&) = delete;
    ~world();

    // As a server did that knew nothing of rules.
    void lose_zone(const std::string& name);
};

struct server {
    explicit server(world& on, enroller::options how = {});

    void catch_up();
    enroller::outcome knock(unsigned number, const std::string& machine = "");
    static enroller::application application_of(unsigned number, const std::string& machine = "");
    result<enroller::outcome> try_knock(enroller::application who);
    system_state state_after(enroller::application who);
    tally accept(
        registrar::targets which, registrar::newcomers how = registrar::newcomers::replace);

    fleet known;
    follower follows;
    registrar keys;
    rule_book rules;
    enroller door;
};

}  // namespace muster::fleet
