#include "services/fleet/system_service_fixture.h"

#include "adapters/bus/memory/memory_bus.h"
#include "adapters/ledger/sqlite/sqlite_ledger.h"
#include "adapters/metastore/sqlite/sqlite_metastore.h"
#include "services/cluster/keys.h"
#include "services/schema/ledger_schema.h"
#include "tests/harness/run_sync.h"
#include "tests/harness/temporary_directory.h"

#include <doctest/doctest.h>

#include <utility>

namespace muster::fleet {

using harness::run_sync;

fingerprint print_of(unsigned number) {
    fingerprint::bytes_type bytes{};
    for (std::size_t byte = 0; byte < 4; ++byte)
        bytes.at(byte) = static_cast<unsigned char>(number >> (8 * byte));
    return fingerprint(bytes);
}

world::world()
    : where(std::make_unique<harness::temporary_directory>("fleet")),
      store(sqlite_metastore::open(where->path() / "metastore.db", {}).value()),
      records(ledger_sqlite::open({.file = where->path() / "ledger.db"}).value()),
      bus(std::make_unique<memory_bus>(clock)),
      bell(*bus, log),
      places(*store, clock) {
    REQUIRE(run_sync(records->migrate(schema::ledger_schema())).has_value());
    for (const auto* zone : {"shop", "us"}) REQUIRE(run_sync(places.add(zone, {})).has_value());
}

world::~world() = default;

void world::lose_zone(const std::string& name) {
    kv::transaction change;
    change.then.emplace_back(kv::erase{cluster::keys::zone(name)});
    REQUIRE(run_sync(store->commit(std::move(change))).value().committed);
}

server::server(world& on, enrolment_service::options options)
    : follows(*on.records, known, on.clock, on.log, {}),
      keys(
          {.engines = {.metastore = *on.store, .ledger = *on.records, .bus = *on.bus},
           .systems = known,
           .bus = on.bell,
           .clock = on.clock}),
      rules(*on.store, on.clock, on.log),
      door(keys, rules, options) {
    refresh();
}

void server::refresh() {
    REQUIRE(run_sync(follows.refresh()).has_value());
}

enrolment_service::outcome server::knock(unsigned number, const std::string& machine) {
    return try_knock(application_of(number, machine)).value();
}

enrolment_service::enrolment_input server::application_of(
    unsigned number, const std::string& machine) {
    return {
        .request =
            {.print = print_of(number),
             .public_key = std::string(32, 'k'),
             .name = "web" + std::to_string(number),
             .machine_id = machine,
             .origin = "192.0.2.7"},
        .address = lifecycle::parse_address("192.0.2.7").value()};
}

result<enrolment_service::outcome> server::try_knock(
    enrolment_service::enrolment_input application) {
    return run_sync(door.enrol(std::move(application)));
}

system_state server::state_after(enrolment_service::enrolment_input application) {
    return std::get<enrolment_service::enrolled>(try_knock(std::move(application)).value()).state;
}

bulk_result server::accept(
    system_service::targets targets,
    system_service::duplicate_machine_policy duplicate_machine_policy) {
    return run_sync(keys.accept(
                        std::move(targets),
                        {.zone = "default", .accepted_by = "admin"},
                        duplicate_machine_policy))
        .value();
}

}  // namespace muster::fleet
