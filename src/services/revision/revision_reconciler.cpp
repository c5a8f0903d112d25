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
constexpr auto election_pause_max = 1'000;  // milliseconds: servers do not all try at once
constexpr auto others_notes_after = 10s;    // their server should have told them
constexpr auto found_interval = 60s;
constexpr std::size_t notes_at_once = 100;

}  // namespace

std::string note_name(const std::string& server, std::int64_t at) {
    return server + "/" + std::to_string(at);
}

void revision_reconciler::tell_news(const view& now) {
    const auto before = std::exchange(told_of_, now);
    if (!before || before == now) return;
    for (auto& notice : notices_of(*before, *now, deps_.clock.wall()))
        deps_.events.post(std::move(notice));
}

async<void> revision_reconciler::mind_the_lead(view now) {
    if (!needs_leader(now->now) || now->leader) {
        leaderless_since_.reset();
    } else if (!leaderless_since_) {
        leaderless_since_ =
            deps_.clock.now() + std::chrono::milliseconds(random_.below(election_pause_max));
    } else if (*leaderless_since_ <= deps_.clock.now()) {
        CO_CHECK_OK(co_await deps_.lock.lead());
        leaderless_since_.reset();
        more_.ring();
    }
    const auto* const leader = now->leads();
    if (leader != nullptr && leader->server == options_.server) co_return co_await lead(now);
    co_return result<void>();
}

async<void> revision_reconciler::lead(view now) {
    const bool applying = now->now && now->now->state == draft_state::applying;
    const bool idle_due =
        !needs_leader(now->now) || looked_for_idle_ + idle_interval < deps_.clock.now();
    if (!applying && !idle_due) co_return result<void>();
    CO_TRY(const auto claim, co_await deps_.lock.held());
    if (!claim) co_return result<void>();
    if (applying) co_return co_await deps_.applier.run(*claim);
    looked_for_idle_ = deps_.clock.now();
    CO_TRY(const auto gone, co_await deps_.drafts.send_idle_away(*claim));
    for (const auto& each : gone)
        deps_.log.info(
            "an editing session was idle for too long", {{"user", each.user}, {"edit", each.id}});
    co_return result<void>();
}

// Those of this server are told as soon as no more follow; those of others if they do not tell
// them.
bool revision_reconciler::notes_are_ripe(const edit_state_snapshot& now) const {
    const auto at = deps_.clock.wall();
    wall_time oldest = wall_time::max();
    wall_time newest_own = wall_time::min();
    bool own = false;
    for (const auto& [name, each] : now.notes) {
        oldest = std::min(oldest, each.at);
        if (!name.starts_with(options_.server + "/")) continue;
        own = true;
        newest_own = std::max(newest_own, each.at);
    }
    if (oldest + others_notes_after < at) return true;
    return own && (newest_own + options_.settle < at || oldest + options_.settle_max < at);
}

async<void> revision_reconciler::publish(std::string kind, view view) {
    CO_TRY(const auto turn, co_await deps_.lock.take_turn("", [](const std::optional<draft>& now) {
        return may_change_directly(now);
    }));
    revision_publisher::wanted how{.kind = std::move(kind)};
    for (const auto& [name, each] : view->notes) {
        if (how.entries.size() >= notes_at_once) break;
        how.entries.push_back(each);
        how.also.emplace_back(kv::erase{keys::under(keys::notes, name)});
        if (how.by.empty()) how.by = each.by;
        if (how.by != each.by) how.by = "several";
    }
    how.also.emplace_back(kv::erase{std::string(keys::leader)});
    const auto created = co_await deps_.publisher.publish(turn, std::move(how));
    if (created) co_return result<void>();
    ignore_error(co_await deps_.lock.let_go(turn), "it is given back later, or ends");
    co_return fail(created.error());
}

async<void> revision_reconciler::mind_revisions(view now) {
    // While it is edited or applied, all that is published is the draft.
    if (needs_leader(now->now) || now->leader || !deps_.drift.own()) co_return result<void>();
    if (!now->head) co_return co_await publish("first", now);
    if (now->head->form > form) co_return result<void>();
    if (!now->notes.empty()) {
        if (!notes_are_ripe(*now)) co_return result<void>();
        co_return co_await publish("direct", now);
    }
    // A newer server writes sections in another way: nobody changed anything.
    if (now->head->form < form) co_return co_await publish("found", now);
    const auto since = deps_.drift.differs_since();
    const bool settled = since && *since + 2 * options_.grace < deps_.clock.wall();
    if (!settled) co_return result<void>();
    // Also read anew it differs: that is how the record is.
    if (found_at_ != instant{} && found_at_ + found_interval > deps_.clock.now())
        co_return result<void>();
    found_at_ = deps_.clock.now();
    deps_.log.warning("common data was changed, and nobody said so: it is published as found");
    co_return co_await publish("found", now);
}

async<void> revision_reconciler::look() {
    if ((deps_.follower != nullptr && !deps_.follower->complete())) co_return result<void>();
    const auto now = deps_.edit_state.read();
    if (options_.leads) {
        tell_news(now);
        CO_CHECK_OK(co_await mind_the_lead(now));
    }
    CO_CHECK_OK(co_await deps_.drift.look());
    if (options_.leads) {
        CO_CHECK_OK(co_await mind_revisions(deps_.edit_state.read()));
    }
    co_return result<void>();
}

boost::asio::awaitable<void> revision_reconciler::run() {
    std::string last_said;
    while (true) {
        const auto done = co_await look();
        if (!done && done.error().code() == errc::cancelled) co_return;
        const auto message = done ? std::string() : to_string(done.error());
        if (std::exchange(last_said, message) != message && !message.empty())
            deps_.log.warning("common data is not looked after now", {{"reason", message}});
        const auto rung = co_await within(deps_.clock, options_.interval, more_.wait());
        if (!rung && rung.error().code() == errc::cancelled) co_return;
        if (done) continue;
        // An engine that fails at once is not asked at once again.
        const auto slept = co_await deps_.clock.sleep_for(options_.interval / 2);
        if (!slept) co_return;
    }
}

}  // namespace muster::revision
