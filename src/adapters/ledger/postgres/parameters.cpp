#include "adapters/ledger/postgres/parameters.h"

#include "adapters/ledger/postgres/binary.h"

#include <fstream>
#include <utility>

namespace muster::ledger_postgres {
namespace {

result<std::string> read_first_line(const std::filesystem::path& file) {
    std::ifstream stream(file);
    std::string line;
    if (!stream || !std::getline(stream, line))
        return fail(errc::unavailable, "cannot read password file " + file.string());
    return line;
}

// The session of a lost client must release its locks soon. synchronous_commit makes acknowledged
// commits durable, whatever the server's default is.
std::string session_settings(const settings& settings) {
    const std::string attempt = std::to_string(settings.attempt.count());
    return "-c synchronous_commit=on -c TimeZone=UTC -c statement_timeout=" + attempt
           + " -c lock_timeout=" + attempt + " -c idle_in_transaction_session_timeout=" + attempt
           + " -c tcp_user_timeout=" + attempt
           + " -c tcp_keepalives_idle=5 -c tcp_keepalives_interval=2 -c tcp_keepalives_count=3";
}

}  // namespace

bound_parameters::bound_parameters(const table::row& cells) {
    bytes_.reserve(cells.size());
    for (const auto& cell : cells) {
        const auto type = table::type_of(cell);
        types_.push_back(type ? type_oid(*type) : 0);
        bytes_.push_back(to_binary(cell));
        values_.push_back(type ? bytes_.back().data() : nullptr);
        lengths_.push_back(static_cast<int>(bytes_.back().size()));
        formats_.push_back(1);
    }
}

result<connect_parameters> connect_parameters::create(
    const settings& settings, const host_address& host) {
    connect_parameters parameters;
    parameters.add("dbname", settings.address);
    if (!host.host.empty()) parameters.add("host", host.host);
    if (!host.address.empty()) parameters.add("hostaddr", host.address);
    parameters.add("port", host.port);
    // A standby accepts no writes, and its data may be older than acknowledged commits.
    parameters.add("target_session_attrs", "read-write");
    parameters.add("application_name", "muster");
    parameters.add("client_encoding", "UTF8");
    parameters.add("options", session_settings(settings));
    parameters.add("keepalives_idle", "5");
    parameters.add("keepalives_interval", "2");
    parameters.add("keepalives_count", "3");
    parameters.add("tcp_user_timeout", std::to_string(settings.attempt.count()));
    if (!settings.password_file.empty()) {
        TRY(std::string password, read_first_line(settings.password_file));
        parameters.add("password", std::move(password));
    }
    parameters.add("sslmode", settings.tls == tls_mode::full ? "verify-full" : "disable");
    parameters.add("gssencmode", "disable");
    if (settings.tls == tls_mode::full) {
        parameters.add(
            "ssl_min_protocol_version",
            settings.tls_min == tls_version::tls_1_3 ? "TLSv1.3" : "TLSv1.2");
        if (!settings.tls_ca.empty()) parameters.add("sslrootcert", settings.tls_ca.string());
        if (!settings.tls_certificate.empty())
            parameters.add("sslcert", settings.tls_certificate.string());
        if (!settings.tls_key.empty()) parameters.add("sslkey", settings.tls_key.string());
    }
    parameters.set_pointers();
    return parameters;
}

void connect_parameters::add(std::string name, std::string value) {
    names_.push_back(std::move(name));
    values_.push_back(std::move(value));
}

void connect_parameters::set_pointers() {
    for (const auto& name : names_) name_pointers_.push_back(name.c_str());
    for (const auto& value : values_) value_pointers_.push_back(value.c_str());
    name_pointers_.push_back(nullptr);
    value_pointers_.push_back(nullptr);
}

}  // namespace muster::ledger_postgres
