#include "apps/muster/server/engine_opening.h"

#include "adapters/bus/memory/memory_bus.h"
#include "adapters/bus/nats/nats_bus.h"
#include "adapters/ledger/postgres/postgres_ledger.h"
#include "adapters/ledger/sqlite/sqlite_ledger.h"
#include "adapters/metastore/etcd/etcd_metastore.h"
#include "adapters/metastore/sqlite/sqlite_metastore.h"
#include "apps/muster/server/full_disk.h"
#include "runtime/engine_url.h"

#include <string>
#include <utility>
#include <variant>

namespace muster::server {
namespace {

// The URL in the settings, or the embedded store in the data directory.
runtime::engine_url url_of(
    const runtime::settings& wanted, std::string_view name, const std::filesystem::path& embedded) {
    if (!wanted.has(name)) return runtime::sqlite_url{embedded.string()};
    auto parsed = runtime::parse_engine_url(wanted.text(name));
    return std::move(*parsed);  // settings are checked when they are read
}

std::filesystem::path path_or_none(const runtime::settings& wanted, std::string_view name) {
    return wanted.optional_text(name).value_or("");
}

template <class Port, class Opened>
result<std::unique_ptr<Port>> as_port(result<Opened> opened, std::string_view step) {
    if (!opened) return fail(opened.error().within(step));
    return std::unique_ptr<Port>(std::move(*opened));
}

result<std::unique_ptr<metastore>> open_etcd(
    const runtime::settings& wanted, const runtime::etcd_url& url) {
    etcd_options how;
    for (const auto& each : url.members) how.endpoints.push_back(to_string(each));
    how.tls.ca = path_or_none(wanted, "metastore.ca");
    how.tls.certificate = path_or_none(wanted, "metastore.certificate");
    how.tls.key = path_or_none(wanted, "metastore.key");
    how.user = wanted.optional_text("metastore.user").value_or("");
    how.password_file = path_or_none(wanted, "metastore.password_file");
    how.key_prefix = wanted.text("metastore.prefix");
    return as_port<metastore>(etcd_metastore::open(std::move(how)), "opening the metastore");
}

result<std::unique_ptr<metastore>> open_metastore(
    const runtime::settings& wanted, const os::data_directory& where) {
    const auto url = url_of(wanted, "metastore", where.file("metastore.db"));
    if (const auto* etcd = std::get_if<runtime::etcd_url>(&url)) return open_etcd(wanted, *etcd);
    const auto& file = std::get<runtime::sqlite_url>(url).path;
    return as_port<metastore>(sqlite_metastore::open(file), "opening the metastore");
}

void report(const ledger_postgres::migration_progress& of, runtime::logger& log) {
    using stage = ledger_postgres::migration_progress::stage;
    const auto say = [&](std::string_view sentence) {
        log.info(
            sentence, {{"version", of.version}, {"what", of.what}, {"seconds", of.taken.count()}});
    };
    switch (of.at) {
        case stage::waiting:
            return say("waiting for another server that migrates the ledger");
        case stage::begun:
            return say("migrating the ledger");
        case stage::working:
            return say("still migrating the ledger");
        case stage::done:
            return say("migrated the ledger");
    }
}

result<std::unique_ptr<ledger>> open_postgres(
    const runtime::settings& wanted, const runtime::postgresql_url& url, runtime::logger& log) {
    ledger_postgres::settings how;
    how.address = url.text;
    how.password_file = path_or_none(wanted, "ledger.password_file");
    how.tls = wanted.text("ledger.tls") == "off" ? ledger_postgres::tls_mode::off
                                                 : ledger_postgres::tls_mode::full;
    how.tls_min = wanted.text("ledger.tls_min") == "1.2" ? ledger_postgres::tls_version::tls_1_2
                                                         : ledger_postgres::tls_version::tls_1_3;
    how.tls_ca = path_or_none(wanted, "ledger.ca");
    how.tls_certificate = path_or_none(wanted, "ledger.certificate");
    how.tls_key = path_or_none(wanted, "ledger.key");
    how.on_migration = [&log](const ledger_postgres::migration_progress& of) {
        report(of, log);
    };
    return ledger_postgres::open(std::move(how));
}

result<std::unique_ptr<ledger>> open_ledger(
    const runtime::settings& wanted, const engine_surroundings& around) {
    const auto url = url_of(wanted, "ledger", around.where.file("ledger.db"));
    if (const auto* postgres = std::get_if<runtime::postgresql_url>(&url))
        return open_postgres(wanted, *postgres, around.log);
    ledger_sqlite::options how;
    how.file = std::get<runtime::sqlite_url>(url).path;
    return as_port<ledger>(ledger_sqlite::open(std::move(how)), "opening the ledger");
}

result<std::unique_ptr<bus>> open_nats(
    const runtime::settings& wanted, const runtime::nats_url& url) {
    nats::options how;
    for (const auto& each : url.members) how.servers.push_back("nats://" + to_string(each));
    how.access.tls = wanted.has("bus.ca");
    how.access.ca_file = wanted.optional_text("bus.ca").value_or("");
    how.access.certificate_file = wanted.optional_text("bus.certificate").value_or("");
    how.access.key_file = wanted.optional_text("bus.key").value_or("");
    how.access.user = wanted.optional_text("bus.user").value_or("");
    how.access.password_file = wanted.optional_text("bus.password_file").value_or("");
    how.stream = wanted.text("bus.stream");
    how.prefix = wanted.text("bus.stream");
    how.replicas = static_cast<int>(wanted.integer("bus.replicas"));
    return as_port<bus>(nats_bus::open(std::move(how)), "opening the bus");
}

result<std::unique_ptr<bus>> open_bus(const runtime::settings& wanted, clock& time) {
    const auto url = url_of(wanted, "bus", "");
    if (const auto* nats = std::get_if<runtime::nats_url>(&url)) return open_nats(wanted, *nats);
    return std::unique_ptr<bus>(std::make_unique<memory_bus>(time));
}

}  // namespace

result<opened_engines> open_engines(
    const runtime::settings& wanted, const engine_surroundings& around) {
    opened_engines opened;
    auto metadata = open_metastore(wanted, around.where);
    if (!metadata)
        return fail(without_room(metadata.error(), "metastore", wanted, around.where.path()));
    opened.metadata = std::move(*metadata);
    auto records = open_ledger(wanted, around);
    if (!records) return fail(without_room(records.error(), "ledger", wanted, around.where.path()));
    opened.records = std::move(*records);
    TRY(opened.doorbell, open_bus(wanted, around.time));
    return opened;
}

}  // namespace muster::server
