#include "services/retention/job_archive.h"

#include "core/events/event_row.h"
#include "services/jobs/job_tables.h"
#include "services/retention/archive_line.h"
#include "services/retention/archive_tables.h"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

namespace muster::retention {
namespace {

// A page is also bounded by table::query_limits::page_bytes_max.
constexpr std::size_t page_rows = 2'000;
constexpr std::size_t parts_max = 1'000;

// Selects all rows before the end of the span: late returns of older jobs are deleted with it.
table::query rows_until(
    const table::definition& definition, jobs::record_span span, std::size_t limit) {
    const auto column =
        definition.partition ? definition.partition->column : definition.key.front();
    return {
        .table = definition.name,
        .where = {{.column = column, .compare = table::comparison::less, .values = {span.until}}},
        .order = {column},
        .limit = limit};
}

void add_sequence_condition(table::query& query, std::int64_t sequence) {
    query.where.push_back(
        {.column = std::string(table::sequence_column),
         .compare = table::comparison::greater,
         .values = {sequence}});
}

// The archived sequence of a table; null for a table without a change sequence.
std::int64_t* sequence_in(archive_mark& mark, std::string_view table) {
    if (table == jobs::jobs_table) return &mark.jobs;
    if (table == jobs::tasks_table) return &mark.tasks;
    if (table == events::events_table) return &mark.events;
    return nullptr;
}

bool is_payload_table(std::string_view table) {
    return table == jobs::payloads_table || table == jobs::payload_digests_table;
}

// XOR, so the order of the digests does not matter.
void fold(archive_mark& mark, const std::string& digest) {
    std::uint64_t folded = 0;
    for (const char byte : digest.substr(0, sizeof(folded)))
        folded = (folded << 8U) | static_cast<unsigned char>(byte);
    const auto print = static_cast<std::uint64_t>(mark.payloads_print) ^ folded;
    mark.payloads_print = static_cast<std::int64_t>(print);
    ++mark.payloads;
}

// Deleted payloads are not new.
bool has_new_payloads(const archive_mark& current, const archive_mark& before) {
    if (current.payloads == 0) return false;
    return current.payloads != before.payloads || current.payloads_print != before.payloads_print;
}

std::vector<std::string> archived_tables() {
    std::vector<std::string> names = tables_by_span();
    std::erase(names, jobs::payload_digests_table);  // each is beside its payload
    names.insert(names.begin(), std::string(jobs::jobs_table));
    return names;
}

}  // namespace

const std::vector<std::string>& tables_by_span() {
    static const std::vector<std::string> names{
        std::string(jobs::job_targets_table),
        std::string(jobs::tasks_table),
        std::string(jobs::payloads_table),
        std::string(jobs::payload_digests_table),
        std::string(events::events_table)};
    return names;
}

async<std::vector<archive_progress>> job_archive::read_parts(wall_time from) {
    table::query query{
        .table = std::string(archives_table),
        .where = {{.column = "starts", .compare = table::comparison::equal, .values = {from}}},
        .order = {"part"},
        .limit = parts_max};
    CO_TRY(const auto page, co_await deps_.ledger.read(std::move(query)));
    std::vector<archive_progress> parts;
    for (const auto& row : page.rows) {
        CO_TRY(auto part, decode_progress(row));
        parts.push_back(std::move(part));
    }
    co_return parts;
}

// Of two writers of the same part, one reads back the row of the other.
async<void> job_archive::write_part(archive_progress part) {
    table::batch change;
    change.writes.push_back(
        {.table = std::string(archives_table), .rows = {encode_progress(part)}});
    CO_CHECK_OK(co_await deps_.ledger.write(std::move(change)));
    CO_TRY(const auto stored, co_await read_parts(part.manifest.from));
    if (std::ranges::find(stored, part) == stored.end())
        co_return fail(errc::conflict, "records were archived concurrently by another server");
    co_return result<void>();
}

// Records an archive from before the table `archives` existed. Its extent is unknown, so all
// records that the ledger still has become its second part.
async<void> job_archive::adopt_unrecorded(
    jobs::record_span span, std::vector<archive_progress>* parts) {
    CO_TRY(const auto identity, co_await deps_.ledger.identity());
    CO_TRY(const auto existing, co_await deps_.files.find(span.from));
    if (!existing) co_return result<void>();
    if (existing->database != identity.database)
        co_return fail(
            errc::conflict,
            "archive directory belongs to another cluster; use one directory per cluster");
    if (!parts->empty()) co_return result<void>();
    const archive_progress part{.manifest = *existing, .server = deps_.server, .mark = {}};
    CO_CHECK_OK(co_await write_part(part));
    parts->push_back(part);
    co_return result<void>();
}

result<table::definition> job_archive::definition_of(const std::string& table) const {
    TRY(const auto catalog, table::catalog::of(deps_.schema));
    TRY(const auto* const definition, catalog.find(table));
    return *definition;
}

async<void> job_archive::measure_payloads(jobs::record_span span, archive_mark* mark) {
    CO_TRY(const auto definition, definition_of(std::string(jobs::payload_digests_table)));
    const auto digest_column = definition.find("digest").value_or(0);
    auto query = rows_until(definition, span, table::query_limits::rows_max);
    do {
        CO_TRY(auto page, co_await deps_.ledger.read(query));
        query.after = std::move(page.next);
        for (const auto& row : page.rows)
            if (const auto* const digest = std::get_if<table::blob>(&row[digest_column]))
                fold(*mark, digest->content);
    } while (!query.after.empty());
    co_return result<void>();
}

// Called before the copy: later changes are above the mark and become another part.
async<archive_mark> job_archive::measure(jobs::record_span span) {
    archive_mark mark;
    const std::array followed{jobs::jobs_table, jobs::tasks_table, events::events_table};
    for (const auto table : followed) {
        CO_TRY(
            const auto last,
            co_await deps_.ledger.wait_for_change(
                std::string(table), table::sequence(), std::chrono::milliseconds(0)));
        *sequence_in(mark, table) = last.value();
    }
    CO_CHECK_OK(co_await measure_payloads(span, &mark));
    co_return mark;
}

async<bool> job_archive::has_rows_after(
    std::string table, jobs::record_span span, std::int64_t sequence) {
    CO_TRY(const auto definition, definition_of(table));
    auto query = rows_until(definition, span, 1);
    query.order = {std::string(table::sequence_column)};
    add_sequence_condition(query, sequence);
    CO_TRY(const auto page, co_await deps_.ledger.read(std::move(query)));
    co_return !page.rows.empty();
}

async<std::vector<std::string>> job_archive::changed_tables(
    jobs::record_span span, archive_mark mark) {
    std::vector<std::string> changed;
    for (const auto& table : archived_tables()) {
        if (const auto* const sequence = sequence_in(mark, table)) {
            CO_TRY(const bool has_changes, co_await has_rows_after(table, span, *sequence));
            if (has_changes) changed.push_back(table);
        }
    }
    // A job's targets are written with it.
    if (std::ranges::find(changed, jobs::jobs_table) != changed.end())
        changed.emplace_back(jobs::job_targets_table);
    archive_mark current;
    CO_CHECK_OK(co_await measure_payloads(span, &current));
    if (has_new_payloads(current, mark)) changed.emplace_back(jobs::payloads_table);
    co_return changed;
}

async<void> job_archive::confirm(std::string table, jobs::record_span span, archive_mark mark) {
    bool has_changes = false;
    if (const auto* const sequence = sequence_in(mark, table)) {
        CO_TRY(has_changes, co_await has_rows_after(table, span, *sequence));
    } else if (is_payload_table(table)) {
        archive_mark current;
        CO_CHECK_OK(co_await measure_payloads(span, &current));
        has_changes = has_new_payloads(current, mark);
    }
    if (has_changes)
        co_return fail(
            errc::conflict,
            "table " + table
                + " received rows after archiving; the next run archives the new rows");
    co_return result<void>();
}

async<archive::archived_file> job_archive::copy(
    archive::archive_store::part_name part, jobs::record_span span, archive_mark after) {
    CO_TRY(auto found_definition, definition_of(part.table));
    const auto definition = std::make_shared<const table::definition>(std::move(found_definition));
    auto query = rows_until(*definition, span, page_rows);
    const auto* const sequence = sequence_in(after, part.table);
    if (sequence != nullptr && *sequence > 0) add_sequence_condition(query, *sequence);
    CO_CHECK_OK(co_await deps_.files.begin(std::move(part)));
    do {
        CO_TRY(auto page, co_await deps_.ledger.read(query));
        query.after = std::move(page.next);
        rows_ += page.rows.size();
        const auto rows = std::make_shared<const std::vector<table::row>>(std::move(page.rows));
        std::function<result<void>(archive::file_writer&)> append_rows =
            [definition, rows](archive::file_writer& file) -> result<void> {
            for (const auto& row : *rows) {
                CHECK_OK(file.append(to_archive_line(*definition, row)));
            }
            return {};
        };
        CO_CHECK_OK(co_await deps_.files.append(std::move(append_rows)));
    } while (!query.after.empty());
    co_return co_await deps_.files.end();
}

// Writes the row before the manifest: a server that loses the race then has no archive. If a crash
// prevents the manifest, the next run writes it from the row.
async<archive_mark> job_archive::archive_span(jobs::record_span span) {
    CO_TRY(auto parts, co_await read_parts(span.from));
    CO_CHECK_OK(co_await adopt_unrecorded(span, &parts));
    for (const auto& part : parts) {
        CO_CHECK_OK(co_await deps_.files.adopt(part.manifest));
    }
    const auto before = parts.empty() ? archive_mark() : parts.back().mark;
    auto tables = archived_tables();
    if (!parts.empty()) {
        CO_TRY(tables, co_await changed_tables(span, before));
        if (tables.empty()) co_return before;
    }
    CO_TRY(const auto identity, co_await deps_.ledger.identity());
    CO_TRY(const auto mark, co_await measure(span));
    archive_progress next{
        .manifest =
            {.database = identity.database,
             .from = span.from,
             .until = span.until,
             .created = deps_.clock.wall(),
             .part = static_cast<std::int64_t>(parts.size()) + 1,
             .files = {}},
        .server = deps_.server,
        .mark = mark};
    for (const auto& table : tables) {
        archive::archive_store::part_name part_name{
            .table = table, .from = span.from, .part = next.manifest.part};
        CO_TRY(auto file, co_await copy(std::move(part_name), span, before));
        next.manifest.files.push_back(std::move(file));
    }
    CO_CHECK_OK(co_await write_part(next));
    CO_CHECK_OK(co_await deps_.files.write_manifest(next.manifest));
    co_return mark;
}

}  // namespace muster::retention
