#include "services/people/user_book.h"

#include "adapters/os/random.h"
#include "core/access/account_rules.h"
#include "services/people/directory.h"
#include "services/people/keys.h"
#include "services/people/secret.h"
#include "services/people/standing.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace muster::people {
namespace {

constexpr int attempts_max = 8;  // against others who change the same records

std::unexpected<error> unknown(const std::string& name) {
    return fail(errc::not_found, fmt::format("User {} was not found", name));
}

std::unexpected<error> changed_meanwhile() {
    return fail(errc::unavailable, "the people changed meanwhile; try again");
}

eras new_eras() {
    return {.sessions = make_era(), .tokens = make_era()};
}

result<void> check_new(const user_book::new_user& wanted) {
    CHECK_OK(access::check_user_name(wanted.name));
    CHECK_OK(access::check_account_text("`full_name`", wanted.full_name));
    CHECK_OK(access::check_account_text("`email`", wanted.email));
    if (wanted.kind == user_kind::service && (wanted.password || wanted.pam))
        return fail(errc::invalid, "a service has no password, it has tokens");
    if (wanted.pam && wanted.password)
        return fail(errc::invalid, "the password of a user of PAM is PAM's");
    if (wanted.password) {
        CHECK_OK(access::check_new_password(*wanted.password, wanted.name));
    }
    return {};
}

result<void> change_grants(user_record& of, const user_book::changes& wanted) {
    for (const auto& each : wanted.given)
        if (std::ranges::find(of.grants, each) == of.grants.end()) of.grants.push_back(each);
    if (!wanted.role_taken) return {};
    const auto gone = std::erase_if(
        of.grants, [&](const access::grant& each) { return each.role == *wanted.role_taken; });
    if (gone == 0)
        return fail(
            errc::invalid,
            fmt::format("{} does not have the role {}", of.name, *wanted.role_taken));
    return {};
}

}  // namespace

async<user_book::added> user_book::add(identity actor, new_user wanted) {
    CO_CHECK_OK(check_new(wanted));
    if (around_.known.read()->users->size() >= limits::users_max)
        co_return fail(
            errc::conflict, fmt::format("there are {} users already", limits::users_max));
    CO_TRY(const auto roles, co_await roles_named(around_.store, wanted.grants));
    CO_CHECK_OK(check_grants(wanted.grants, roles.meanings, *actor.zones));
    CO_CHECK_OK(check_manages(actor, wanted.grants, roles.meanings));
    added made{
        .user =
            {.record =
                 {.name = wanted.name,
                  .full_name = std::move(wanted.full_name),
                  .email = std::move(wanted.email),
                  .grants = wanted.grants,
                  .pam = wanted.pam,
                  .kind = wanted.kind,
                  .current = new_eras(),
                  .made = around_.time.wall()}},
        .one_time_password = {}};
    auto& record = made.user.record;
    if (record.kind == user_kind::person && !record.pam) {
        if (!wanted.password) made.one_time_password = os::random_password();
        record.must_change = wanted.must_change || !wanted.password;
        CO_TRY(
            record.password_hash,
            co_await around_.checks.hash(wanted.password.value_or(made.one_time_password)));
    }
    const auto key = keys::user(record.name);
    kv::transaction change;
    change.when.emplace_back(kv::absent{key});
    change.then.emplace_back(kv::put{.key = key, .value = encode(record)});
    hold_roles(change, record.grants, roles);
    CO_TRY(const auto verdict, co_await around_.store.commit(std::move(change)));
    made.user.modified = verdict.at;
    if (verdict.committed) co_return made;
    const auto is_there = [&key](const kv::entry& each) {
        return each.key == key;
    };
    if (std::ranges::any_of(verdict.current, is_there))
        co_return fail(errc::conflict, fmt::format("User {} is already there", record.name));
    co_return changed_meanwhile();
}

async<known<user_record>> user_book::find(std::string name) {
    CO_TRY(const auto there, co_await around_.store.get(keys::user(name)));
    if (!there.found) co_return unknown(name);
    CO_TRY(auto record, decode_user(there.found->value));
    co_return known<user_record>{
        .record = std::move(record), .modified = there.found->modified, .lease = {}};
}

// It must stay as it is until the change is made: two who take the right from each other at the
// same time cannot both succeed.
async<kv::condition> user_book::another_chief(std::string besides) {
    kv::range_request next{.prefix = std::string(keys::users)};
    while (true) {
        CO_TRY(const auto page, co_await around_.store.range(next));
        for (const auto& each : page.entries) {
            const auto user = decode_user(each.value);
            if (user && user->name != besides && is_chief(*user))
                co_return kv::condition(kv::unchanged{each.key, each.modified});
        }
        if (!page.more || page.entries.empty()) break;
        next.after = page.entries.back().key;
    }
    co_return fail(
        errc::conflict,
        fmt::format(
            "{} is the last enabled admin of the whole cluster; make another one first", besides));
}

