#include "apps/muster/server/engine_factory.h"

#include "adapters/bus/memory/memory_bus.h"
#include "adapters/bus/nats/nats_bus.h"
#include "adapters/ledger/postgres/postgres_ledger.h"
#include "adapters/ledger/sqlite/sqlite_ledger.h"
#include "adapters/metastore/etcd/etcd_metastore.h"
#include "adapters/metastore/sqlite/sqlite_metastore.h"
#include "apps/muster/server/disk_full_error.h"
#include "runtime/engine_url.h"

#include <string>
#include <utility>
#include <variant>

namespace muster::server {
namespace {

// The URL in the settings, or the embedded store in the data directory.
runtime::engine_url url_of(
    const runtime::settings& settings,
    std::string_view name,
    const std::filesystem::path& embedded) {
    if (!settings.has(name)) return runtime::sqlite_url{embedded.string()};
    auto parsed = runtime::parse_engine_url(settings.text(name));
    return std::move(*parsed);  // settings are checked when they are read
}

std::filesystem::path path_or_none(const runtime::settings& settings, std::string_view name) {
    return settings.optional_text(name).value_or("");
}

template <class Port, class Opened>
result<std::unique_ptr<Port>> as_port(result<Opened> opened, std::string_view step) {
    if (!opened) return fail(opened.error().within(step));
    return std::unique_ptr<Port>(std::move(*opened));
}

result<std::unique_ptr<metastore>> open_etcd(
    const runtime::settings& settings, const runtime::etcd_url& url) {
    etcd_options options;
    for (const auto& member : url.members) options.endpoints.push_back(to_string(member));
    options.tls.ca = path_or_none(settings, "metastore.ca");
    options.tls.certificate = path_or_none(settings, "metastore.certificate");
    options.tls.key = path_or_none(settings, "metastore.key");
    options.user = settings.optional_text("metastore.user").value_or("");
    options.password_file = path_or_none(settings, "metastore.password_file");
    options.key_prefix = settings.text("metastore.prefix");
    return as_port<metastore>(etcd_metastore::open(std::move(options)), "opening the metastore");
}

result<std::unique_ptr<metastore>> open_metastore(
    const runtime::settings& settings, const os::data_directory& where) {
    const auto url = url_of(settings, "metastore", where.file("metastore.db"));
    if (const auto* etcd = std::get_if<runtime::etcd_url>(&url)) return open_etcd(settings, *etcd);
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
    const runtime::settings& settings, const runtime::postgresql_url& url, runtime::logger& log) {
    ledger_postgres::settings how;
    how.address = url.text;
    how.password_file = path_or_none(settings, "ledger.password_file");
    how.tls = settings.text("ledger.tls") == "off" ? ledger_postgres::tls_mode::off
                                                   : ledger_postgres::tls_mode::full;
    how.tls_min = settings.text("ledger.tls_min") == "1.2" ? ledger_postgres::tls_version::tls_1_2
                                                           : ledger_postgres::tls_version::tls_1_3;
    how.tls_ca = path_or_none(settings, "ledger.ca");
    how.tls_certificate = path_or_none(settings, "ledger.certificate");
    how.tls_key = path_or_none(settings, "ledger.key");
    how.on_migration = [&log](const ledger_postgres::migration_progress& of) {
        report(of, log);
    };
    return ledger_postgres::open(std::move(how));
}

result<std::unique_ptr<ledger>> open_ledger(
    const runtime::settings& settings, const engine_surroundings& engine_surroundings) {
    const auto url = url_of(settings, "ledger", engine_surroundings.where.file("ledger.db"));
    if (const auto* postgres = std::get_if<runtime::postgresql_url>(&url))
        return open_postgres(settings, *postgres, engine_surroundings.log);
    ledger_sqlite::options options;
    options.file = std::get<runtime::sqlite_url>(url).path;
    return as_port<ledger>(ledger_sqlite::open(std::move(options)), "opening the ledger");
}

result<std::unique_ptr<bus>> open_nats(
    const runtime::settings& settings, const runtime::nats_url& url) {
    nats::options options;
    for (const auto& member : url.members) options.servers.push_back("nats://" + to_string(member));
    options.access.tls = settings.has("bus.ca");
    options.access.ca_file = settings.optional_text("bus.ca").value_or("");
    options.access.certificate_file = settings.optional_text("bus.certificate").value_or("");
    options.access.key_file = settings.optional_text("bus.key").value_or("");
    options.access.user = settings.optional_text("bus.user").value_or("");
    options.access.password_file = settings.optional_text("bus.password_file").value_or("");
    options.stream = settings.text("bus.stream");
    options.prefix = settings.text("bus.stream");
    options.replicas = static_cast<int>(settings.integer("bus.replicas"));
    return as_port<bus>(nats_bus::open(std::move(options)), "opening the bus");
}

result<std::unique_ptr<bus>> open_bus(const runtime::settings& settings, muster::clock& clock) {
    const auto url = url_of(settings, "bus", "");
    if (const auto* nats = std::get_if<runtime::nats_url>(&url)) return open_nats(settings, *nats);
    return std::unique_ptr<bus>(std::make_unique<memory_bus>(clock));
}

}  // namespace

result<opened_engines> open_engines(
    const runtime::settings& settings, const engine_surroundings& engine_surroundings) {
    opened_engines opened;
    auto metastore = open_metastore(settings, engine_surroundings.where);
    if (!metastore)
        return fail(disk_full_error(
            metastore.error(), "metastore", settings, engine_surroundings.where.path()));
    opened.metastore = std::move(*metastore);
    auto records = open_ledger(settings, engine_surroundings);
    if (!records)
        return fail(
            disk_full_error(records.error(), "ledger", settings, engine_surroundings.where.path()));
    opened.ledger = std::move(*records);
    TRY(opened.bus, open_bus(settings, engine_surroundings.clock));
    return opened;
}

}  // namespace muster::server
