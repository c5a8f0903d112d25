#include "services/fleet/registrar_fixture.h"

#include "adapters/bus/memory/memory_bus.h"
#include "adapters/ledger/sqlite/sqlite_ledger.h"
#include "adapters/metastore/sqlite/sqlite_metastore.h"
#include "services/cluster/keys.h"
#include "services/schema/ledger_schema.h"
#include "tests/harness/answer_of.h"
#include "tests/harness/temporary_directory.h"

#include <doctest/doctest.h>

#include <utility>

namespace muster::fleet {

using harness::answer_of;

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
      doorbell(std::make_unique<memory_bus>(time)),
      bell(*doorbell, log),
      places(*store, time) {
    REQUIRE(answer_of(records->migrate(schema::ledger_schema())).has_value());
    for (const auto* zone : {"shop", "us"}) REQUIRE(answer_of(places.add(zone, {})).has_value());
}

world::~world() = default;

void world::lose_zone(const std::string& name) {
    kv::transaction change;
    change.then.emplace_back(kv::erase{cluster::keys::zone(name)});
    REQUIRE(answer_of(store->commit(std::move(change))).value().committed);
}

server::server(world& on, enroller::options how)
    : follows(*on.records, known, on.time, on.log, {}),
      keys(
          {.engines = {.metadata = *on.store, .records = *on.records, .doorbell = *on.doorbell},
           .known = known,
           .bell = on.bell,
           .time = on.time}),
      rules(*on.store, on.time, on.log),
      door(keys, rules, how) {
    catch_up();
}

void server::catch_up() {
    REQUIRE(answer_of(follows.catch_up()).has_value());
}

enroller::outcome server::knock(unsigned number, const std::string& machine) {
    return try_knock(application_of(number, machine)).value();
}

enroller::application server::application_of(unsigned number, const std::string& machine) {
    return {
        .said =
            {.print = print_of(number),
             .public_key = std::string(32, 'k'),
             .name = "web" + std::to_string(number),
             .machine_id = machine,
             .origin = "192.0.2.7"},
        .from = lifecycle::parse_address("192.0.2.7").value()};
}

result<enroller::outcome> server::try_knock(enroller::application who) {
    return answer_of(door.enrol(std::move(who)));
}

system_state server::state_after(enroller::application who) {
    return std::get<enroller::enrolled>(try_knock(std::move(who)).value()).state;
}

tally server::accept(registrar::targets which, registrar::newcomers how) {
    return answer_of(keys.accept(std::move(which), {.zone = "default", .by = "admin"}, how))
        .value();
}

}  // namespace muster::fleet
