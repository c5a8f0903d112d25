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
// A removed chain is a row without a document: whoever read it before learns so.
constexpr auto removed_is_kept = std::chrono::hours(24);

table::condition equal(std::string column, table::value to) {
    return {
        .column = std::move(column),
        .compare = table::comparison::equal,
        .values = {std::move(to)}};
}

std::unexpected<error> unknown(const std::string& label) {
    return fail(errc::not_found, "There is no action chain " + label);
}

std::unexpected<error> taken(const std::string& label) {
    return fail(errc::conflict, "There is an action chain " + label + " already");
}

}  // namespace

std::string encode(const action_chain& action_chain) {
    json::array entries;
    for (const auto& entry : action_chain.entries)
        entries.push_back(json::object{
            {"number", entry.number},
            {"system", entry.system},
            {"name", entry.name},
            {"function", entry.function},
            {"arguments", entry.arguments},
            {"timeout", entry.timeout_seconds},
            {"added", runtime::stored_time(entry.added)}});
    return json::serialize(json::object{
        {"number", action_chain.number},
        {"scheduling", action_chain.scheduling},
        {"entries", std::move(entries)}});
}

namespace {

result<chain_entry> decode_entry(const json::value& stored) {
    TRY(auto in, json_record_reader::of_value("chain entry", stored));
    chain_entry read;
    read.number = in.integer("number");
    read.system = in.integer("system");
    read.name = in.text("name");
    read.function = in.text("function");
    read.arguments = in.text("arguments");
    read.timeout_seconds = in.integer("timeout");
    read.added = in.time("added");
    return in.finish(std::move(read));
}

}  // namespace

result<action_chain> decode_chain(std::string_view document) {
    TRY(auto in, json_record_reader::of("action chain", document));
    action_chain read;
    read.number = in.integer("number");
    read.scheduling = in.boolean("scheduling");
    const auto* const entries = in.find_array("entries");
    if (entries == nullptr) in.mark_wrong("entries");
    TRY(read, in.finish(std::move(read)));
    for (const auto& each : *entries) {
        TRY(auto entry, decode_entry(each));
        read.entries.push_back(std::move(entry));
    }
    return read;
}

result<action_chain_store::stored> action_chain_store::decode(const table::row& cells) {
    table::row_reader in(action_chains_table, cells);
    const auto owner = in.take<std::string>("owner");
    const auto label = in.take<std::string>("label");
    const auto document = in.take<std::string>("document");
    const auto version = in.take_from("version", 1, INT64_MAX);
    const auto changed = in.take<wall_time>("changed");
    CHECK_OK(in.finish());
    stored read{.what = {}, .removed = document.empty()};
    if (!document.empty()) {
        TRY(read.what, decode_chain(document));
    }
    read.what.owner = owner;
    read.what.label = label;
    read.what.version = version;
    read.what.changed = changed;
    return read;
}

async<std::vector<action_chain_store::stored>> action_chain_store::read(
    std::string owner, std::string label) {
    CO_TRY(
        const auto page,
        co_await ledger_.read(
            {.table = std::string(action_chains_table),
             .where = {equal("owner", std::move(owner)), equal("label", std::move(label))},
             .limit = 1}));
    std::vector<stored> storeds;
    for (const auto& row : page.rows) {
        CO_TRY(auto one, decode(row));
        storeds.push_back(std::move(one));
    }
    co_return storeds;
}

async<std::vector<action_chain_store::stored>> action_chain_store::read_all(std::string owner) {
    table::query question{
        .table = std::string(action_chains_table),
        .where = {equal("owner", std::move(owner))},
        .order = {"owner", "label"},
        .limit = rows_max};
    std::vector<stored> all;
    do {
        CO_TRY(const auto page, co_await ledger_.read(question));
        for (const auto& row : page.rows) {
            CO_TRY(auto one, decode(row));
            all.push_back(std::move(one));
        }
        question.after = page.next;
    } while (!question.after.empty());
    co_return all;
}