async<std::optional<known<user_record>>> user_book::try_alter(
    identity actor, std::string name, alteration how) {
    CO_TRY(const auto before, co_await find(name));
    if (how.expected && *how.expected != before.modified)
        co_return fail(
            errc::conflict, fmt::format("User {} was changed meanwhile; look again", name));
    CO_TRY(const auto next, how.next(before.record));
    auto grants = before.record.grants;
    if (next) std::ranges::copy(next->grants, std::back_inserter(grants));
    CO_TRY(const auto roles, co_await roles_named(around_.store, std::move(grants)));
    if (how.by == consent::of_manager) {
        CO_CHECK_OK(check_manages(actor, before.record.grants, roles.meanings));
    }
    kv::transaction change;
    const auto key = keys::user(name);
    change.when.emplace_back(kv::unchanged{key, before.modified});
    if (next) {
        if (next->grants != before.record.grants) {
            CO_CHECK_OK(check_grants(next->grants, roles.meanings, *actor.zones));
            CO_CHECK_OK(check_manages(actor, next->grants, roles.meanings));
            hold_roles(change, next->grants, roles);
        }
        change.then.emplace_back(kv::put{.key = key, .value = encode(*next)});
    } else {
        change.then.emplace_back(kv::erase{key});
    }
    if (is_chief(before.record) && !(next && is_chief(*next))) {
        CO_TRY(auto witness, co_await another_chief(name));
        change.when.push_back(std::move(witness));
    }
    CO_TRY(const auto verdict, co_await around_.store.commit(std::move(change)));
    if (!verdict.committed) co_return std::optional<known<user_record>>();
    const auto left = next ? next->current : eras{.sessions = "none", .tokens = "none"};
    if (left != before.record.current)
        ignore_error(co_await sweep(name, left), "what is of another era lets nobody in");
    co_return std::optional(
        known<user_record>{.record = next.value_or(before.record), .modified = verdict.at});
}

async<known<user_record>> user_book::alter(identity actor, std::string name, alteration how) {
    for (int attempt = 0; attempt < attempts_max; ++attempt) {
        CO_TRY(auto done, co_await try_alter(actor, name, how));
        if (done) co_return *std::move(done);
    }
    co_return changed_meanwhile();
}

// Takes away what is of no era any more, as far as this server knows of it. It is for tidiness:
// none of it lets anybody in.
async<void> user_book::sweep(std::string name, eras left) {
    const auto now = around_.known.read();
    for (const auto& [digest, session] : *now->sessions) {
        if (session.record.user != name || session.record.era == left.sessions) continue;
        ignore_error(co_await around_.store.revoke(session.lease), "it ends by itself");
    }
    kv::transaction change;
    for (const auto& [digest, token] : *now->tokens) {
        if (token.record.user != name || token.record.era == left.tokens) continue;
        if (change.then.size() < kv::limits::operations_max)
            change.then.emplace_back(kv::erase{keys::token(digest)});
    }
    if (!change.then.empty()) {
        CO_CHECK_OK(co_await around_.store.commit(std::move(change)));
    }
    co_return result<void>();
}

async<known<user_record>> user_book::change(identity actor, std::string name, changes wanted) {
    CO_CHECK_OK(access::check_account_text("`full_name`", wanted.full_name.value_or("")));
    CO_CHECK_OK(access::check_account_text("`email`", wanted.email.value_or("")));
    const auto expected = wanted.expected;
    alteration how{
        .next = [wanted =
                     std::move(wanted)](user_record next) -> result<std::optional<user_record>> {
            if (wanted.full_name) next.full_name = *wanted.full_name;
            if (wanted.email) next.email = *wanted.email;
            if (wanted.grants) next.grants = *wanted.grants;
            CHECK_OK(change_grants(next, wanted));
            if (wanted.pam && next.kind == user_kind::service)
                return fail(errc::invalid, "a service has no password, it has tokens");
            if (wanted.pam && *wanted.pam != next.pam) {
                // No password that was good before is good again by this.
                next.pam = *wanted.pam;
                next.password_hash.clear();
                next.must_change = false;
                next.current = new_eras();
            }
            return std::optional(std::move(next));
        },
        .expected = expected};
    co_return co_await alter(std::move(actor), std::move(name), std::move(how));
}

async<void> user_book::remove(identity actor, std::string name) {
    alteration how{.next = [](const user_record&) -> result<std::optional<user_record>> {
        return std::optional<user_record>();
    }};
    const auto done = co_await alter(std::move(actor), std::move(name), std::move(how));
    if (!done) co_return fail(done.error());
    co_return result<void>();
}

async<void> user_book::disable(identity actor, std::string name) {
    alteration how{.next = [](user_record next) -> result<std::optional<user_record>> {
        next.disabled = true;
        next.current = new_eras();
        return std::optional(std::move(next));
    }};
    const auto done = co_await alter(std::move(actor), std::move(name), std::move(how));
    if (!done) co_return fail(done.error());
    co_return result<void>();
}

async<void> user_book::enable(identity actor, std::string name) {
    alteration how{.next = [](user_record next) -> result<std::optional<user_record>> {
        next.disabled = false;
        return std::optional(std::move(next));
    }};
    const auto done = co_await alter(std::move(actor), std::move(name), std::move(how));
    if (!done) co_return fail(done.error());
    co_return result<void>();
}

async<void> user_book::end_sessions(identity actor, std::string name) {
    const bool own = is_own(actor, {.user = name, .id = {}});
    alteration how{
        .next = [](user_record next) -> result<std::optional<user_record>> {
            next.current.sessions = make_era();
            return std::optional(std::move(next));
        },
        .by = own ? consent::of_oneself : consent::of_manager};
    const auto done = co_await alter(std::move(actor), std::move(name), std::move(how));
    if (!done) co_return fail(done.error());
    co_return result<void>();
}

}  // namespace muster::people
