#include "services/events/webhook_store.h"

#include <map>
#include <utility>

namespace muster::events {
namespace {

constexpr int attempts_max = 8;

std::string key_of(std::string_view prefix, std::string_view name) {
    return std::string(prefix) + std::string(name);
}

std::unexpected<error> unknown(const std::string& name) {
    return fail(errc::not_found, "there is no webhook named " + name);
}

}  // namespace

async<std::vector<webhook_store::entry>> webhook_store::all() {
    kv::range_request range_request{
        .prefix = std::string(hooks), .limit = webhook_limits::hooks_max};
    kv::range_request how_far{
        .prefix = std::string(progresses), .limit = webhook_limits::hooks_max};
    CO_TRY(const auto records, co_await metastore_.range(std::move(range_request)));
    CO_TRY(const auto response, co_await metastore_.range(std::move(how_far)));
    std::map<std::string, const kv::entry*> by_name;
    for (const auto& each : response.entries) by_name[each.key.substr(progresses.size())] = &each;
    std::vector<entry> read;
    for (const auto& each : records.entries) {
        const auto progress = by_name.find(each.key.substr(hooks.size()));
        if (progress == by_name.end()) continue;  // it was removed or made between the two looks
        if (progress->second->created != each.created) continue;  // both: removed and made anew
        entry one{.hook = {}, .made = each.created, .progress = {}, .saved = {}};
        CO_TRY(one.hook, decode_webhook(each.value));
        CO_TRY(one.progress, decode_progress(progress->second->value));
        one.saved = progress->second->modified;
        read.push_back(std::move(one));
    }
    co_return read;
}

// A webhook and its progress come into being together.
async<std::vector<webhook_store::sighting>> webhook_store::look() {
    kv::range_request how_far{
        .prefix = std::string(progresses), .limit = webhook_limits::hooks_max};
    CO_TRY(const auto response, co_await metastore_.range(std::move(how_far)));
    std::vector<sighting> sightings;
    for (const auto& entry : response.entries) {
        sighting one{
            .name = entry.key.substr(progresses.size()),
            .made = entry.created,
            .progress = {},
            .saved = entry.modified};
        CO_TRY(one.progress, decode_progress(entry.value));
        sightings.push_back(std::move(one));
    }
    co_return sightings;
}

async<webhook_store::entry> webhook_store::find(std::string name) {
    CO_TRY(const auto record, co_await metastore_.get(key_of(hooks, name)));
    CO_TRY(const auto progress, co_await metastore_.get(key_of(progresses, name)));
    if (!record.found || !progress.found) co_return unknown(name);
    if (record.found->created != progress.found->created)
        co_return fail(errc::unavailable, "the webhook is made anew at this moment; try again");
    entry entry{
        .hook = {},
        .made = record.found->created,
        .progress = {},
        .saved = progress.found->modified};
    CO_TRY(entry.hook, decode_webhook(record.found->value));
    CO_TRY(entry.progress, decode_progress(progress.found->value));
    co_return entry;
}

async<void> webhook_store::add(webhook_record hook, event_position from) {
    CO_CHECK_OK(check(hook));
    kv::range_request range_request{
        .prefix = std::string(hooks), .limit = webhook_limits::hooks_max};
    CO_TRY(const auto there, co_await metastore_.range(std::move(range_request)));
    if (there.entries.size() >= webhook_limits::hooks_max)
        co_return fail(errc::conflict, "there are 100 webhooks already; remove one first");
    const webhook_progress start{.position = from};
    kv::transaction change;
    change.when.emplace_back(kv::absent{key_of(hooks, hook.name)});
    change.then.emplace_back(kv::put{.key = key_of(hooks, hook.name), .value = encode(hook)});
    change.then.emplace_back(kv::put{.key = key_of(progresses, hook.name), .value = encode(start)});
    CO_TRY(const auto verdict, co_await metastore_.commit(std::move(change)));
    if (!verdict.committed)
        co_return fail(errc::conflict, "there is a webhook named " + hook.name + " already");
    co_return result<void>();
}

async<void> webhook_store::remove(std::string name) {
    kv::transaction change;
    change.when.emplace_back(kv::present{key_of(hooks, name)});
    change.then.emplace_back(kv::erase{key_of(hooks, name)});
    change.then.emplace_back(kv::erase{key_of(progresses, name)});
    CO_TRY(const auto verdict, co_await metastore_.commit(std::move(change)));
    if (!verdict.committed) co_return unknown(name);
    co_return result<void>();
}

async<void> webhook_store::resume(std::string name) {
    for (int attempt = 0; attempt < attempts_max; ++attempt) {
        CO_TRY(const auto one, co_await find(name));
        const auto saved = co_await save(name, resumed(one.progress), one.saved);
        if (saved) co_return result<void>();
        if (saved.error().code() != errc::conflict) co_return fail(saved.error());
    }
    co_return fail(errc::unavailable, "the webhook is changed all the time; try again");
}

async<kv::revision> webhook_store::save(
    std::string name, webhook_progress progress, kv::revision saved) {
    const auto key = key_of(progresses, name);
    kv::transaction change;
    change.when.emplace_back(kv::unchanged{.key = key, .modified = saved});
    change.then.emplace_back(kv::put{.key = key, .value = encode(progress)});
    CO_TRY(const auto verdict, co_await metastore_.commit(std::move(change)));
    if (!verdict.committed)
        co_return fail(errc::conflict, "the progress of webhook " + name + " has changed");
    co_return verdict.at;
}

}  // namespace muster::events
