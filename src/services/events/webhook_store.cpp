#include "services/events/webhook_store.h"

#include <map>
#include <utility>

namespace muster::events {
namespace {

constexpr int attempts_max = 8;

std::string key_of(std::string_view prefix, std::string_view name) {
    return std::string(prefix) + std::string(name);
}

std::unexpected<error> not_found(const std::string& name) {
    return fail(errc::not_found, "webhook \"" + name + "\" not found");
}

}  // namespace

async<std::vector<webhook_store::entry>> webhook_store::all() {
    kv::range_request hooks_request{
        .prefix = std::string(hooks), .limit = webhook_limits::hooks_max};
    kv::range_request progress_request{
        .prefix = std::string(progresses), .limit = webhook_limits::hooks_max};
    CO_TRY(const auto records, co_await metastore_.range(std::move(hooks_request)));
    CO_TRY(const auto progresses_page, co_await metastore_.range(std::move(progress_request)));
    std::map<std::string, const kv::entry*> by_name;
    for (const auto& stored : progresses_page.entries)
        by_name[stored.key.substr(progresses.size())] = &stored;
    std::vector<entry> entries;
    for (const auto& record : records.entries) {
        const auto progress = by_name.find(record.key.substr(hooks.size()));
        if (progress == by_name.end()) continue;  // removed or added between the two reads
        if (progress->second->created != record.created) continue;  // removed and added again
        entry entry{.hook = {}, .created = record.created, .progress = {}, .saved = {}};
        CO_TRY(entry.hook, decode_webhook(record.value));
        CO_TRY(entry.progress, decode_progress(progress->second->value));
        entry.saved = progress->second->modified;
        entries.push_back(std::move(entry));
    }
    co_return entries;
}

// A webhook and its progress are created in one transaction.
async<std::vector<webhook_store::status>> webhook_store::read_status() {
    kv::range_request request{
        .prefix = std::string(progresses), .limit = webhook_limits::hooks_max};
    CO_TRY(const auto page, co_await metastore_.range(std::move(request)));
    std::vector<status> statuses;
    for (const auto& entry : page.entries) {
        status webhook_status{
            .name = entry.key.substr(progresses.size()),
            .created = entry.created,
            .progress = {},
            .saved = entry.modified};
        CO_TRY(webhook_status.progress, decode_progress(entry.value));
        statuses.push_back(std::move(webhook_status));
    }
    co_return statuses;
}

async<webhook_store::entry> webhook_store::find(std::string name) {
    CO_TRY(const auto record, co_await metastore_.get(key_of(hooks, name)));
    CO_TRY(const auto progress, co_await metastore_.get(key_of(progresses, name)));
    if (!record.found || !progress.found) co_return not_found(name);
    if (record.found->created != progress.found->created)
        co_return fail(
            errc::unavailable, "webhook \"" + name + "\" was modified concurrently; retry");
    entry entry{
        .hook = {},
        .created = record.found->created,
        .progress = {},
        .saved = progress.found->modified};
    CO_TRY(entry.hook, decode_webhook(record.found->value));
    CO_TRY(entry.progress, decode_progress(progress.found->value));
    co_return entry;
}

async<void> webhook_store::add(webhook_record hook, event_position position) {
    CO_CHECK_OK(check(hook));
    kv::range_request request{.prefix = std::string(hooks), .limit = webhook_limits::hooks_max};
    CO_TRY(const auto existing, co_await metastore_.range(std::move(request)));
    if (existing.entries.size() >= webhook_limits::hooks_max)
        co_return fail(errc::conflict, "limit of 100 webhooks reached; remove a webhook first");
    const webhook_progress start{.position = position};
    kv::transaction change;
    change.when.emplace_back(kv::absent{key_of(hooks, hook.name)});
    change.then.emplace_back(kv::put{.key = key_of(hooks, hook.name), .value = encode(hook)});
    change.then.emplace_back(kv::put{.key = key_of(progresses, hook.name), .value = encode(start)});
    CO_TRY(const auto outcome, co_await metastore_.commit(std::move(change)));
    if (!outcome.committed)
        co_return fail(errc::conflict, "webhook \"" + hook.name + "\" already exists");
    co_return result<void>();
}

async<void> webhook_store::remove(std::string name) {
    kv::transaction change;
    change.when.emplace_back(kv::present{key_of(hooks, name)});
    change.then.emplace_back(kv::erase{key_of(hooks, name)});
    change.then.emplace_back(kv::erase{key_of(progresses, name)});
    CO_TRY(const auto outcome, co_await metastore_.commit(std::move(change)));
    if (!outcome.committed) co_return not_found(name);
    co_return result<void>();
}

async<void> webhook_store::resume(std::string name) {
    for (int attempt = 0; attempt < attempts_max; ++attempt) {
        CO_TRY(const auto entry, co_await find(name));
        const auto saved = co_await save(name, after_resume(entry.progress), entry.saved);
        if (saved) co_return result<void>();
        if (saved.error().code() != errc::conflict) co_return fail(saved.error());
    }
    co_return fail(errc::unavailable, "webhook \"" + name + "\" was modified concurrently; retry");
}

async<kv::revision> webhook_store::save(
    std::string name, webhook_progress progress, kv::revision saved) {
    const auto key = key_of(progresses, name);
    kv::transaction change;
    change.when.emplace_back(kv::unchanged{.key = key, .modified = saved});
    change.then.emplace_back(kv::put{.key = key, .value = encode(progress)});
    CO_TRY(const auto outcome, co_await metastore_.commit(std::move(change)));
    if (!outcome.committed)
        co_return fail(
            errc::conflict,
            "progress of webhook \"" + name + "\" was modified concurrently; retry");
    co_return outcome.at;
}

}  // namespace muster::events
