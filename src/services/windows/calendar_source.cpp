#include "services/windows/calendar_source.h"

#include "adapters/net/http/client.h"
#include "adapters/net/http/url.h"
#include "adapters/os/file.h"
#include "adapters/pki/certificate.h"
#include "core/windows/content_line.h"

#include <fmt/format.h>

#include <chrono>
#include <utility>

namespace muster::windows {
namespace {

using namespace std::chrono_literals;
namespace http = net::http;

constexpr http::client_limits limits{
    .first_byte_time = 15s, .request_time = 30s, .body_bytes_max = content_limits::text_bytes_max};

result<std::shared_ptr<const net::tls_client>> create_tls_client(
    const std::filesystem::path& authorities) {
    auto pem = os::load_file(authorities);
    if (!pem)
        return fail(
            errc::unavailable,
            "this server has no trusted CA certificates in " + authorities.string()
                + "; install the package ca-certificates, or set outbound.ca");
    TRY(auto trusted, pki::certificate::chain_from_pem(*pem));
    return net::tls_client::create(
        {.trusted = net::trusted_authorities{std::move(trusted)}, .protocols = {"http/1.1"}});
}

}  // namespace

async<std::string> https_calendar_source::fetch(std::string url) const {
    CO_TRY(const auto address, http::parse_url(url));
    if (address.transport != http::url::security::tls)
        co_return fail(errc::invalid, "calendar URL must begin with https://");
    CO_TRY(auto tls, create_tls_client(authorities_));
    http::client client({.clock = &clock_, .tls = std::move(tls), .limits = limits});
    http::client_request request{.url = url};
    request.fields.emplace_back("Accept", "text/calendar, text/plain;q=0.5");
    const auto response = co_await client.send(std::move(request));
    // errc::conflict: a foreign server failed, so callers must not retry for ever.
    if (!response)
        co_return fail(
            errc::conflict,
            fmt::format("calendar download from {} failed: {}", url, response.error().detail()));
    if (response->status != 200)
        co_return fail(
            errc::conflict,
            fmt::format("calendar download from {} failed: HTTP status {}", url, response->status));
    co_return response->body;
}

}  // namespace muster::windows
