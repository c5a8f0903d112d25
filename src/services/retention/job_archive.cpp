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

// Dropping a span drops everything that is older, too: returns of a job whose span is long gone
// may still come.
table::query rows_until(const table::definition& of, jobs::record_span span, std::size_t limit) {
    const auto column = of.partition ? of.partition->column : of.key.front();
    return {
        .table = of.name,
        .where = {{.column = column, .compare = table::comparison::less, .values = {span.until}}},
        .order = {column},
        .limit = limit};
}

void only_behind(table::query& question, std::int64_t sequence) {
    question.where.push_back(
        {.column = std::string(table::sequence_column),
         .compare = table::comparison::greater,
         .values = {sequence}});
}

// How far a mark covers a table that has a change sequence; nothing: it has none.
std::int64_t* place_in(archive_mark& mark, std::string_view table) {
    if (table == jobs::jobs_table) return &mark.jobs;
    if (table == jobs::tasks_table) return &mark.tasks;
    if (table == events::events_table) return &mark.events;
    return nullptr;
}

bool is_about_payloads(std::string_view table) {
    return table == jobs::payloads_table || table == jobs::payload_digests_table;
}

// The same for the same digests in whatever order.
void fold(archive_mark& into, const std::string& digest) {
    std::uint64_t folded = 0;
    for (const char each : digest.substr(0, sizeof(folded)))
        folded = (folded << 8U) | static_cast<unsigned char>(each);
    const auto print = static_cast<std::uint64_t>(into.payloads_print) ^ folded;
    into.payloads_print = static_cast<std::int64_t>(print);
    ++into.payloads;
}

