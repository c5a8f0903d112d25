#include "services/people/authenticator.h"

#include "ports/deadline.h"
#include "services/people/address_limit_key.h"
#include "services/people/keys.h"

#include <algorithm>
#include <utility>

namespace muster::people {
namespace {

using namespace std::chrono_literals;

constexpr auto note_timeout = 1s;  // nobody waits longer for what may as well be lost
constexpr int notes_per_idle_limit = 10;
constexpr std::size_t noted_max = 50'000;

std::unexpected<error> not_logged_in() {
    return fail(errc::denied, "the login has ended or was never there; log in again");
}

template <class Record>
const known<Record>* find(const records<Record>& in, const std::string& name) {
    const auto it = in.find(name);
    return it == in.end() ? nullptr : &it->second;
}

template <class Record>
known<Record> as_known(Record record, const kv::entry& from) {
    return {.record = std::move(record), .modified = from.modified, .lease = from.lease};
}

const std::string& user_of(const std::variant<known<session_record>, known<token_record>>& what) {
    return std::visit(
        [](const auto& each) -> const std::string& { return each.record.user; }, what);
}

}  // namespace

access::zone_parents parents_of(const cluster::topology& topology) {
    access::zone_parents tree;
    for (const auto& [name, zone] : topology.zones) tree.emplace(name, zone.parent);
    return tree;
}

access::permissions narrowed(
    const access::permissions& users,
    const token_record& by,
    const access::roles& meanings,
    const access::zone_parents& tree) {
    auto left = users;
    if (!by.grants.empty()) left = left.within(access::permissions(by.grants, meanings), tree);
    if (by.rights) left = left.only(*by.rights);
    return left;
}

authenticator::authenticator(dependencies deps, options options)
    : deps_(deps), options_(options), strange_(options.strange_secrets) {}

std::shared_ptr<const access::zone_parents> authenticator::tree() {
    auto places = deps_.topology.read();
    const std::lock_guard lock(guard_);
    if (places != tree_from_) {
        tree_ = std::make_shared<const access::zone_parents>(parents_of(*places));
        tree_from_ = std::move(places);
    }
    return tree_;
}

std::optional<authenticator::pass> authenticator::remembered(
    const people_snapshot& from, secret_kind kind, const std::string& digest) const {
    {
        const std::lock_guard lock(guard_);
        if (ended_.contains(digest)) return std::nullopt;
    }
    pass pass{.digest = digest, .what = {}, .user = {}};
    if (kind == secret_kind::session) {
        const auto* it = find(*from.sessions, digest);
        if (it == nullptr) return std::nullopt;
        pass.what = *it;
    } else {
        const auto* it = find(*from.tokens, digest);
        if (it == nullptr) return std::nullopt;
        pass.what = *it;
    }
    const auto* user = find(*from.users, user_of(pass.what));
    if (user == nullptr) return std::nullopt;
    pass.user = user->record;
    if (!check(pass)) return std::nullopt;
    return pass;
}

async<authenticator::pass> authenticator::look_up(secret_kind kind, std::string digest) {
    const bool session = kind == secret_kind::session;
    CO_TRY(
        const auto there,
        co_await deps_.metastore.get(session ? keys::session(digest) : keys::token(digest)));
    if (!there.found) co_return not_logged_in();
    pass pass{.digest = std::move(digest), .what = {}, .user = {}};
    if (session) {
        CO_TRY(auto read, decode_session(there.found->value));
        pass.what = as_known(std::move(read), *there.found);
    } else {
        CO_TRY(auto read, decode_token(there.found->value));
        pass.what = as_known(std::move(read), *there.found);
    }
    CO_TRY(const auto user, co_await deps_.metastore.get(keys::user(user_of(pass.what))));
    if (!user.found) co_return not_logged_in();
    CO_TRY(pass.user, decode_user(user.found->value));
    CO_CHECK_OK(check(pass));
    co_return pass;
}

async<authenticator::pass> authenticator::look_up_limited(
    secret_kind kind, std::string digest, std::string origin) {
    const auto who = "address " + address_limit_key(origin);
    {
        const std::lock_guard lock(guard_);
        if (strange_.wait_for(who, deps_.clock.now()))
            co_return fail(
                errc::unavailable, "too many unknown secrets from this address; wait a minute");
    }
    auto output = co_await look_up(kind, std::move(digest));
    if (!output && output.error().code() == errc::denied) {
        const std::lock_guard lock(guard_);
        strange_.failed(who, deps_.clock.now());
    }
    co_return output;
}

wall_time authenticator::last_seen(const std::string& digest, const session_record& of) const {
    const std::lock_guard lock(guard_);
    const auto noted = noted_.find(digest);
    return noted == noted_.end() ? of.seen : std::max(of.seen, noted->second);
}

result<void> authenticator::check(const pass& pass) const {
    if (pass.user.disabled) return not_logged_in();
    const auto now = deps_.clock.wall();
    if (const auto* session = std::get_if<session_entry>(&pass.what)) {
        const auto& record = session->record;
        const bool idle = last_seen(pass.digest, record) + options_.idle_limit <= now;
        if (record.expires <= now || idle || record.era != pass.user.current.sessions)
            return not_logged_in();
        return {};
    }
    const auto& token = std::get<token_entry>(pass.what).record;
    if (token.expires <= now || token.era != pass.user.current.tokens) return not_logged_in();
    return {};
}

identity authenticator::identity_of(const pass& pass, const people_snapshot& from) {
    identity who{
        .user = pass.user.name,
        .id = id_of_digest(pass.digest),
        .digest = pass.digest,
        .zones = tree()};
    const access::permissions users(pass.user.grants, *from.meanings);
    if (const auto* token = std::get_if<token_entry>(&pass.what)) {
        who.how = identity::door::token;
        who.may = narrowed(users, token->record, *from.meanings, *who.zones);
    } else {
        who.how = identity::door::session;
        who.must_change = pass.user.must_change;
        if (!who.must_change) who.may = users;
    }
    return who;
}

async<identity> authenticator::identify(std::string secret, std::string origin) {
    const auto kind = kind_of_secret(secret);
    if (!kind) co_return not_logged_in();
    const auto digest = digest_of(secret);
    const auto from = deps_.people.read();
    auto output = remembered(*from, *kind, digest);
    if (!output) {
        CO_TRY(output, co_await look_up_limited(*kind, digest, std::move(origin)));
    }
    auto who = identity_of(*output, *from);
    if (*kind == secret_kind::session) who.csrf = csrf_of(secret);
    if (take_turn_to_note(*output)) {
        auto noting = within(deps_.clock, note_timeout, note_use(*std::move(output)));
        ignore_error(
            co_await std::move(noting), "the next tenth of the idle limit brings another try");
    }
    co_return who;
}

bool authenticator::still_lets_in(const identity& who) {
    const auto kind =
        who.how == identity::door::session ? secret_kind::session : secret_kind::token;
    const auto from = deps_.people.read();
    const auto output = remembered(*from, kind, who.digest);
    return output && identity_of(*output, *from).may == who.may;
}

// Whether it is time to write down that this is used, and nobody else on this server does.
bool authenticator::take_turn_to_note(const pass& pass) {
    const auto now = deps_.clock.wall();
    const std::lock_guard lock(guard_);
    const auto noted = noted_.find(pass.digest);
    if (const auto* session = std::get_if<session_entry>(&pass.what)) {
        const auto step = options_.idle_limit / notes_per_idle_limit;
        const auto last = noted == noted_.end() ? session->record.seen
                                                : std::max(session->record.seen, noted->second);
        if (now - last < step) return false;
    } else {
        const auto today = std::chrono::floor<std::chrono::days>(now);
        const auto& token = std::get<token_entry>(pass.what).record;
        if (token.last_used && *token.last_used >= today) return false;
        if (noted != noted_.end() && noted->second >= today) return false;
    }
    if (noted == noted_.end() && noted_.size() >= noted_max) {
        const auto old = now - std::max<std::chrono::seconds>(options_.idle_limit, 24h);
        std::erase_if(noted_, [old](const auto& each) { return each.second < old; });
        if (noted_.size() >= noted_max) noted_.clear();
    }
    noted_.insert_or_assign(pass.digest, now);
    return true;
}

// Only if it stands as it was seen: what was ended meanwhile does not come back.
async<void> authenticator::note_use(pass pass) {
    kv::transaction change;
    const auto rewrite = [&](std::string key, std::string value, const auto& entry) {
        change.when.emplace_back(kv::unchanged{key, entry.modified});
        change.then.emplace_back(
            kv::put{.key = std::move(key), .value = std::move(value), .lease = entry.lease});
    };
    if (auto* session = std::get_if<session_entry>(&pass.what)) {
        session->record.seen = deps_.clock.wall();
        rewrite(keys::session(pass.digest), encode(session->record), *session);
    } else {
        auto& token = std::get<token_entry>(pass.what);
        token.record.last_used = std::chrono::floor<std::chrono::days>(deps_.clock.wall());
        rewrite(keys::token(pass.digest), encode(token.record), token);
    }
    const auto verdict = co_await deps_.metastore.commit(std::move(change));
    if (!verdict) co_return fail(verdict.error());
    co_return result<void>();
}

}  // namespace muster::people
