#include "services/revision/applier.h"

#include "services/revision/keys.h"

#include <algorithm>
#include <utility>

namespace muster::revision {
namespace {

std::vector<direct_change> to_direct_changes(const std::vector<draft_change>& changes) {
    std::vector<direct_change> direct_changes;
    for (const auto& change : changes)
        direct_changes.push_back(
            {.by = change.by,
             .operation = change.operation,
             .subject = change.name,
             .at = change.at});
    return direct_changes;
}

bool is_retryable(const error& failure) {
    return failure.code() == errc::unavailable || failure.code() == errc::timed_out
           || failure.code() == errc::cancelled;
}

// The draft is still the one that was applied.
kv::condition unchanged_condition(const draft& current) {
    return kv::value_is{.key = std::string(keys::draft), .value = encode(current)};
}

}  // namespace

async<void> applier::run(edit_lock::claim claim) {
    CO_TRY(auto stored, co_await deps_.drafts.read_draft());
    if (!stored || stored->state != draft_state::applying || !stored->applying)
        co_return result<void>();
    draft current = *std::move(stored);
    CO_TRY(const auto changes, co_await deps_.drafts.changes());
    std::vector<std::int64_t> numbers;
    for (const auto& change : changes) numbers.push_back(change.number);
    std::int64_t last_done = 0;
    while (true) {
        CO_TRY(const auto content, co_await deps_.publisher.read_sections());
        const auto digest = digest_of(digests_of(content));
        const auto next = next_change(*current.applying, numbers, digest, last_done);
        if (!next) break;
        auto progress = *current.applying;
        progress.doing = *next;
        progress.before = digest;
        CO_TRY(current, co_await deps_.drafts.record_progress(claim, std::move(progress)));
        const auto change = std::ranges::find(changes, *next, &draft_change::number);
        const auto outcome = co_await deps_.executor.execute(*change);
        if (!outcome && is_retryable(outcome.error())) co_return fail(outcome.error());
        if (!outcome)
            co_return co_await halt(
                std::move(claim),
                std::move(current),
                {changes.begin(), change},
                *next,
                outcome.error());
        last_done = *next;
    }
    co_return co_await finish(std::move(claim), std::move(current), changes);
}

// The head, the end of the draft and of the leader are one transaction.
async<void> applier::finish(
    edit_lock::claim claim, draft current, std::vector<draft_change> changes) {
    revision_publisher::publish_request request{
        .kind = "applied",
        .by = current.applying->by,
        .note = current.applying->note,
        .draft = current.id,
        .entries = to_direct_changes(changes)};
    request.conditions.push_back(unchanged_condition(current));
    request.operations.emplace_back(kv::erase{std::string(keys::draft)});
    request.operations.emplace_back(kv::erase_prefix{std::string(keys::changes)});
    request.operations.emplace_back(kv::erase{std::string(keys::leader)});
    CO_TRY(
        const auto created, co_await deps_.publisher.publish(std::move(claim), std::move(request)));
    deps_.log.info(
        "draft applied",
        {{"revision", created.number}, {"by", current.applying->by}, {"changes", changes.size()}});
    co_return result<void>();
}

async<void> applier::halt(
    edit_lock::claim claim,
    draft current,
    std::vector<draft_change> applied,
    std::int64_t failed,
    error failure) {
    auto next = current;
    next.state = draft_state::halted;
    next.applying.reset();
    next.error = "change " + std::to_string(failed) + ": " + failure.detail();
    next.done = failed - 1;
    next.count -= static_cast<std::int64_t>(applied.size());
    for (const auto& change : applied)
        next.bytes -= static_cast<std::int64_t>(change.arguments.size());
    revision_publisher::publish_request request{
        .kind = "partial",
        .by = current.applying->by,
        .note = next.error,
        .draft = current.id,
        .entries = to_direct_changes(applied)};
    request.conditions.push_back(unchanged_condition(current));
    request.operations.emplace_back(
        kv::put{.key = std::string(keys::draft), .value = encode(next)});
    CO_CHECK_OK(co_await deps_.publisher.publish(std::move(claim), std::move(request)));
    deps_.log.warning("draft apply failed", {{"by", current.applying->by}, {"error", next.error}});
    co_return result<void>();
}

}  // namespace muster::revision
