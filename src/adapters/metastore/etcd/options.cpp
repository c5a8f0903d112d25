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
        errc::invalid, fmt::format("etcd endpoint \"{}\" must have the form host:port", endpoint));
}

result<void> check_tls(const etcd_options::tls_files& files) {
    if (files.certificate.empty() != files.key.empty()) {
        return fail(errc::invalid, "etcd TLS: client certificate and key must be set together");
    }
    if (!files.certificate.empty() && files.ca.empty())
        return fail(errc::invalid, "etcd TLS: client certificate requires a CA file");
    return {};
}

result<void> check_times(const etcd_options& options) {
    if (options.request_deadline < request_deadline_min) {
        return fail(
            errc::invalid,
            fmt::format("etcd request deadline must be at least {}", request_deadline_min.count())
                + " ms");
    }
    if (options.timeout < options.request_deadline || options.timeout > timeout_max) {
        return fail(
            errc::invalid,
            fmt::format(
                "etcd timeout of {} ms is out of range; set one request deadline ({} ms) to {} min",
                options.timeout.count(),
                options.request_deadline.count(),
                timeout_max.count()));
    }
    return {};
}

}  // namespace

result<void> check_options(const etcd_options& options) {
    if (options.endpoints.empty())
        return fail(errc::invalid, "no etcd endpoint; set at least one host:port");
    if (options.endpoints.size() > endpoints_max) {
        return fail(
            errc::invalid,
            fmt::format(
                "{} etcd endpoints exceed the limit of {}",
                options.endpoints.size(),
                endpoints_max));
    }
    for (const auto& endpoint : options.endpoints) {
        CHECK_OK(check_endpoint(endpoint));
    }
    CHECK_OK(check_tls(options.tls));
    if (options.user.empty() != options.password_file.empty())
        return fail(errc::invalid, "etcd user and password file must be set together");
    if (options.key_prefix.size() > key_prefix_bytes_max) {
        return fail(
            errc::invalid,
            fmt::format("etcd key prefix is longer than {} bytes", key_prefix_bytes_max));
    }
    if (options.waiting_commits_max == 0 || options.waiting_bytes_max == 0 || options.reads_max == 0
        || options.watch_buffer_changes_max == 0)
        return fail(errc::invalid, "etcd client limits must be at least 1");
    return check_times(options);
}

}  // namespace muster