async<void> action_chain_store::sweep(std::vector<stored> all) {
    table::erasure gone{.table = std::string(action_chains_table), .keys = {}};
    const auto until = clock_.wall() - removed_is_kept;
    for (const auto& each : all)
        if (each.removed && each.what.changed < until)
            gone.keys.push_back({each.what.owner, each.what.label});
    if (gone.keys.empty()) co_return result<void>();
    table::batch change;
    change.erasures.push_back(std::move(gone));
    CO_CHECK_OK(co_await ledger_.write(std::move(change)));
    co_return result<void>();
}

async<std::vector<action_chain>> action_chain_store::list(std::string owner) {
    CO_TRY(const auto all, co_await read_all(std::move(owner)));
    CO_CHECK_OK(co_await sweep(all));
    std::vector<action_chain> action_chains;
    for (const auto& each : all)
        if (!each.removed) action_chains.push_back(each.what);
    co_return action_chains;
}

async<action_chain> action_chain_store::find(std::string owner, std::string label) {
    CO_TRY(auto match, co_await read(std::move(owner), label));
    if (match.empty() || match.front().removed) co_return unknown(label);
    co_return std::move(match.front().what);
}

async<bool> action_chain_store::write(
    action_chain action_chain, std::int64_t version, std::string document) {
    if (document.size() > action_chain_limits::document_bytes_max)
        co_return fail(errc::invalid, "An action chain has at most 4 MiB with all its scripts");
    table::batch change;
    change.writes.push_back(
        {.table = std::string(action_chains_table),
         .rows =
             {{action_chain.owner,
               action_chain.label,
               std::move(document),
               version,
               clock_.wall()}},
         .existing = table::replace_if_grows{"version"}});
    CO_TRY(const auto done, co_await ledger_.write(std::move(change)));
    co_return done.changed == 1;
}

async<void> action_chain_store::add(action_chain action_chain) {
    CO_TRY(const auto all, co_await list(action_chain.owner));
    if (all.size() >= action_chain_limits::chains_max)
        co_return fail(errc::conflict, "There are 200 action chains already; delete some");
    CO_TRY(const auto match, co_await read(action_chain.owner, action_chain.label));
    if (!match.empty() && !match.front().removed) co_return taken(action_chain.label);
    const auto version = match.empty() ? 1 : match.front().what.version + 1;
    const auto label = action_chain.label;
    auto document = encode(action_chain);
    CO_TRY(const bool done, co_await write(std::move(action_chain), version, std::move(document)));
    if (!done) co_return taken(label);
    co_return result<void>();
}

async<action_chain> action_chain_store::change(
    std::string owner, std::string label, change_of_chain change) {
    for (int attempt = 0; attempt < attempts_max; ++attempt) {
        CO_TRY(const auto before, co_await find(owner, label));
        CO_TRY(auto desired, change(before));
        auto document = encode(desired);
        const auto version = before.version + 1;
        CO_TRY(const bool done, co_await write(desired, version, std::move(document)));
        desired.version = version;
        if (done) co_return desired;
    }
    co_return fail(errc::unavailable, "the chain is changed by others all the time; try again");
}

async<void> action_chain_store::remove(std::string owner, std::string label) {
    for (int attempt = 0; attempt < attempts_max; ++attempt) {
        CO_TRY(const auto before, co_await find(owner, label));
        CO_TRY(const bool done, co_await write(before, before.version + 1, ""));
        if (done) co_return result<void>();
    }
    co_return fail(errc::unavailable, "the chain is changed by others all the time; try again");
}

// The new one first: a crash in between leaves two rather than none.
async<void> action_chain_store::rename(std::string owner, std::string from, std::string to) {
    CO_TRY(auto desired, co_await find(owner, from));
    if (desired.scheduling) co_return fail(errc::conflict, "The action chain is being scheduled");
    desired.label = std::move(to);
    CO_CHECK_OK(co_await add(std::move(desired)));
    co_return co_await remove(std::move(owner), std::move(from));
}

}  // namespace muster::compatibility
