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
    for (std::size_t at = 0; at < digits.size(); at += 2) {
        if (at > 0) text += ':';
        text += digits.substr(at, 2);
    }
    return text;
}

std::string bearer_of(const join_service::join_request& newcomer) {
    return newcomer.instance + "/" + newcomer.name;
}

std::unexpected<error> no_such_token() {
    return fail(errc::denied, "the join token is unknown, used or expired; make a new one");
}

}  // namespace

std::string encode(const join_grant& join_grant) {
    return boost::json::serialize(boost::json::object{
        {"zone", join_grant.zone},
        {"by", join_grant.by},
        {"expires", runtime::stored_time(join_grant.expires)},
        {"used_by", join_grant.used_by}});
}

result<join_grant> decode_join_grant(std::string_view text) {
    TRY(auto all, runtime::json_record_reader::of("join token", text));
    join_grant read{
        .zone = all.text("zone"),
        .by = all.text("by"),
        .expires = all.time("expires"),
        .used_by = all.text("used_by")};
    return all.finish(std::move(read));
}

std::string join_token::str() const {
    std::string digits = authority;
    std::erase(digits, ':');
    return secret + "." + digits;
}

result<join_token> join_token::parse(std::string_view text) {
    const auto dot = text.find('.');
    const auto secret = text.substr(0, dot);
    const auto print = dot == std::string_view::npos ? "" : text.substr(dot + 1);
    const bool right = secret.size() == secret_digits && print.size() == fingerprint_digits
                       && is_hex(secret) && is_hex(print);
    if (!right)
        return fail(
            errc::invalid,
            "this is not a join token; `muster nodes token` prints one, to be used as it is");
    return join_token{.secret = std::string(secret), .authority = with_colons(print)};
}

async<void> join_service::grant(
    std::string digest, join_grant join_grant, std::chrono::seconds lifetime) {
    if (lifetime < lifetime_min || lifetime > lifetime_max)
        co_return fail(
            errc::invalid,
            fmt::format(
                "a join token lives {} to {} seconds", lifetime_min.count(), lifetime_max.count()));
    kv::transaction change;
    if (!join_grant.zone.empty()) {
        CO_TRY(const auto zone, co_await metastore_.get(keys::zone(join_grant.zone)));
        if (!zone.found)
            co_return fail(errc::not_found, fmt::format("Zone {} was not found", join_grant.zone));
    }
    CO_TRY(const auto lease, co_await metastore_.grant(lifetime));
    join_grant.expires = clock_.wall() + lifetime;
    change.then.emplace_back(kv::put{
        .key = keys::under(keys::join_tokens, digest),
        .value = encode(join_grant),
        .lease = lease});
    CO_CHECK_OK(co_await metastore_.commit(std::move(change)));
    co_return result<void>();
}

async<join_service::parts> join_service::find(std::string digest, std::string wanted_by) {
    CO_TRY(auto there, co_await metastore_.get(keys::under(keys::join_tokens, digest)));
    if (!there.found) co_return no_such_token();
    CO_TRY(auto grant, decode_join_grant(there.found->value));
    const bool used = !grant.used_by.empty() && grant.used_by != wanted_by;
    if (used || grant.expires <= clock_.wall()) co_return no_such_token();
    co_return parts{.token = std::move(*there.found), .grant = std::move(grant)};
}

async<void> join_service::check_name(join_request join_request) {
    CO_TRY(const auto server, co_await metastore_.get(keys::server(join_request.name)));
    if (!server.found) co_return result<void>();
    CO_TRY(const auto holder, decode_server(server.found->value));
    if (holder.instance == join_request.instance) co_return result<void>();
    co_return fail(
        errc::conflict,
        fmt::format(
            "another server named {} is in the cluster, at {}; choose another `name`",
            holder.name,
            holder.address));
}

// The node counts as offline until its server is there: it brings itself to serving then.
async<kv::transaction> join_service::with_node(
    kv::transaction change, join_request join_request, std::string zone) {
    const auto key = keys::node(join_request.name);
    const std::string counter(keys::last_node_number);
    CO_TRY(const auto there, co_await metastore_.get(key));
    CO_TRY(const auto last, co_await metastore_.get(counter));
    CO_TRY(const auto place, co_await metastore_.get(keys::zone(zone)));
    if (!place.found) co_return fail(errc::not_found, fmt::format("Zone {} was not found", zone));
    node_record own{
        .name = join_request.name,
        .instance = join_request.instance,
        .address = join_request.address,
        .zone = zone,
        .state = node_state::offline,
        .reason = "it joined with a token and has not started yet",
        .since = clock_.wall(),
        .wiped = true};
    std::int64_t input = 0;
    if (last.found) {
        const auto& text = last.found->value;
        const auto read = std::from_chars(text.data(), text.data() + text.size(), input);
        if (read.ec != std::errc()) co_return fail(errc::corrupt, "the counter of nodes is wrong");
        change.when.emplace_back(kv::unchanged{counter, last.found->modified});
    } else {
        change.when.emplace_back(kv::absent{counter});
    }
    own.number = node_number(input + 1);
    if (there.found) {
        CO_TRY(const auto node, decode_node(there.found->value));
        if (node.instance != join_request.instance && node.state != node_state::faulty
            && node.state != node_state::pooled && node.state != node_state::staged)
            co_return fail(
                errc::conflict,
                fmt::format(
                    "the node {} is in the cluster with another data directory; choose another "
                    "`name`, or remove it first: muster nodes remove {}",
                    join_request.name,
                    join_request.name));
        change.when.emplace_back(kv::unchanged{key, there.found->modified});
    } else {
        change.when.emplace_back(kv::absent{key});
    }
    change.when.emplace_back(kv::unchanged{place.found->key, place.found->modified});
    change.then.emplace_back(kv::put{.key = counter, .value = std::to_string(input + 1)});
    change.then.emplace_back(kv::put{.key = key, .value = encode(own)});
    change.then.emplace_back(kv::put{.key = place.found->key, .value = place.found->value});
    co_return change;
}

async<void> join_service::admit(std::string digest, join_request join_request) {
    CO_CHECK_OK(check_node_name(join_request.name));
    const auto bearer = bearer_of(join_request);
    CO_TRY(auto match, co_await find(std::move(digest), bearer));
    CO_CHECK_OK(co_await check_name(join_request));
    if (match.grant.used_by == bearer) co_return result<void>();
    join_grant used = match.grant;
    used.used_by = bearer;
    kv::transaction change;
    change.when.emplace_back(kv::unchanged{match.token.key, match.token.modified});
    change.then.emplace_back(
        kv::put{.key = match.token.key, .value = encode(used), .lease = match.token.lease});
    if (join_request.node && !match.grant.zone.empty()) {
        CO_TRY(change, co_await with_node(std::move(change), join_request, match.grant.zone));
    }
    CO_TRY(const auto verdict, co_await metastore_.commit(std::move(change)));
    if (!verdict.committed)
        co_return fail(errc::unavailable, "the cluster changed meanwhile; try again");
    co_return result<void>();
}

}  // namespace muster::cluster
