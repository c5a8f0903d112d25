#include "services/revision/revision_store.h"

#include "core/table/row_reader.h"
#include "services/revision/revision_tables.h"
#include "services/revision/source.h"

#include <utility>

namespace muster::revision {
namespace {

// A revision as the table `revisions` has it.
struct revision_row {
    std::string document;
    std::string entries;
};

result<revision_row> decode_row(const table::row& row) {
    table::row_reader reader(revisions_table, row);
    static_cast<void>(reader.take<std::int64_t>("number"));
    revision_row decoded;
    decoded.document = reader.take<std::string>("document");
    decoded.entries = reader.take<std::string>("entries");
    static_cast<void>(reader.take<std::int64_t>("claimed"));
    CHECK_OK(reader.finish());
    return decoded;
}

result<std::string> decode_content(const table::row& row) {
    table::row_reader reader(revision_contents_table, row);
    static_cast<void>(reader.take<std::string>("digest"));
    auto content = reader.take<table::blob>("content").content;
    CHECK_OK(reader.finish());
    return content;
}

}  // namespace

async<void> revision_store::write(
    stored_revision revision, sections content, std::int64_t claimed) {
    for (const auto& [name, section] : content) {
        auto text = canonical(section);
        if (text.size() > section_bytes_max) continue;
        table::batch change;
        change.writes.push_back(
            {.table = std::string(revision_contents_table),
             .rows = {{revision.record.sections.at(name), table::blob{std::move(text)}}},
             .existing = table::keep_existing{}});
        CO_CHECK_OK(co_await ledger_.write(std::move(change)));
    }
    table::batch change;
    change.writes.push_back(
        {.table = std::string(revisions_table),
         .rows =
             {{revision.record.number,
               encode(revision.record),
               encode_entries(revision.entries),
               claimed}},
         .existing = table::replace_if_grows{"claimed"}});
    CO_CHECK_OK(co_await ledger_.write(std::move(change)));
    co_return result<void>();
}

async<std::vector<revision_record>> revision_store::list(std::int64_t below, std::size_t limit) {
    table::query query{
        .table = std::string(revisions_table),
        .where = {{.column = "number", .compare = table::comparison::less, .values = {below}}},
        .order = {"number"},
        .going = table::direction::descending,
        .limit = limit};
    CO_TRY(const auto page, co_await ledger_.read(std::move(query)));
    std::vector<revision_record> revisions;
    for (const auto& stored : page.rows) {
        CO_TRY(const auto row, decode_row(stored));
        CO_TRY(auto revision, decode_revision(row.document));
        revisions.push_back(std::move(revision));
    }
    co_return revisions;
}

async<revision_store::stored_revision> revision_store::find(std::int64_t number) {
    table::query query{
        .table = std::string(revisions_table),
        .where = {{.column = "number", .values = {number}}},
        .limit = 1};
    CO_TRY(const auto page, co_await ledger_.read(std::move(query)));
    if (page.rows.empty())
        co_return fail(errc::not_found, "revision \"" + std::to_string(number) + "\" not found");
    CO_TRY(const auto row, decode_row(page.rows.front()));
    stored_revision revision;
    CO_TRY(revision.record, decode_revision(row.document));
    CO_TRY(revision.entries, decode_entries(row.entries));
    co_return revision;
}

async<section> revision_store::content(std::string digest) {
    table::query query{
        .table = std::string(revision_contents_table),
        .where = {{.column = "digest", .values = {digest}}},
        .limit = 1};
    CO_TRY(const auto page, co_await ledger_.read(std::move(query)));
    if (page.rows.empty())
        co_return fail(errc::not_found, "section of the revision was too large to be stored");
    CO_TRY(const auto stored, decode_content(page.rows.front()));
    CO_TRY(auto parsed, read_canonical(stored));
    if (digest_of(parsed) != digest)
        co_return fail(errc::corrupt, "revision content does not match its digest");
    co_return parsed;
}

}  // namespace muster::revision
