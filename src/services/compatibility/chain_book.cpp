#include "services/compatibility/chain_book.h"

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

std::string encode(const action_chain& what) {
    json::array entries;
    for (const auto& each : what.entries)
        entries.push_back(json::object{
            {"number", each.number},
            {"system", each.system},
            {"name", each.name},
            {"function", each.function},
            {"arguments", each.arguments},
            {"timeout", each.timeout_seconds},
            {"added", runtime::stored_time(each.added)}});
    return json::serialize(json::object{
        {"number", what.number}, {"scheduling", what.scheduling}, {"entries", std::move(entries)}});
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

result<chain_book::stored> chain_book::decode(const table::row& cells) {
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

async<std::vector<chain_book::stored>> chain_book::read(std::string owner, std::string label) {
    CO_TRY(
        const auto page,
        co_await records_.read(
            {.table = std::string(action_chains_table),
             .where = {equal("owner", std::move(owner)), equal("label", std::move(label))},
             .limit = 1}));
    std::vector<stored> found;
    for (const auto& each : page.rows) {
        CO_TRY(auto one, decode(each));
        found.push_back(std::move(one));
    }
    co_return found;
}

async<std::vector<chain_book::stored>> chain_book::read_all(std::string owner) {
    table::query question{
        .table = std::string(action_chains_table),
        .where = {equal("owner", std::move(owner))},
        .order = {"owner", "label"},
        .limit = rows_max};
    std::vector<stored> all;
    do {
        CO_TRY(const auto page, co_await records_.read(question));
        for (const auto& each : page.rows) {
            CO_TRY(auto one, decode(each));
            all.push_back(std::move(one));
        }
        question.after = page.next;
    } while (!question.after.empty());
    co_return all;
}

async<void> chain_book::sweep(std::vector<stored> all) {
    table::erasure gone{.table = std::string(action_chains_table), .keys = {}};
    const auto until = time_.wall() - removed_is_kept;
    for (const auto& each : all)
        if (each.removed && each.what.changed < until)
            gone.keys.push_back({each.what.owner, each.what.label});
    if (gone.keys.empty()) co_return result<void>();
    table::batch change;
    change.erasures.push_back(std::move(gone));
    CO_CHECK_OK(co_await records_.write(std::move(change)));
    co_return result<void>();
}

async<std::vector<action_chain>> chain_book::list(std::string owner) {
    CO_TRY(const auto all, co_await read_all(std::move(owner)));
    CO_CHECK_OK(co_await sweep(all));
    std::vector<action_chain> known;
    for (const auto& each : all)
        if (!each.removed) known.push_back(each.what);
    co_return known;
}

async<action_chain> chain_book::find(std::string owner, std::string label) {
    CO_TRY(auto found, co_await read(std::move(owner), label));
    if (found.empty() || found.front().removed) co_return unknown(label);
    co_return std::move(found.front().what);
}

async<bool> chain_book::write(action_chain what, std::int64_t version, std::string document) {
    if (document.size() > chain_book_limits::document_bytes_max)
        co_return fail(errc::invalid, "An action chain has at most 4 MiB with all its scripts");
    table::batch change;
    change.writes.push_back(
        {.table = std::string(action_chains_table),
         .rows = {{what.owner, what.label, std::move(document), version, time_.wall()}},
         .existing = table::replace_if_grows{"version"}});
    CO_TRY(const auto done, co_await records_.write(std::move(change)));
    co_return done.changed == 1;
}

async<void> chain_book::add(action_chain wanted) {
    CO_TRY(const auto all, co_await list(wanted.owner));
    if (all.size() >= chain_book_limits::chains_max)
        co_return fail(errc::conflict, "There are 200 action chains already; delete some");
    CO_TRY(const auto found, co_await read(wanted.owner, wanted.label));
    if (!found.empty() && !found.front().removed) co_return taken(wanted.label);
    const auto version = found.empty() ? 1 : found.front().what.version + 1;
    const auto label = wanted.label;
    auto document = encode(wanted);
    CO_TRY(const bool done, co_await write(std::move(wanted), version, std::move(document)));
    if (!done) co_return taken(label);
    co_return result<void>();
}

async<action_chain> chain_book::change(
    std::string owner, std::string label, change_of_chain change) {
    for (int attempt = 0; attempt < attempts_max; ++attempt) {
        CO_TRY(const auto before, co_await find(owner, label));
        CO_TRY(auto wanted, change(before));
        auto document = encode(wanted);
        const auto version = before.version + 1;
        CO_TRY(const bool done, co_await write(wanted, version, std::move(document)));
        wanted.version = version;
        if (done) co_return wanted;
    }
    co_return fail(errc::unavailable, "the chain is changed by others all the time; try again");
}

async<void> chain_book::remove(std::string owner, std::string label) {
    for (int attempt = 0; attempt < attempts_max; ++attempt) {
        CO_TRY(const auto before, co_await find(owner, label));
        CO_TRY(const bool done, co_await write(before, before.version + 1, ""));
        if (done) co_return result<void>();
    }
    co_return fail(errc::unavailable, "the chain is changed by others all the time; try again");
}

// The new one first: a crash in between leaves two rather than none.
async<void> chain_book::rename(std::string owner, std::string from, std::string to) {
    CO_TRY(auto wanted, co_await find(owner, from));
    if (wanted.scheduling) co_return fail(errc::conflict, "The action chain is being scheduled");
    wanted.label = std::move(to);
    CO_CHECK_OK(co_await add(std::move(wanted)));
    co_return co_await remove(std::move(owner), std::move(from));
}

}  // namespace muster::compatibility