// Payloads that were dropped are no news.
bool has_new_payloads(const archive_mark& now, const archive_mark& before) {
    if (now.payloads == 0) return false;
    return now.payloads != before.payloads || now.payloads_print != before.payloads_print;
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

async<std::vector<archive_progress>> job_archive::read_notes(wall_time from) {
    table::query question{
        .table = std::string(archives_table),
        .where = {{.column = "starts", .compare = table::comparison::equal, .values = {from}}},
        .order = {"part"},
        .limit = parts_max};
    CO_TRY(const auto page, co_await deps_.ledger.read(std::move(question)));
    std::vector<archive_progress> notes;
    for (const auto& row : page.rows) {
        CO_TRY(auto note, decode_note(row));
        notes.push_back(std::move(note));
    }
    co_return notes;
}

// Of two who write the same part one finds the other's note instead of its own.
async<void> job_archive::write_note(archive_progress note) {
    table::batch change;
    change.writes.push_back({.table = std::string(archives_table), .rows = {encode_note(note)}});
    CO_CHECK_OK(co_await deps_.ledger.write(std::move(change)));
    CO_TRY(const auto noted, co_await read_notes(note.what.from));
    if (std::ranges::find(noted, note) == noted.end())
        co_return fail(errc::conflict, "another server has archived the same records meanwhile");
    co_return result<void>();
}

// An archive that is older than the notes of archives: how far it goes nobody knows, so that all
// the ledger still has becomes a second part of it.
async<void> job_archive::adopt_unnoted(
    jobs::record_span span, std::vector<archive_progress>* noted) {
    CO_TRY(const auto whose, co_await deps_.ledger.identity());
    CO_TRY(const auto existing, co_await deps_.files.find(span.from));
    if (!existing) co_return result<void>();
    if (existing->database != whose.database)
        co_return fail(
            errc::conflict,
            "the archive directory holds another cluster's record; give each its own");
    if (!noted->empty()) co_return result<void>();
    const archive_progress match{.what = *existing, .server = deps_.server, .mark = {}};
    CO_CHECK_OK(co_await write_note(match));
    noted->push_back(match);
    co_return result<void>();
}

result<table::definition> job_archive::definition_of(const std::string& table) const {
    TRY(const auto existing, table::catalog::of(deps_.schema));
    TRY(const auto* const found, existing.find(table));
    return *found;
}

async<void> job_archive::measure_payloads(jobs::record_span span, archive_mark* into) {
    CO_TRY(const auto of, definition_of(std::string(jobs::payload_digests_table)));
    const auto at = of.find("digest").value_or(0);
    auto question = rows_until(of, span, table::query_limits::rows_max);
    do {
        CO_TRY(auto page, co_await deps_.ledger.read(question));
        question.after = std::move(page.next);
        for (const auto& row : page.rows)
            if (const auto* const digest = std::get_if<table::blob>(&row[at]))
                fold(*into, digest->content);
    } while (!question.after.empty());
    co_return result<void>();
}

// Before anything is copied: what changes meanwhile is behind the mark, and makes another part.
async<archive_mark> job_archive::measure(jobs::record_span span) {
    archive_mark now;
    const std::array followed{jobs::jobs_table, jobs::tasks_table, events::events_table};
    for (const auto table : followed) {
        CO_TRY(
            const auto last,
            co_await deps_.ledger.wait_for_change(
                std::string(table), table::sequence(), std::chrono::milliseconds(0)));
        *place_in(now, table) = last.value();
    }
    CO_CHECK_OK(co_await measure_payloads(span, &now));
    co_return now;
}

async<bool> job_archive::has_behind(
    std::string table, jobs::record_span span, std::int64_t sequence) {
    CO_TRY(const auto of, definition_of(table));
    auto question = rows_until(of, span, 1);
    question.order = {std::string(table::sequence_column)};
    only_behind(question, sequence);
    CO_TRY(const auto page, co_await deps_.ledger.read(std::move(question)));
    co_return !page.rows.empty();
}

async<std::vector<std::string>> job_archive::changed_tables(
    jobs::record_span span, archive_mark mark) {
    std::vector<std::string> changed;
    for (const auto& archived_table : archived_tables()) {
        if (const auto* const place = place_in(mark, archived_table)) {
            CO_TRY(const bool behind, co_await has_behind(archived_table, span, *place));
            if (behind) changed.push_back(archived_table);
        }
    }
    // A job's targets are written with it.
    if (std::ranges::find(changed, jobs::jobs_table) != changed.end())
        changed.emplace_back(jobs::job_targets_table);
    archive_mark now;
    CO_CHECK_OK(co_await measure_payloads(span, &now));
    if (has_new_payloads(now, mark)) changed.emplace_back(jobs::payloads_table);
    co_return changed;
}

async<void> job_archive::confirm(std::string table, jobs::record_span span, archive_mark mark) {
    bool news = false;
    if (const auto* const place = place_in(mark, table)) {
        CO_TRY(news, co_await has_behind(table, span, *place));
    } else if (is_about_payloads(table)) {
        archive_mark now;
        CO_CHECK_OK(co_await measure_payloads(span, &now));
        news = has_new_payloads(now, mark);
    }
    if (news)
        co_return fail(
            errc::conflict,
            "rows of " + table + " came after they were archived; the next round archives them");
    co_return result<void>();
}

async<archive::archived_file> job_archive::copy(
    archive::archive_store::place into, jobs::record_span span, archive_mark behind) {
    CO_TRY(auto definition, definition_of(into.table));
    const auto of = std::make_shared<const table::definition>(std::move(definition));
    auto question = rows_until(*of, span, page_rows);
    const auto* const place = place_in(behind, into.table);
    if (place != nullptr && *place > 0) only_behind(question, *place);
    CO_CHECK_OK(co_await deps_.files.begin(std::move(into)));
    do {
        CO_TRY(auto page, co_await deps_.ledger.read(question));
        question.after = std::move(page.next);
        rows_ += page.rows.size();
        const auto rows = std::make_shared<const std::vector<table::row>>(std::move(page.rows));
        std::function<result<void>(archive::file_writer&)> put =
            [of, rows](archive::file_writer& to) -> result<void> {
            for (const auto& row : *rows) {
                CHECK_OK(to.append(line_of(*of, row)));
            }
            return {};
        };
        CO_CHECK_OK(co_await deps_.files.append(std::move(put)));
    } while (!question.after.empty());
    co_return co_await deps_.files.end();
}

// The note comes before the manifest: whoever loses the race for it has no archive, whatever of
// the span was there to be copied. A manifest that a crash kept from being written is made from
// the note.
async<archive_mark> job_archive::keep(jobs::record_span span) {
    CO_TRY(auto noted, co_await read_notes(span.from));
    CO_CHECK_OK(co_await adopt_unnoted(span, &noted));
    for (const auto& each : noted) {
        CO_CHECK_OK(co_await deps_.files.adopt(each.what));
    }
    const auto before = noted.empty() ? archive_mark() : noted.back().mark;
    auto tables = archived_tables();
    if (!noted.empty()) {
        CO_TRY(tables, co_await changed_tables(span, before));
        if (tables.empty()) co_return before;
    }
    CO_TRY(const auto whose, co_await deps_.ledger.identity());
    CO_TRY(const auto now, co_await measure(span));
    archive_progress next{
        .what =
            {.database = whose.database,
             .from = span.from,
             .until = span.until,
             .made = deps_.clock.wall(),
             .part = static_cast<std::int64_t>(noted.size()) + 1,
             .files = {}},
        .server = deps_.server,
        .mark = now};
    for (const auto& table : tables) {
        archive::archive_store::place into{
            .table = table, .from = span.from, .part = next.what.part};
        CO_TRY(auto stored, co_await copy(std::move(into), span, before));
        next.what.files.push_back(std::move(stored));
    }
    CO_CHECK_OK(co_await write_note(next));
    CO_CHECK_OK(co_await deps_.files.conclude(next.what));
    co_return now;
}

}  // namespace muster::retention
