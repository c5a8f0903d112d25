#include "services/compatibility/action_chain_store.h"

#include "core/table/row_reader.h"
#include "runtime/json/record_reader.h"
#include "services/compatibility/action_tables.h"

#include <boost/json.hpp>

#include <algorithm>
#include <utility>

namespace muster::compatibility {
namespace {

namespace json = boost::json;
using runtime::json_record_reader;

constexpr int attempts_max = 16;
constexpr std::size_t rows_max = 1'000;
// A removed chain is a row without a document, so that concurrent writers notice the removal.
constexpr auto removed_retention = std::chrono::hours(24);

table::condition equal(std::string column, table::value value) {
    return {
        .column = std::move(column),
        .compare = table::comparison::equal,
        .values = {std::move(value)}};
}

std::unexpected<error> chain_not_found(const std::string& label) {
    return fail(errc::not_found, "action chain \"" + label + "\" not found");
}

std::unexpected<error> chain_exists(const std::string& label) {
    return fail(errc::conflict, "action chain \"" + label + "\" already exists");
}

}  // namespace

std::string encode(const action_chain& chain) {
    json::array entries;
    for (const auto& entry : chain.entries)
        entries.push_back(json::object{
            {"number", entry.number},
            {"system", entry.system},
            {"name", entry.name},
            {"function", entry.function},
            {"arguments", entry.arguments},
            {"timeout", entry.timeout_seconds},
            {"added", runtime::stored_time(entry.added)}});
    return json::serialize(json::object{
        {"number", chain.number},
        {"scheduling", chain.scheduling},
        {"entries", std::move(entries)}});
}

namespace {

result<chain_entry> decode_entry(const json::value& stored) {
    TRY(auto reader, json_record_reader::from_value("chain entry", stored));
    chain_entry entry;
    entry.number = reader.integer("number");
    entry.system = reader.integer("system");
    entry.name = reader.text("name");
    entry.function = reader.text("function");
    entry.arguments = reader.text("arguments");
    entry.timeout_seconds = reader.integer("timeout");
    entry.added = reader.time("added");
    return reader.finish(std::move(entry));
}

}  // namespace

result<action_chain> decode_chain(std::string_view document) {
    TRY(auto reader, json_record_reader::parse("action chain", document));
    action_chain read;
    read.number = reader.integer("number");
    read.scheduling = reader.boolean("scheduling");
    const auto* const entries = reader.find_array("entries");
    if (entries == nullptr) reader.mark_wrong("entries");
    TRY(read, reader.finish(std::move(read)));
    for (const auto& each : *entries) {
        TRY(auto entry, decode_entry(each));
        read.entries.push_back(std::move(entry));
    }
    return read;
}

result<action_chain_store::stored_chain> action_chain_store::decode(const table::row& row) {
    table::row_reader reader(action_chains_table, row);
    const auto owner = reader.take<std::string>("owner");
    const auto label = reader.take<std::string>("label");
    const auto document = reader.take<std::string>("document");
    const auto version = reader.take_from("version", 1, INT64_MAX);
    const auto changed = reader.take<wall_time>("changed");
    CHECK_OK(reader.finish());
    stored_chain stored{.chain = {}, .removed = document.empty()};
    if (!document.empty()) {
        TRY(stored.chain, decode_chain(document));
    }
    stored.chain.owner = owner;
    stored.chain.label = label;
    stored.chain.version = version;
    stored.chain.changed = changed;
    return stored;
}

async<std::vector<action_chain_store::stored_chain>> action_chain_store::read(
    std::string owner, std::string label) {
    CO_TRY(
        const auto page,
        co_await ledger_.read(
            {.table = std::string(action_chains_table),
             .where = {equal("owner", std::move(owner)), equal("label", std::move(label))},
             .limit = 1}));
    std::vector<stored_chain> chains;
    for (const auto& row : page.rows) {
        CO_TRY(auto stored, decode(row));
        chains.push_back(std::move(stored));
    }
    co_return chains;
}

async<std::vector<action_chain_store::stored_chain>> action_chain_store::read_all(
    std::string owner) {
    table::query query{
        .table = std::string(action_chains_table),
        .where = {equal("owner", std::move(owner))},
        .order = {"owner", "label"},
        .limit = rows_max};
    std::vector<stored_chain> chains;
    do {
        CO_TRY(const auto page, co_await ledger_.read(query));
        for (const auto& row : page.rows) {
            CO_TRY(auto stored, decode(row));
            chains.push_back(std::move(stored));
        }
        query.after = page.next;
    } while (!query.after.empty());
    co_return chains;
}

async<void> action_chain_store::erase_removed(std::vector<stored_chain> chains) {
    table::erasure erasure{.table = std::string(action_chains_table), .keys = {}};
    const auto cutoff = clock_.wall() - removed_retention;
    for (const auto& stored : chains)
        if (stored.removed && stored.chain.changed < cutoff)
            erasure.keys.push_back({stored.chain.owner, stored.chain.label});
    if (erasure.keys.empty()) co_return result<void>();
    table::batch change;
    change.erasures.push_back(std::move(erasure));
    CO_CHECK_OK(co_await ledger_.write(std::move(change)));
    co_return result<void>();
}

async<std::vector<action_chain>> action_chain_store::list(std::string owner) {
    CO_TRY(const auto stored_chains, co_await read_all(std::move(owner)));
    CO_CHECK_OK(co_await erase_removed(stored_chains));
    std::vector<action_chain> chains;
    for (const auto& stored : stored_chains)
        if (!stored.removed) chains.push_back(stored.chain);
    co_return chains;
}

async<action_chain> action_chain_store::find(std::string owner, std::string label) {
    CO_TRY(auto stored, co_await read(std::move(owner), label));
    if (stored.empty() || stored.front().removed) co_return chain_not_found(label);
    co_return std::move(stored.front().chain);
}

async<bool> action_chain_store::write(
    action_chain chain, std::int64_t version, std::string document) {
    if (document.size() > action_chain_limits::document_bytes_max)
        co_return fail(errc::invalid, "action chain with its scripts is larger than 4 MiB");
    table::batch change;
    change.writes.push_back(
        {.table = std::string(action_chains_table),
         .rows = {{chain.owner, chain.label, std::move(document), version, clock_.wall()}},
         .existing = table::replace_if_grows{"version"}});
    CO_TRY(const auto written, co_await ledger_.write(std::move(change)));
    co_return written.changed == 1;
}

async<void> action_chain_store::add(action_chain chain) {
    CO_TRY(const auto chains, co_await list(chain.owner));
    if (chains.size() >= action_chain_limits::chains_max)
        co_return fail(
            errc::conflict, "limit of 200 action chains reached; delete an action chain");
    CO_TRY(const auto stored, co_await read(chain.owner, chain.label));
    if (!stored.empty() && !stored.front().removed) co_return chain_exists(chain.label);
    const auto version = stored.empty() ? 1 : stored.front().chain.version + 1;
    const auto label = chain.label;
    auto document = encode(chain);
    CO_TRY(const bool written, co_await write(std::move(chain), version, std::move(document)));
    if (!written) co_return chain_exists(label);
    co_return result<void>();
}

async<action_chain> action_chain_store::change(
    std::string owner, std::string label, update_function update) {
    for (int attempt = 0; attempt < attempts_max; ++attempt) {
        CO_TRY(const auto before, co_await find(owner, label));
        CO_TRY(auto updated, update(before));
        auto document = encode(updated);
        const auto version = before.version + 1;
        CO_TRY(const bool written, co_await write(updated, version, std::move(document)));
        updated.version = version;
        if (written) co_return updated;
    }
    co_return fail(
        errc::unavailable, "action chain \"" + label + "\" was modified concurrently; retry");
}

async<void> action_chain_store::remove(std::string owner, std::string label) {
    for (int attempt = 0; attempt < attempts_max; ++attempt) {
        CO_TRY(const auto before, co_await find(owner, label));
        CO_TRY(const bool written, co_await write(before, before.version + 1, ""));
        if (written) co_return result<void>();
    }
    co_return fail(
        errc::unavailable, "action chain \"" + label + "\" was modified concurrently; retry");
}

// Adds the new chain first: a crash in between leaves two chains rather than none.
async<void> action_chain_store::rename(
    std::string owner, std::string old_label, std::string new_label) {
    CO_TRY(auto renamed, co_await find(owner, old_label));
    if (renamed.scheduling)
        co_return fail(errc::conflict, "action chain \"" + old_label + "\" is being scheduled");
    renamed.label = std::move(new_label);
    CO_CHECK_OK(co_await add(std::move(renamed)));
    co_return co_await remove(std::move(owner), std::move(old_label));
}

}  // namespace muster::compatibility
