#include "services/revision/revision_publisher.h"

#include "services/revision/keys.h"

#include <utility>

namespace muster::revision {
namespace {

constexpr std::size_t entries_max = 1'000;

}  // namespace

async<std::optional<revision_record>> read_head(metastore* metastore) {
    CO_TRY(const auto observed, co_await metastore->get(std::string(keys::head)));
    if (!observed.found) co_return std::optional<revision_record>();
    CO_TRY(auto read, decode_revision(observed.found->value));
    co_return read;
}

async<revision_record> revision_publisher::publish(edit_lock::claim as, wanted how) {
    CO_TRY(const auto store, co_await deps_.metastore.get(std::string(keys::head)));
    std::optional<revision_record> before;
    if (store.found) {
        CO_TRY(before, decode_revision(store.found->value));
    }
    CO_TRY(auto content, co_await recorded());
    revision_record next{
        .number = before ? before->number + 1 : 1,
        .digest = {},
        .form = form,
        .kind = before ? std::move(how.kind) : "first",
        .made = deps_.clock.wall(),
        .made_by = std::move(how.by),
        .note = std::move(how.note),
        .changes = static_cast<std::int64_t>(how.entries.size()),
        .draft = std::move(how.draft),
        .sections = digests_of(content)};
    next.digest = digest_of(next.sections);
    const bool same = before && before->digest == next.digest;

    kv::transaction change{.when = std::move(how.when), .then = std::move(how.also)};
    change.when.push_back(as.holds());
    if (!same) {
        if (how.entries.size() > entries_max) how.entries.resize(entries_max);
        CO_CHECK_OK(co_await deps_.revisions.write(
            {.what = next, .entries = std::move(how.entries)}, std::move(content), as.at.value()));
        if (store.found)
            change.when.emplace_back(
                kv::unchanged{.key = std::string(keys::head), .modified = store.found->modified});
        else
            change.when.emplace_back(kv::absent{std::string(keys::head)});
        change.then.emplace_back(kv::put{.key = std::string(keys::head), .value = encode(next)});
    }
    CO_TRY(const auto verdict, co_await deps_.metastore.commit(std::move(change)));
    if (!verdict.committed)
        co_return fail(errc::unavailable, "somebody else changes common data; try again");
    if (same) co_return *before;
    co_return next;
}

}  // namespace muster::revision
