#include "services/bootstrap/cluster_join_client.h"

#include "adapters/net/endpoint.h"
#include "adapters/net/http/client.h"
#include "adapters/net/http/service.h"
#include "adapters/net/tls_context.h"
#include "adapters/os/file.h"
#include "services/cluster/join_service.h"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <chrono>
#include <utility>

namespace muster::bootstrap {
namespace {

namespace http = net::http;
namespace json = boost::json;

constexpr int attempts_max = 20;  // while the other server cannot be reached or is busy
constexpr auto retry_pause = std::chrono::seconds(3);

struct join_target {
    cluster::join_token token;
    std::string address;
};

result<std::string> read_join_text(const cluster_join_client::options& options) {
    if (!options.token.empty()) return options.token;
    auto text = read_join_file(options.token_file);
    if (!text) return fail(text.error().with_context("join_file"));
    return text;
}

result<join_target> parse_join_target(const std::string& text) {
    const auto separator = text.find('@');
    if (separator == std::string::npos)
        return fail(
            errc::invalid, "`join` must be TOKEN@HOST:PORT as printed by `muster nodes token`");
    TRY(auto token, cluster::join_token::parse(text.substr(0, separator)));
    TRY(const auto address, net::parse_endpoint(text.substr(separator + 1)));
    return join_target{.token = std::move(token), .address = to_string(address)};
}

std::string read_text(const json::object& members, std::string_view name) {
    const auto* match = members.if_contains({name.data(), name.size()});
    return match != nullptr && match->is_string() ? json::value_to<std::string>(*match) : "";
}

json::object parse_members(const std::string& body) {
    json::error_code failure;
    const auto parsed = json::parse(body, failure);
    return failure || !parsed.is_object() ? json::object() : parsed.as_object();
}

// Temporary errors are worth another attempt.
std::unexpected<error> to_error(const http::client_response& response, const std::string& address) {
    const auto detail = read_text(parse_members(response.body), "detail");
    const bool is_temporary = response.status == 503 || response.status == 429;
    return fail(
        is_temporary ? errc::unavailable : errc::denied,
        fmt::format("join refused by {}: {}", address, detail));
}

}  // namespace

result<void> check_join_target(const std::string& text) {
    CHECK_OK(parse_join_target(text));
    return {};
}

result<std::string> read_join_file(const std::filesystem::path& file) {
    auto text = os::load_file(file);
    if (text) text->erase(text->find_last_not_of(" \r\n") + 1);
    return text;
}

async<void> cluster_join_client::send_request() {
    CO_TRY(const auto text, read_join_text(options_));
    CO_TRY(const auto target, parse_join_target(text));
    CO_TRY(auto print, pki::fingerprint::parse(target.token.authority));
    CO_TRY(
        auto tls,
        net::tls_client::create(
            {.trusted = net::pinned_authority{print},
             .protocols = {std::string(http::http_protocol)},
             .announces_authorities = true}));
    http::client client({.clock = &clock_, .tls = std::move(tls)});
    const json::object body{
        {"secret", target.token.secret},
        {"name", options_.name},
        {"instance", options_.instance},
        {"address", options_.address},
        {"node", options_.node}};
    http::client_request request{
        .method = "POST",
        .url = "https://" + target.address + "/cluster/join",
        .body = json::serialize(body)};
    const auto response = co_await client.send(std::move(request));
    if (!response && response.error().code() == errc::denied)
        co_return fail(
            errc::denied,
            fmt::format(
                "the server at {} does not present the CA of the join token; no data was sent: {}",
                target.address,
                response.error().detail()));
    if (!response) co_return fail(response.error().with_context("join through " + target.address));
    if (response->status != 200) co_return to_error(*response, target.address);
    const auto members = parse_members(response->body);
    CO_CHECK_OK(
        keys_.adopt_authority(read_text(members, "ca"), read_text(members, "ca_key"), print));
    log_.info("cluster joined", {{"cluster", read_text(members, "cluster")}});
    co_return result<void>();
}

async<void> cluster_join_client::run() {
    CO_TRY(const auto authority, keys_.find_authority(clock_.wall()));
    if (authority) {
        log_.info("setting join ignored: data directory already belongs to a cluster");
        co_return result<void>();
    }
    for (int attempt = 1;; ++attempt) {
        auto joined = co_await send_request();
        const bool retry = !joined && joined.error().code() == errc::unavailable;
        if (!retry || attempt == attempts_max) co_return joined;
        log_.warning(
            "cluster join failed", {{"attempt", attempt}, {"error", joined.error().detail()}});
        CO_CHECK_OK(co_await clock_.sleep_for(retry_pause));
    }
}

}  // namespace muster::bootstrap
