#include "services/cluster/join.h"

#include "base/hex.h"
#include "services/cluster/keys.h"
#include "runtime/json/record_reader.h"

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

std::string bearer_of(const doorkeeper::newcomer& who) {
    return who.instance + "/" + who.name;
}

std::unexpected<error> no_such_token() {
    return fail(errc::denied, "the join token is unknown, used or expired; make a new one");
}

}  // namespace

std::string encode(const join_grant& what) {
    return boost::json::serialize(boost::json::object{
        {"zone", what.zone},
        {"by", what.by},
        {"expires", runtime::stored_time(what.expires)},
        {"used_by", what.used_by}});
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

async<void> doorkeeper::grant(std::string digest, join_grant what, std::chrono::seconds lifetime) {
    if (lifetime < lifetime_min || lifetime > lifetime_max)
        co_return fail(
            errc::invalid,
            fmt::format(
                "a join token lives {} to {} seconds", lifetime_min.count(), lifetime_max.count()));
    kv::transaction change;
    if (!what.zone.empty()) {
        CO_TRY(const auto zone, co_await store_.get(keys::zone(what.zone)));
        if (!zone.found)
            co_return fail(errc::not_found, fmt::format("Zone {} was not found", what.zone));
    }
    CO_TRY(const auto lease, co_await store_.grant(lifetime));
    what.expires = time_.wall() + lifetime;
    change.then.emplace_back(kv::put{
        .key = keys::under(keys::join_tokens, digest), .value = encode(what), .lease = lease});
    CO_CHECK_OK(co_await store_.commit(std::move(change)));
    co_return result<void>();
}

async<doorkeeper::parts> doorkeeper::find(std::string digest, std::string wanted_by) {
    CO_TRY(auto there, co_await store_.get(keys::under(keys::join_tokens, digest)));
    if (!there.found) co_return no_such_token();
    CO_TRY(auto grant, decode_join_grant(there.found->value));
    const bool used = !grant.used_by.empty() && grant.used_by != wanted_by;
    if (used || grant.expires <= time_.wall()) co_return no_such_token();
    co_return parts{.token = std::move(*there.found), .grant = std::move(grant)};
}

async<void> doorkeeper::check_name(newcomer who) {
    CO_TRY(const auto server, co_await store_.get(keys::server(who.name)));
    if (!server.found) co_return result<void>();
    CO_TRY(const auto holder, decode_server(server.found->value));
    if (holder.instance == who.instance) co_return result<void>();
    co_return fail(
        errc::conflict,
        fmt::format(
            "another server named {} is in the cluster, at {}; choose another `name`",
            holder.name,
            holder.address));
}

// The node counts as offline until its server is there: it brings itself to serving then.
async<kv::transaction> doorkeeper::with_node(
    kv::transaction change, newcomer who, std::string zone) {
    const auto key = keys::node(who.name);
    const std::string counter(keys::last_node_number);
    CO_TRY(const auto there, co_await store_.get(key));
    CO_TRY(const auto last, co_await store_.get(counter));
    CO_TRY(const auto place, co_await store_.get(keys::zone(zone)));
    if (!place.found) co_return fail(errc::not_found, fmt::format("Zone {} was not found", zone));
    node_record own{
        .name = who.name,
        .instance = who.instance,
        .address = who.address,
        .zone = zone,
        .state = node_state::offline,
        .reason = "it joined with a token and has not started yet",
        .since = time_.wall(),
        .wiped = true};
    std::int64_t given = 0;
    if (last.found) {
        const auto& text = last.found->value;
        const auto read = std::from_chars(text.data(), text.data() + text.size(), given);
        if (read.ec != std::errc()) co_return fail(errc::corrupt, "the counter of nodes is wrong");
        change.when.emplace_back(kv::unchanged{counter, last.found->modified});
    } else {
        change.when.emplace_back(kv::absent{counter});
    }
    own.number = node_number(given + 1);
    if (there.found) {
        CO_TRY(const auto known, decode_node(there.found->value));
        if (known.instance != who.instance && known.state != node_state::faulty
            && known.state != node_state::pooled && known.state != node_state::staged)
            co_return fail(
                errc::conflict,
                fmt::format(
                    "the node {} is in the cluster with another data directory; choose another "
                    "`name`, or remove it first: muster nodes remove {}",
                    who.name,
                    who.name));
        change.when.emplace_back(kv::unchanged{key, there.found->modified});
    } else {
        change.when.emplace_back(kv::absent{key});
    }
    change.when.emplace_back(kv::unchanged{place.found->key, place.found->modified});
    change.then.emplace_back(kv::put{.key = counter, .value = std::to_string(given + 1)});
    change.then.emplace_back(kv::put{.key = key, .value = encode(own)});
    change.then.emplace_back(kv::put{.key = place.found->key, .value = place.found->value});
    co_return change;
}

async<void> doorkeeper::admit(std::string digest, newcomer who) {
    CO_CHECK_OK(check_node_name(who.name));
    const auto bearer = bearer_of(who);
    CO_TRY(auto found, co_await find(std::move(digest), bearer));
    CO_CHECK_OK(co_await check_name(who));
    if (found.grant.used_by == bearer) co_return result<void>();
    join_grant used = found.grant;
    used.used_by = bearer;
    kv::transaction change;
    change.when.emplace_back(kv::unchanged{found.token.key, found.token.modified});
    change.then.emplace_back(
        kv::put{.key = found.token.key, .value = encode(used), .lease = found.token.lease});
    if (who.node && !found.grant.zone.empty()) {
        CO_TRY(change, co_await with_node(std::move(change), who, found.grant.zone));
    }
    CO_TRY(const auto verdict, co_await store_.commit(std::move(change)));
    if (!verdict.committed)
        co_return fail(errc::unavailable, "the cluster changed meanwhile; try again");
    co_return result<void>();
}

}  // namespace muster::cluster
