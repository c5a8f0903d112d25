#include "services/revision/applier.h"

#include "services/revision/keys.h"

#include <algorithm>
#include <utility>

namespace muster::revision {
namespace {

std::vector<direct_change> entries_of(const std::vector<draft_change>& changes) {
    std::vector<direct_change> direct_changes;
    for (const auto& change : changes)
        direct_changes.push_back(
            {.by = change.by,
             .operation = change.operation,
             .subject = change.name,
             .at = change.at});
    return direct_changes;
}

bool may_come_right(const error& why) {
    return why.code() == errc::unavailable || why.code() == errc::timed_out
           || why.code() == errc::cancelled;
}

// Only if the draft is still the one that was carried out.
kv::condition as_noted(const draft& now) {
    return kv::value_is{.key = std::string(keys::draft), .value = encode(now)};
}

}  // namespace

async<void> applier::run(edit_lock::claim as) {
    CO_TRY(auto observed, co_await deps_.drafts.look());
    if (!observed || observed->state != draft_state::applying || !observed->applying)
        co_return result<void>();
    draft now = *std::move(observed);
    CO_TRY(const auto all, co_await deps_.drafts.changes());
    std::vector<std::int64_t> numbers;
    for (const auto& each : all) numbers.push_back(each.number);
    std::int64_t done_here = 0;
    while (true) {
        CO_TRY(const auto content, co_await deps_.publisher.recorded());
        const auto digest = digest_of(digests_of(content));
        const auto next = next_change(*now.applying, numbers, digest, done_here);
        if (!next) break;
        auto progress = *now.applying;
        progress.doing = *next;
        progress.before = digest;
        CO_TRY(now, co_await deps_.drafts.note_progress(as, std::move(progress)));
        const auto which = std::ranges::find(all, *next, &draft_change::number);
        const auto outcome = co_await deps_.executor.execute(*which);
        if (!outcome && may_come_right(outcome.error())) co_return fail(outcome.error());
        if (!outcome)
            co_return co_await halt(
                std::move(as), std::move(now), {all.begin(), which}, *next, outcome.error());
        done_here = *next;
    }
    co_return co_await finish(std::move(as), std::move(now), all);
}

// The head, the end of the draft and of the leader are one transaction.
async<void> applier::finish(edit_lock::claim as, draft now, std::vector<draft_change> all) {
    revision_publisher::wanted how{
        .kind = "applied",
        .by = now.applying->by,
        .note = now.applying->note,
        .draft = now.id,
        .entries = entries_of(all)};
    how.when.push_back(as_noted(now));
    how.also.emplace_back(kv::erase{std::string(keys::draft)});
    how.also.emplace_back(kv::erase_prefix{std::string(keys::changes)});
    how.also.emplace_back(kv::erase{std::string(keys::leader)});
    CO_TRY(const auto created, co_await deps_.publisher.publish(std::move(as), std::move(how)));
    deps_.log.info(
        "the draft is applied",
        {{"revision", created.number}, {"by", now.applying->by}, {"changes", all.size()}});
    co_return result<void>();
}

async<void> applier::halt(
    edit_lock::claim as,
    draft now,
    std::vector<draft_change> done,
    std::int64_t failed,
    error why) {
    auto next = now;
    next.state = draft_state::halted;
    next.applying.reset();
    next.error = "change " + std::to_string(failed) + ": " + why.detail();
    next.done = failed - 1;
    next.count -= static_cast<std::int64_t>(done.size());
    for (const auto& each : done) next.bytes -= static_cast<std::int64_t>(each.arguments.size());
    revision_publisher::wanted how{
        .kind = "partial",
        .by = now.applying->by,
        .note = next.error,
        .draft = now.id,
        .entries = entries_of(done)};
    how.when.push_back(as_noted(now));
    how.also.emplace_back(kv::put{.key = std::string(keys::draft), .value = encode(next)});
    CO_CHECK_OK(co_await deps_.publisher.publish(std::move(as), std::move(how)));
    deps_.log.warning(
        "the draft could not be applied", {{"by", now.applying->by}, {"reason", next.error}});
    co_return result<void>();
}

}  // namespace muster::revision
