#include "services/people/gate.h"

#include "ports/deadline.h"
#include "services/people/keys.h"
#include "services/people/neighbourhood.h"

#include <algorithm>
#include <utility>

namespace muster::people {
namespace {

using namespace std::chrono_literals;

constexpr auto note_patience = 1s;  // nobody waits longer for what may as well be lost
constexpr int notes_per_idle_limit = 10;
constexpr std::size_t noted_max = 50'000;

std::unexpected<error> not_logged_in() {
    return fail(errc::denied, "the login has ended or was never there; log in again");
}

template <class Record>
const known<Record>* find(const records<Record>& in, const std::string& name) {
    const auto found = in.find(name);
    return found == in.end() ? nullptr : &found->second;
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

access::zone_parents parents_of(const cluster::topology& places) {
    access::zone_parents tree;
    for (const auto& [name, zone] : places.zones) tree.emplace(name, zone.parent);
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

gate::gate(surroundings around, options how)
    : around_(around), how_(how), strange_(how.strange_secrets) {}

std::shared_ptr<const access::zone_parents> gate::tree() {
    auto places = around_.places.read();
    const std::lock_guard lock(guard_);
    if (places != tree_from_) {
        tree_ = std::make_shared<const access::zone_parents>(parents_of(*places));
        tree_from_ = std::move(places);
    }
    return tree_;
}

std::optional<gate::pass> gate::remembered(
    const roster& from, secret_kind kind, const std::string& digest) const {
    {
        const std::lock_guard lock(guard_);
        if (ended_.contains(digest)) return std::nullopt;
    }
    pass shown{.digest = digest, .what = {}, .user = {}};
    if (kind == secret_kind::session) {
        const auto* found = find(*from.sessions, digest);
        if (found == nullptr) return std::nullopt;
        shown.what = *found;
    } else {
        const auto* found = find(*from.tokens, digest);
        if (found == nullptr) return std::nullopt;
        shown.what = *found;
    }
    const auto* user = find(*from.users, user_of(shown.what));
    if (user == nullptr) return std::nullopt;
    shown.user = user->record;
    if (!check(shown)) return std::nullopt;
    return shown;
}

async<gate::pass> gate::look_up(secret_kind kind, std::string digest) {
    const bool session = kind == secret_kind::session;
    CO_TRY(
        const auto there,
        co_await around_.store.get(session ? keys::session(digest) : keys::token(digest)));
    if (!there.found) co_return not_logged_in();
    pass shown{.digest = std::move(digest), .what = {}, .user = {}};
    if (session) {
        CO_TRY(auto read, decode_session(there.found->value));
        shown.what = as_known(std::move(read), *there.found);
    } else {
        CO_TRY(auto read, decode_token(there.found->value));
        shown.what = as_known(std::move(read), *there.found);
    }
    CO_TRY(const auto user, co_await around_.store.get(keys::user(user_of(shown.what))));
    if (!user.found) co_return not_logged_in();
    CO_TRY(shown.user, decode_user(user.found->value));
    CO_CHECK_OK(check(shown));
    co_return shown;
}

async<gate::pass> gate::look_up_limited(secret_kind kind, std::string digest, std::string origin) {
    const auto who = "address " + neighbourhood(origin);
    {
        const std::lock_guard lock(guard_);
        if (strange_.wait_for(who, around_.time.now()))
            co_return fail(
                errc::unavailable, "too many unknown secrets from this address; wait a minute");
    }
    auto shown = co_await look_up(kind, std::move(digest));
    if (!shown && shown.error().code() == errc::denied) {
        const std::lock_guard lock(guard_);
        strange_.failed(who, around_.time.now());
    }
    co_return shown;
}

wall_time gate::last_seen(const std::string& digest, const session_record& of) const {
    const std::lock_guard lock(guard_);
    const auto noted = noted_.find(digest);
    return noted == noted_.end() ? of.seen : std::max(of.seen, noted->second);
}

result<void> gate::check(const pass& shown) const {
    if (shown.user.disabled) return not_logged_in();
    const auto now = around_.time.wall();
    if (const auto* session = std::get_if<session_entry>(&shown.what)) {
        const auto& record = session->record;
        const bool idle = last_seen(shown.digest, record) + how_.idle_limit <= now;
        if (record.expires <= now || idle || record.era != shown.user.current.sessions)
            return not_logged_in();
        return {};
    }
    const auto& token = std::get<token_entry>(shown.what).record;
    if (token.expires <= now || token.era != shown.user.current.tokens) return not_logged_in();
    return {};
}

identity gate::identity_of(const pass& shown, const roster& from) {
    identity who{
        .user = shown.user.name,
        .id = id_of_digest(shown.digest),
        .digest = shown.digest,
        .zones = tree()};
    const access::permissions users(shown.user.grants, *from.meanings);
    if (const auto* token = std::get_if<token_entry>(&shown.what)) {
        who.how = identity::door::token;
        who.may = narrowed(users, token->record, *from.meanings, *who.zones);
    } else {
        who.how = identity::door::session;
        who.must_change = shown.user.must_change;
        if (!who.must_change) who.may = users;
    }
    return who;
}

async<identity> gate::identify(std::string secret, std::string origin) {
    const auto kind = kind_of_secret(secret);
    if (!kind) co_return not_logged_in();
    const auto digest = digest_of(secret);
    const auto from = around_.known.read();
    auto shown = remembered(*from, *kind, digest);
    if (!shown) {
        CO_TRY(shown, co_await look_up_limited(*kind, digest, std::move(origin)));
    }
    auto who = identity_of(*shown, *from);
    if (*kind == secret_kind::session) who.csrf = csrf_of(secret);
    if (take_turn_to_note(*shown)) {
        auto noting = within(around_.time, note_patience, note_use(*std::move(shown)));
        ignore_error(
            co_await std::move(noting), "the next tenth of the idle limit brings another try");
    }
    co_return who;
}

bool gate::still_lets_in(const identity& who) {
    const auto kind =
        who.how == identity::door::session ? secret_kind::session : secret_kind::token;
    const auto from = around_.known.read();
    const auto shown = remembered(*from, kind, who.digest);
    return shown && identity_of(*shown, *from).may == who.may;
}

// Whether it is time to write down that this is used, and nobody else on this server does.
bool gate::take_turn_to_note(const pass& shown) {
    const auto now = around_.time.wall();
    const std::lock_guard lock(guard_);
    const auto noted = noted_.find(shown.digest);
    if (const auto* session = std::get_if<session_entry>(&shown.what)) {
        const auto step = how_.idle_limit / notes_per_idle_limit;
        const auto last = noted == noted_.end() ? session->record.seen
                                                : std::max(session->record.seen, noted->second);
        if (now - last < step) return false;
    } else {
        const auto today = std::chrono::floor<std::chrono::days>(now);
        const auto& token = std::get<token_entry>(shown.what).record;
        if (token.last_used && *token.last_used >= today) return false;
        if (noted != noted_.end() && noted->second >= today) return false;
    }
    if (noted == noted_.end() && noted_.size() >= noted_max) {
        const auto old = now - std::max<std::chrono::seconds>(how_.idle_limit, 24h);
        std::erase_if(noted_, [old](const auto& each) { return each.second < old; });
        if (noted_.size() >= noted_max) noted_.clear();
    }
    noted_.insert_or_assign(shown.digest, now);
    return true;
}

// Only if it stands as it was seen: what was ended meanwhile does not come back.
async<void> gate::note_use(pass shown) {
    kv::transaction change;
    const auto rewrite = [&](std::string key, std::string value, const auto& entry) {
        change.when.emplace_back(kv::unchanged{key, entry.modified});
        change.then.emplace_back(
            kv::put{.key = std::move(key), .value = std::move(value), .lease = entry.lease});
    };
    if (auto* session = std::get_if<session_entry>(&shown.what)) {
        session->record.seen = around_.time.wall();
        rewrite(keys::session(shown.digest), encode(session->record), *session);
    } else {
        auto& token = std::get<token_entry>(shown.what);
        token.record.last_used = std::chrono::floor<std::chrono::days>(around_.time.wall());
        rewrite(keys::token(shown.digest), encode(token.record), token);
    }
    const auto verdict = co_await around_.store.commit(std::move(change));
    if (!verdict) co_return fail(verdict.error());
    co_return result<void>();
}

}  // namespace muster::people
