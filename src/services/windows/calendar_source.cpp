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

constexpr http::client_limits allowed{
    .first_byte_time = 15s, .whole_time = 30s, .body_bytes_max = content_limits::text_bytes_max};

result<std::shared_ptr<const net::tls_client>> tls_with(const std::filesystem::path& authorities) {
    auto pem = os::load_file(authorities);
    if (!pem)
        return fail(
            errc::unavailable,
            "this server has no certificates of authorities in " + authorities.string()
                + "; install the package ca-certificates, or set outbound.ca");
    TRY(auto trusted, pki::certificate::chain_from_pem(*pem));
    return net::tls_client::make(
        {.trusted = net::trusted_authorities{std::move(trusted)}, .protocols = {"http/1.1"}});
}

}  // namespace

async<std::string> https_calendar_source::fetch(std::string url) const {
    CO_TRY(const auto address, http::parse_url(url));
    if (address.over != http::url::security::tls)
        co_return fail(errc::invalid, "a calendar is fetched over https only");
    CO_TRY(auto tls, tls_with(authorities_));
    http::client client({.clock = &clock_, .tls = std::move(tls), .allowed = allowed});
    http::outgoing outgoing{.url = url};
    outgoing.fields.emplace_back("Accept", "text/calendar, text/plain;q=0.5");
    const auto answer = co_await client.send(std::move(outgoing));
    // Somebody else's server, not ours: who waits for this to come right may wait for ever.
    if (!answer)
        co_return fail(
            errc::conflict,
            fmt::format("the calendar was not fetched from {}: {}", url, answer.error().detail()));
    if (answer->status != 200)
        co_return fail(errc::conflict, fmt::format("{} answered with {}", url, answer->status));
    co_return answer->body;
}

}  // namespace muster::windows
