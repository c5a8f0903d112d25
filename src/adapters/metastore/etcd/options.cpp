#include "adapters/metastore/etcd/options.h"

#include <fmt/format.h>

namespace muster {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t endpoints_max = 32;
constexpr std::size_t key_prefix_bytes_max = 256;
constexpr auto request_deadline_min = 10ms;
constexpr auto timeout_max = 10min;

result<void> check_endpoint(const std::string& endpoint) {
    const auto colon = endpoint.rfind(':');
    const bool shaped = colon != std::string::npos && colon > 0 && colon + 1 < endpoint.size()
                        && endpoint.find_first_of("/, ") == std::string::npos;
    if (shaped) return {};
    return fail(
        errc::invalid,
        fmt::format("the etcd endpoint \"{}\" is not of the form host:port", endpoint));
}

result<void> check_tls(const etcd_options::tls_files& files) {
    if (files.certificate.empty() != files.key.empty()) {
        return fail(
            errc::invalid,
            "TLS to etcd: the client's certificate and its key go together; give both");
    }
    if (!files.certificate.empty() && files.ca.empty())
        return fail(errc::invalid, "TLS to etcd: a client certificate needs the CA file too");
    return {};
}

result<void> check_times(const etcd_options& options) {
    if (options.request_deadline < request_deadline_min) {
        return fail(
            errc::invalid,
            fmt::format("the etcd request deadline is below {}", request_deadline_min.count())
                + " ms");
    }
    if (options.timeout < options.request_deadline || options.timeout > timeout_max) {
        return fail(
            errc::invalid,
            fmt::format(
                "the patience with etcd is {} ms; it must be from one request deadline ({} ms) to "
                "{} min",
                options.timeout.count(),
                options.request_deadline.count(),
                timeout_max.count()));
    }
    return {};
}

}  // namespace

result<void> check_options(const etcd_options& options) {
    if (options.endpoints.empty())
        return fail(errc::invalid, "no etcd endpoint is given; give at least one host:port");
    if (options.endpoints.size() > endpoints_max) {
        return fail(
            errc::invalid,
            fmt::format(
                "{} etcd endpoints are given, the limit is {}",
                options.endpoints.size(),
                endpoints_max));
    }
    for (const auto& endpoint : options.endpoints) {
        CHECK_OK(check_endpoint(endpoint));
    }
    CHECK_OK(check_tls(options.tls));
    if (options.user.empty() != options.password_file.empty())
        return fail(errc::invalid, "etcd's user and password file go together; give both or none");
    if (options.key_prefix.size() > key_prefix_bytes_max) {
        return fail(
            errc::invalid,
            fmt::format("the etcd key prefix is longer than {} bytes", key_prefix_bytes_max));
    }
    if (options.waiting_commits_max == 0 || options.waiting_bytes_max == 0 || options.reads_max == 0
        || options.watch_buffer_changes_max == 0)
        return fail(errc::invalid, "a limit of the etcd client is zero; it must be at least one");
    return check_times(options);
}

}  // namespace muster
