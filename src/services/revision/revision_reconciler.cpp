#include "services/revision/revision_reconciler.h"

#include "ports/deadline.h"
#include "services/revision/keys.h"
#include "services/revision/notices.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace muster::revision {
namespace {

using namespace std::chrono_literals;

constexpr auto idle_interval = 5s;
constexpr auto election_pause_max = 1'000;  // milliseconds; spreads the attempts of servers
constexpr auto others_notes_after = 10s;    // their own server should have published them
constexpr auto untracked_interval = 60s;
constexpr std::size_t notes_per_revision = 100;

}  // namespace

std::string note_name(const std::string& server, std::int64_t number) {
    return server + "/" + std::to_string(number);
}

void revision_reconciler::record_events(const snapshot_ptr& snapshot) {
    const auto before = std::exchange(recorded_, snapshot);
    if (!before || before == snapshot) return;
    for (auto& event : build_edit_events(*before, *snapshot, deps_.clock.wall()))
        deps_.events.post(std::move(event));
}

async<void> revision_reconciler::reconcile_leader(snapshot_ptr snapshot) {
    if (!needs_leader(snapshot->current_draft) || snapshot->leader) {
        election_at_.reset();
    } else if (!election_at_) {
        election_at_ =
            deps_.clock.now() + std::chrono::milliseconds(random_.below(election_pause_max));
    } else if (*election_at_ <= deps_.clock.now()) {
        CO_CHECK_OK(co_await deps_.lock.lead());
        election_at_.reset();
        woken_.notify();
    }
    const auto* const leader = snapshot->edit_leader();
    if (leader != nullptr && leader->server == options_.server) co_return co_await lead(snapshot);
    co_return result<void>();
}

async<void> revision_reconciler::lead(snapshot_ptr snapshot) {
    const bool applying =
        snapshot->current_draft && snapshot->current_draft->state == draft_state::applying;
    const bool idle_due = !needs_leader(snapshot->current_draft)
                          || idle_check_at_ + idle_interval < deps_.clock.now();
    if (!applying && !idle_due) co_return result<void>();
    CO_TRY(const auto claim, co_await deps_.lock.find_own_claim());
    if (!claim) co_return result<void>();
    if (applying) co_return co_await deps_.applier.run(*claim);
    idle_check_at_ = deps_.clock.now();
    CO_TRY(const auto ended, co_await deps_.drafts.end_idle_sessions(*claim));
    for (const auto& editor : ended)
        deps_.log.info("idle edit session ended", {{"user", editor.user}, {"edit", editor.id}});
    co_return result<void>();
}

// Notes of this server are due as soon as no more follow; notes of others after a longer time.
bool revision_reconciler::are_notes_due(const edit_state_snapshot& snapshot) const {
    const auto now = deps_.clock.wall();
    wall_time oldest = wall_time::max();
    wall_time newest_own = wall_time::min();
    bool has_own = false;
    for (const auto& [name, note] : snapshot.notes) {
        oldest = std::min(oldest, note.at);
        if (!name.starts_with(options_.server + "/")) continue;
        has_own = true;
        newest_own = std::max(newest_own, note.at);
    }
    if (oldest + others_notes_after < now) return true;
    return has_own && (newest_own + options_.settle < now || oldest + options_.settle_max < now);
}

async<void> revision_reconciler::publish(std::string kind, snapshot_ptr snapshot) {
    CO_TRY(
        const auto turn, co_await deps_.lock.take_turn("", [](const std::optional<draft>& current) {
            return may_change_directly(current);
        }));
    revision_publisher::publish_request request{.kind = std::move(kind)};
    for (const auto& [name, note] : snapshot->notes) {
        if (request.entries.size() >= notes_per_revision) break;
        request.entries.push_back(note);
        request.operations.emplace_back(kv::erase{keys::under(keys::notes, name)});
        if (request.by.empty()) request.by = note.by;
        if (request.by != note.by) request.by = "several";
    }
    request.operations.emplace_back(kv::erase{std::string(keys::leader)});
    const auto created = co_await deps_.publisher.publish(turn, std::move(request));
    if (created) co_return result<void>();
    ignore_error(co_await deps_.lock.release(turn), "released later, or expires");
    co_return fail(created.error());
}

async<void> revision_reconciler::publish_changes(snapshot_ptr snapshot) {
    // During editing, only the draft is published.
    if (needs_leader(snapshot->current_draft) || snapshot->leader || !deps_.drift.own())
        co_return result<void>();
    if (!snapshot->head) co_return co_await publish("first", snapshot);
    if (snapshot->head->form > form) co_return result<void>();
    if (!snapshot->notes.empty()) {
        if (!are_notes_due(*snapshot)) co_return result<void>();
        co_return co_await publish("direct", snapshot);
    }
    // This server uses a newer section format; the data itself did not change.
    if (snapshot->head->form < form) co_return co_await publish("found", snapshot);
    const auto since = deps_.drift.differs_since();
    const bool settled = since && *since + 2 * options_.grace < deps_.clock.wall();
    if (!settled) co_return result<void>();
    // The data still differs after a reload, so the records were changed.
    if (untracked_published_at_ != instant{}
        && untracked_published_at_ + untracked_interval > deps_.clock.now())
        co_return result<void>();
    untracked_published_at_ = deps_.clock.now();
    deps_.log.warning("untracked change of common data published");
    co_return co_await publish("found", snapshot);
}

async<void> revision_reconciler::run_once() {
    if ((deps_.follower != nullptr && !deps_.follower->complete())) co_return result<void>();
    const auto snapshot = deps_.edit_state.read();
    if (options_.leads) {
        record_events(snapshot);
        CO_CHECK_OK(co_await reconcile_leader(snapshot));
    }
    CO_CHECK_OK(co_await deps_.drift.run_once());
    if (options_.leads) {
        CO_CHECK_OK(co_await publish_changes(deps_.edit_state.read()));
    }
    co_return result<void>();
}

boost::asio::awaitable<void> revision_reconciler::run() {
    std::string last_message;
    while (true) {
        const auto outcome = co_await run_once();
        if (!outcome && outcome.error().code() == errc::cancelled) co_return;
        const auto message = outcome ? std::string() : to_string(outcome.error());
        if (std::exchange(last_message, message) != message && !message.empty())
            deps_.log.warning("common data reconciliation failed", {{"error", message}});
        const auto woken = co_await within(deps_.clock, options_.interval, woken_.wait());
        if (!woken && woken.error().code() == errc::cancelled) co_return;
        if (outcome) continue;
        // Do not retry a failing engine at once.
        const auto slept = co_await deps_.clock.sleep_for(options_.interval / 2);
        if (!slept) co_return;
    }
}

}  // namespace muster::revision
