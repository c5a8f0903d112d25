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

// The URL of the settings, or of the embedded store in the data directory.
runtime::engine_url find_engine_url(
    const runtime::settings& settings,
    std::string_view name,
    const std::filesystem::path& embedded) {
    if (!settings.has(name)) return runtime::sqlite_url{embedded.string()};
    auto parsed = runtime::parse_engine_url(settings.text(name));
    return std::move(*parsed);  // settings are checked when they are read
}

std::filesystem::path optional_path(const runtime::settings& settings, std::string_view name) {
    return settings.optional_text(name).value_or("");
}

template <class Port, class Opened>
result<std::unique_ptr<Port>> as_port(result<Opened> opened, std::string_view step) {
    if (!opened) return fail(opened.error().with_context(step));
    return std::unique_ptr<Port>(std::move(*opened));
}

result<std::unique_ptr<metastore>> open_etcd(
    const runtime::settings& settings, const runtime::etcd_url& url) {
    etcd_options options;
    for (const auto& member : url.members) options.endpoints.push_back(to_string(member));
    options.tls.ca = optional_path(settings, "metastore.ca");
    options.tls.certificate = optional_path(settings, "metastore.certificate");
    options.tls.key = optional_path(settings, "metastore.key");
    options.user = settings.optional_text("metastore.user").value_or("");
    options.password_file = optional_path(settings, "metastore.password_file");
    options.key_prefix = settings.text("metastore.prefix");
    return as_port<metastore>(etcd_metastore::open(std::move(options)), "opening the metastore");
}

result<std::unique_ptr<metastore>> open_metastore(
    const runtime::settings& settings, const os::data_directory& data) {
    const auto url = find_engine_url(settings, "metastore", data.file("metastore.db"));
    if (const auto* etcd = std::get_if<runtime::etcd_url>(&url)) return open_etcd(settings, *etcd);
    const auto& file = std::get<runtime::sqlite_url>(url).path;
    return as_port<metastore>(sqlite_metastore::open(file), "opening the metastore");
}

void report(const ledger_postgres::migration_progress& progress, runtime::logger& log) {
    using stage = ledger_postgres::migration_progress::stage;
    const runtime::log_fields fields{
        {"version", progress.version},
        {"migration", progress.what},
        {"seconds", progress.taken.count()}};
    switch (progress.at) {
        case stage::waiting:
            return log.info("ledger migration waiting for another server", fields);
        case stage::begun:
            return log.info("ledger migration started", fields);
        case stage::working:
            return log.info("ledger migration in progress", fields);
        case stage::done:
            return log.info("ledger migration finished", fields);
    }
}

result<std::unique_ptr<ledger>> open_postgres(
    const runtime::settings& settings, const runtime::postgresql_url& url, runtime::logger& log) {
    ledger_postgres::settings options;
    options.address = url.text;
    options.password_file = optional_path(settings, "ledger.password_file");
    options.tls = settings.text("ledger.tls") == "off" ? ledger_postgres::tls_mode::off
                                                       : ledger_postgres::tls_mode::full;
    options.tls_min = settings.text("ledger.tls_min") == "1.2"
                          ? ledger_postgres::tls_version::tls_1_2
                          : ledger_postgres::tls_version::tls_1_3;
    options.tls_ca = optional_path(settings, "ledger.ca");
    options.tls_certificate = optional_path(settings, "ledger.certificate");
    options.tls_key = optional_path(settings, "ledger.key");
    options.on_migration = [&log](const ledger_postgres::migration_progress& progress) {
        report(progress, log);
    };
    return ledger_postgres::open(std::move(options));
}

result<std::unique_ptr<ledger>> open_ledger(
    const runtime::settings& settings, const engine_dependencies& deps) {
    const auto url = find_engine_url(settings, "ledger", deps.data.file("ledger.db"));
    if (const auto* postgres = std::get_if<runtime::postgresql_url>(&url))
        return open_postgres(settings, *postgres, deps.log);
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
    const auto url = find_engine_url(settings, "bus", "");
    if (const auto* nats = std::get_if<runtime::nats_url>(&url)) return open_nats(settings, *nats);
    return std::unique_ptr<bus>(std::make_unique<memory_bus>(clock));
}

}  // namespace

result<opened_engines> open_engines(
    const runtime::settings& settings, const engine_dependencies& deps) {
    opened_engines engines;
    auto metastore = open_metastore(settings, deps.data);
    if (!metastore)
        return fail(disk_full_error(metastore.error(), "metastore", settings, deps.data.path()));
    engines.metastore = std::move(*metastore);
    auto ledger = open_ledger(settings, deps);
    if (!ledger) return fail(disk_full_error(ledger.error(), "ledger", settings, deps.data.path()));
    engines.ledger = std::move(*ledger);
    TRY(engines.bus, open_bus(settings, deps.clock));
    return engines;
}

}  // namespace muster::server
