#include "services/cluster/join_service.h"

#include "base/hex.h"
#include "runtime/json/record_reader.h"
#include "services/cluster/keys.h"

#include <boost/json.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

namespace muster::cluster {
namespace {

using membership::node_state;

constexpr std::size_t secret_digits = 32;
constexpr std::size_t fingerprint_digits = 64;

bool is_hex(std::string_view text) {
    return std::ranges::all_of(text, [](char letter) {
        return (letter >= '0' && letter <= '9') || (letter >= 'a' && letter <= 'f');
    });
}

std::string with_colons(std::string_view digits) {
    std::string text;
    for (std::size_t position = 0; position < digits.size(); position += 2) {
        if (position > 0) text += ':';
        text += digits.substr(position, 2);
    }
    return text;
}

std::string bearer_of(const join_service::join_request& request) {
    return request.instance + "/" + request.name;
}

std::unexpected<error> no_such_token() {
    return fail(
        errc::denied,
        "join token is unknown, used or expired; create a new token: muster nodes token");
}

}  // namespace

std::string encode(const join_grant& grant) {
    return boost::json::serialize(boost::json::object{
        {"zone", grant.zone},
        {"by", grant.created_by},
        {"expires", runtime::stored_time(grant.expires)},
        {"used_by", grant.used_by}});
}

result<join_grant> decode_join_grant(std::string_view text) {
    TRY(auto reader, runtime::json_record_reader::parse("join token", text));
    join_grant grant{
        .zone = reader.text("zone"),
        .created_by = reader.text("by"),
        .expires = reader.time("expires"),
        .used_by = reader.text("used_by")};
    return reader.finish(std::move(grant));
}

std::string join_token::str() const {
    std::string digits = authority;
    std::erase(digits, ':');
    return secret + "." + digits;
}

result<join_token> join_token::parse(std::string_view text) {
    const auto dot = text.find('.');
    const auto secret = text.substr(0, dot);
    const auto fingerprint = dot == std::string_view::npos ? "" : text.substr(dot + 1);
    const bool valid = secret.size() == secret_digits && fingerprint.size() == fingerprint_digits
                       && is_hex(secret) && is_hex(fingerprint);
    if (!valid)
        return fail(
            errc::invalid,
            "invalid join token; use the token exactly as printed by `muster nodes token`");
    return join_token{.secret = std::string(secret), .authority = with_colons(fingerprint)};
}

async<void> join_service::grant(
    std::string digest, join_grant grant, std::chrono::seconds lifetime) {
    if (lifetime < lifetime_min || lifetime > lifetime_max)
        co_return fail(
            errc::invalid,
            fmt::format(
                "join token lifetime must be {} to {} seconds",
                lifetime_min.count(),
                lifetime_max.count()));
    kv::transaction change;
    if (!grant.zone.empty()) {
        CO_TRY(const auto zone, co_await metastore_.get(keys::zone(grant.zone)));
        if (!zone.found)
            co_return fail(errc::not_found, fmt::format("zone \"{}\" not found", grant.zone));
    }
    CO_TRY(const auto lease, co_await metastore_.grant(lifetime));
    grant.expires = clock_.wall() + lifetime;
    change.then.emplace_back(kv::put{
        .key = keys::under(keys::join_tokens, digest), .value = encode(grant), .lease = lease});
    CO_CHECK_OK(co_await metastore_.commit(std::move(change)));
    co_return result<void>();
}

async<join_service::stored_token> join_service::find(std::string digest, std::string bearer) {
    CO_TRY(auto stored, co_await metastore_.get(keys::under(keys::join_tokens, digest)));
    if (!stored.found) co_return no_such_token();
    CO_TRY(auto grant, decode_join_grant(stored.found->value));
    const bool used = !grant.used_by.empty() && grant.used_by != bearer;
    if (used || grant.expires <= clock_.wall()) co_return no_such_token();
    co_return stored_token{.entry = std::move(*stored.found), .grant = std::move(grant)};
}

async<void> join_service::check_name(join_request request) {
    CO_TRY(const auto server, co_await metastore_.get(keys::server(request.name)));
    if (!server.found) co_return result<void>();
    CO_TRY(const auto holder, decode_server(server.found->value));
    if (holder.instance == request.instance) co_return result<void>();
    co_return fail(
        errc::conflict,
        fmt::format(
            "server \"{}\" already exists at {}; set another `name`", holder.name, holder.address));
}

// The node is offline until its server starts. The server then brings it to serving.
async<kv::transaction> join_service::add_node(
    kv::transaction change, join_request request, std::string zone) {
    const auto key = keys::node(request.name);
    const std::string counter(keys::last_node_number);
    CO_TRY(const auto existing, co_await metastore_.get(key));
    CO_TRY(const auto last_number, co_await metastore_.get(counter));
    CO_TRY(const auto stored_zone, co_await metastore_.get(keys::zone(zone)));
    if (!stored_zone.found)
        co_return fail(errc::not_found, fmt::format("zone \"{}\" not found", zone));
    node_record record{
        .name = request.name,
        .instance = request.instance,
        .address = request.address,
        .zone = zone,
        .state = node_state::offline,
        .reason = "joined with a token; server not started yet",
        .since = clock_.wall(),
        .wiped = true};
    std::int64_t number = 0;
    if (last_number.found) {
        const auto& text = last_number.found->value;
        const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
        if (parsed.ec != std::errc()) co_return fail(errc::corrupt, "node counter is not a number");
        change.when.emplace_back(kv::unchanged{counter, last_number.found->modified});
    } else {
        change.when.emplace_back(kv::absent{counter});
    }
    record.number = node_number(number + 1);
    if (existing.found) {
        CO_TRY(const auto node, decode_node(existing.found->value));
        if (node.instance != request.instance && node.state != node_state::faulty
            && node.state != node_state::pooled && node.state != node_state::staged)
            co_return fail(
                errc::conflict,
                fmt::format(
                    "node \"{}\" already exists with another data directory; set another `name`, "
                    "or remove the node first: muster nodes remove {}",
                    request.name,
                    request.name));
        change.when.emplace_back(kv::unchanged{key, existing.found->modified});
    } else {
        change.when.emplace_back(kv::absent{key});
    }
    change.when.emplace_back(kv::unchanged{stored_zone.found->key, stored_zone.found->modified});
    change.then.emplace_back(kv::put{.key = counter, .value = std::to_string(number + 1)});
    change.then.emplace_back(kv::put{.key = key, .value = encode(record)});
    change.then.emplace_back(
        kv::put{.key = stored_zone.found->key, .value = stored_zone.found->value});
    co_return change;
}

async<void> join_service::admit(std::string digest, join_request request) {
    CO_CHECK_OK(check_node_name(request.name));
    const auto bearer = bearer_of(request);
    CO_TRY(auto token, co_await find(std::move(digest), bearer));
    CO_CHECK_OK(co_await check_name(request));
    if (token.grant.used_by == bearer) co_return result<void>();
    join_grant updated = token.grant;
    updated.used_by = bearer;
    kv::transaction change;
    change.when.emplace_back(kv::unchanged{token.entry.key, token.entry.modified});
    change.then.emplace_back(
        kv::put{.key = token.entry.key, .value = encode(updated), .lease = token.entry.lease});
    if (request.node && !token.grant.zone.empty()) {
        CO_TRY(change, co_await add_node(std::move(change), request, token.grant.zone));
    }
    CO_TRY(const auto outcome, co_await metastore_.commit(std::move(change)));
    if (!outcome.committed)
        co_return fail(errc::unavailable, "join token or node was modified concurrently; retry");
    co_return result<void>();
}

}  // namespace muster::cluster
