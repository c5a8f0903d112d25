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

struct invitation {
    cluster::join_token token;
    std::string address;
};

result<std::string> invitation_text(const cluster_join_client::options& options) {
    if (!options.token.empty()) return options.token;
    auto text = invitation_in(options.token_file);
    if (!text) return fail(text.error().within("join_file"));
    return text;
}

result<invitation> parse_invitation(const std::string& text) {
    const auto at = text.find('@');
    if (at == std::string::npos)
        return fail(errc::invalid, "`join` is TOKEN@HOST:PORT, as `muster nodes token` prints it");
    TRY(auto token, cluster::join_token::parse(text.substr(0, at)));
    TRY(const auto where, net::parse_endpoint(text.substr(at + 1)));
    return invitation{.token = std::move(token), .address = to_string(where)};
}

std::string text_of(const json::object& from, std::string_view name) {
    const auto* match = from.if_contains({name.data(), name.size()});
    return match != nullptr && match->is_string() ? json::value_to<std::string>(*match) : "";
}

json::object members_of(const std::string& body) {
    json::error_code failure;
    const auto parsed = json::parse(body, failure);
    return failure || !parsed.is_object() ? json::object() : parsed.as_object();
}

// What can pass by itself is worth another attempt.
std::unexpected<error> refusal(const http::answer& answer, const std::string& address) {
    const auto detail = text_of(members_of(answer.body), "detail");
    const bool passes = answer.status == 503 || answer.status == 429;
    return fail(
        passes ? errc::unavailable : errc::denied,
        fmt::format("{} refused to let this server join: {}", address, detail));
}

}  // namespace

result<void> check_invitation(const std::string& text) {
    CHECK_OK(parse_invitation(text));
    return {};
}

result<std::string> invitation_in(const std::filesystem::path& file) {
    auto text = os::load_file(file);
    if (text) text->erase(text->find_last_not_of(" \r\n") + 1);
    return text;
}

async<void> cluster_join_client::ask() {
    CO_TRY(const auto text, invitation_text(options_));
    CO_TRY(const auto invited, parse_invitation(text));
    CO_TRY(auto print, pki::fingerprint::parse(invited.token.authority));
    CO_TRY(
        auto tls,
        net::tls_client::make(
            {.trusted = net::pinned_authority{print},
             .protocols = {std::string(http::http_protocol)},
             .tells_trusted = true}));
    http::client from({.clock = &clock_, .tls = std::move(tls)});
    const json::object output{
        {"secret", invited.token.secret},
        {"name", options_.name},
        {"instance", options_.instance},
        {"address", options_.address},
        {"node", options_.node}};
    http::outgoing asking{
        .method = "POST",
        .url = "https://" + invited.address + "/cluster/join",
        .body = json::serialize(output)};
    const auto response = co_await from.send(std::move(asking));
    if (!response && response.error().code() == errc::denied)
        co_return fail(
            errc::denied,
            fmt::format(
                "the server at {} does not show the CA that the join token names, so nothing was "
                "told to it: {}",
                invited.address,
                response.error().detail()));
    if (!response) co_return fail(response.error().within("joining by " + invited.address));
    if (response->status != 200) co_return refusal(*response, invited.address);
    const auto members = members_of(response->body);
    CO_CHECK_OK(keys_.adopt_authority(text_of(members, "ca"), text_of(members, "ca_key"), print));
    log_.info("joined a cluster", {{"cluster", text_of(members, "cluster")}});
    co_return result<void>();
}

async<void> cluster_join_client::run() {
    CO_TRY(const auto there, keys_.find_authority(clock_.wall()));
    if (there) {
        log_.info("this data directory belongs to a cluster already; `join` is ignored");
        co_return result<void>();
    }
    for (int attempt = 1;; ++attempt) {
        auto done = co_await ask();
        const bool again = !done && done.error().code() == errc::unavailable;
        if (!again || attempt == attempts_max) co_return done;
        log_.warning("not joined yet", {{"reason", done.error().detail()}});
        CO_CHECK_OK(co_await clock_.sleep_for(retry_pause));
    }
}

}  // namespace muster::bootstrap
