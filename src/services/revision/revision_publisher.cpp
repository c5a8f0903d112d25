#include "services/revision/revision_publisher.h"

#include "services/revision/keys.h"

#include <utility>

namespace muster::revision {
namespace {

constexpr std::size_t entries_max = 1'000;

}  // namespace

async<std::optional<revision_record>> read_head(metastore* metastore) {
    CO_TRY(const auto stored, co_await metastore->get(std::string(keys::head)));
    if (!stored.found) co_return std::optional<revision_record>();
    CO_TRY(auto revision, decode_revision(stored.found->value));
    co_return revision;
}

async<revision_record> revision_publisher::publish(
    edit_lock::claim claim, publish_request request) {
    CO_TRY(const auto stored, co_await deps_.metastore.get(std::string(keys::head)));
    std::optional<revision_record> before;
    if (stored.found) {
        CO_TRY(before, decode_revision(stored.found->value));
    }
    CO_TRY(auto content, co_await read_sections());
    revision_record next{
        .number = before ? before->number + 1 : 1,
        .digest = {},
        .form = form,
        .kind = before ? std::move(request.kind) : "first",
        .made = deps_.clock.wall(),
        .made_by = std::move(request.by),
        .note = std::move(request.note),
        .changes = static_cast<std::int64_t>(request.entries.size()),
        .draft = std::move(request.draft),
        .sections = digests_of(content)};
    next.digest = digest_of(next.sections);
    const bool same = before && before->digest == next.digest;

    kv::transaction change{
        .when = std::move(request.conditions), .then = std::move(request.operations)};
    change.when.push_back(claim.holds());
    if (!same) {
        if (request.entries.size() > entries_max) request.entries.resize(entries_max);
        CO_CHECK_OK(co_await deps_.revisions.write(
            {.record = next, .entries = std::move(request.entries)},
            std::move(content),
            claim.revision.value()));
        if (stored.found)
            change.when.emplace_back(
                kv::unchanged{.key = std::string(keys::head), .modified = stored.found->modified});
        else
            change.when.emplace_back(kv::absent{std::string(keys::head)});
        change.then.emplace_back(kv::put{.key = std::string(keys::head), .value = encode(next)});
    }
    CO_TRY(const auto outcome, co_await deps_.metastore.commit(std::move(change)));
    if (!outcome.committed)
        co_return fail(errc::unavailable, "common data was modified concurrently; retry");
    if (same) co_return *before;
    co_return next;
}

}  // namespace muster::revision
