#include "services/people/session_service.h"

#include "services/people/grant_checks.h"
#include "services/people/keys.h"
#include "services/people/secret.h"

#include <fmt/format.h>

#include <utility>

namespace muster::people {
namespace {

std::unexpected<error> session_not_found(const std::string& id) {
    return fail(errc::not_found, fmt::format("session \"{}\" not found", id));
}

}  // namespace

std::vector<session_service::listed> session_service::list(
    const std::optional<std::string>& user) const {
    const auto snapshot = people_.read();
    std::vector<listed> sessions;
    for (const auto& [digest, session] : *snapshot->sessions) {
        if (user && session.record.user != *user) continue;
        const auto owner = snapshot->users->find(session.record.user);
        const bool valid = owner != snapshot->users->end()
                           && owner->second.record.current.sessions == session.record.era;
        if (valid) sessions.push_back({.id = id_of_digest(digest), .record = session.record});
    }
    return sessions;
}

async<void> session_service::end(identity actor, std::string id) {
    if (!is_id(id)) co_return session_not_found(id);
    CO_TRY(const auto page, co_await metastore_.range({.prefix = keys::session(id), .limit = 1}));
    if (page.entries.empty()) co_return session_not_found(id);
    const auto& entry = page.entries.front();
    CO_TRY(const auto session, decode_session(entry.value));
    if (!is_own_credential(actor, {.user = session.user, .id = id})) {
        CO_CHECK_OK(co_await check_may_manage_user(metastore_, actor, session.user));
    }
    kv::transaction change;
    change.then.emplace_back(kv::erase{entry.key});
    CO_CHECK_OK(co_await metastore_.commit(std::move(change)));
    if (entry.lease != kv::lease_id())
        ignore_error(co_await metastore_.revoke(entry.lease), "the lease expires");
    co_return result<void>();
}

}  // namespace muster::people
