#include "adapters/ledger/postgres/parameters.h"

#include "adapters/ledger/postgres/binary.h"

#include <fstream>
#include <utility>

namespace muster::ledger_postgres {
namespace {

result<std::string> first_line(const std::filesystem::path& file) {
    std::ifstream in(file);
    std::string line;
    if (!in || !std::getline(in, line))
        return fail(errc::unavailable, "cannot read the password file " + file.string());
    return line;
}

// A session whose client is gone must let go of its locks soon; synchronous_commit is what makes an
// acknowledgement durable, whatever the server's default is.
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

result<connect_parameters> connect_parameters::of(const settings& settings, const place& where) {
    connect_parameters result;
    result.add("dbname", settings.address);
    if (!where.host.empty()) result.add("host", where.host);
    if (!where.address.empty()) result.add("hostaddr", where.address);
    result.add("port", where.port);
    // A standby takes no writes, and what it shows may be behind what was acknowledged.
    result.add("target_session_attrs", "read-write");
    result.add("application_name", "muster");
    result.add("client_encoding", "UTF8");
    result.add("options", session_settings(settings));
    result.add("keepalives_idle", "5");
    result.add("keepalives_interval", "2");
    result.add("keepalives_count", "3");
    result.add("tcp_user_timeout", std::to_string(settings.attempt.count()));
    if (!settings.password_file.empty()) {
        TRY(std::string password, first_line(settings.password_file));
        result.add("password", std::move(password));
    }
    result.add("sslmode", settings.tls == tls_mode::full ? "verify-full" : "disable");
    result.add("gssencmode", "disable");
    if (settings.tls == tls_mode::full) {
        result.add(
            "ssl_min_protocol_version",
            settings.tls_min == tls_version::tls_1_3 ? "TLSv1.3" : "TLSv1.2");
        if (!settings.tls_ca.empty()) result.add("sslrootcert", settings.tls_ca.string());
        if (!settings.tls_certificate.empty())
            result.add("sslcert", settings.tls_certificate.string());
        if (!settings.tls_key.empty()) result.add("sslkey", settings.tls_key.string());
    }
    result.point();
    return result;
}

void connect_parameters::add(std::string name, std::string value) {
    names_.push_back(std::move(name));
    values_.push_back(std::move(value));
}

void connect_parameters::point() {
    for (const auto& name : names_) name_pointers_.push_back(name.c_str());
    for (const auto& value : values_) value_pointers_.push_back(value.c_str());
    name_pointers_.push_back(nullptr);
    value_pointers_.push_back(nullptr);
}

}  // namespace muster::ledger_postgres
