#include "roles/retention/job_archive.h"

#include "roles/cluster/ledger_schema.h"
#include "roles/retention/archive_line.h"

#include <memory>
#include <utility>

namespace muster::retention {
namespace {

// A page is also bounded by table::query_limits::page_bytes_max.
constexpr std::size_t page_rows = 2'000;

table::query rows_of(const table::definition& of, jobs::record_span span) {
    const auto column = of.partition ? of.partition->column : of.key.front();
    return {
        .table = of.name,
        .where =
            {{.column = column,
              .compare = table::comparison::greater_or_equal,
              .values = {span.from}},
             {.column = column, .compare = table::comparison::less, .values = {span.until}}},
        .order = {column},
        .limit = page_rows};
}

}  // namespace

const std::vector<std::string>& tables_by_span() {
    static const std::vector<std::string> names{
        std::string(cluster::job_targets_table),
        std::string(cluster::tasks_table),
        std::string(cluster::payloads_table),
        std::string(cluster::payload_digests_table),
        std::string(cluster::events_table)};
    return names;
}

async<archive::kept_file> job_archive::copy(std::string table, jobs::record_span span) {
    CO_TRY(const auto known, table::catalog::of(cluster::ledger_schema()));
    CO_TRY(const auto* const found, known.find(table));
    const auto of = std::make_shared<const table::definition>(*found);
    CO_CHECK_OK(co_await around_.files.begin(table, span.from));
    auto question = rows_of(*of, span);
    do {
        CO_TRY(auto page, co_await around_.records.read(question));
        question.after = std::move(page.next);
        rows_ += page.rows.size();
        const auto rows = std::make_shared<const std::vector<table::row>>(std::move(page.rows));
        std::function<result<void>(archive::file_writer&)> put =
            [of, rows](archive::file_writer& into) -> result<void> {
            for (const auto& each : *rows) {
                CHECK_OK(into.append(line_of(*of, each)));
            }
            return {};
        };
        CO_CHECK_OK(co_await around_.files.append(std::move(put)));
    } while (!question.after.empty());
    co_return co_await around_.files.end();
}

async<void> job_archive::keep(jobs::record_span span) {
    CO_TRY(const auto whose, co_await around_.records.identity());
    CO_TRY(const auto known, co_await around_.files.find(span.from));
    if (known && known->database != whose.database)
        co_return fail(
            errc::conflict,
            "the archive directory holds another cluster's record; give each its own");
    if (known) co_return result<void>();
    archive::manifest all{
        .database = whose.database,
        .from = span.from,
        .until = span.until,
        .made = around_.time.wall(),
        .files = {}};
    std::vector<std::string> names = tables_by_span();
    names.insert(names.begin(), std::string(cluster::jobs_table));
    for (const auto& each : names) {
        if (each == cluster::payload_digests_table) continue;  // each is beside its payload
        CO_TRY(auto kept, co_await copy(each, span));
        all.files.push_back(std::move(kept));
    }
    co_return co_await around_.files.conclude(std::move(all));
}

}  // namespace muster::retention
