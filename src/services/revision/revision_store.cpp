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

result<revision_row> decode_row(const table::row& cells) {
    table::row_reader in(revisions_table, cells);
    static_cast<void>(in.take<std::int64_t>("number"));
    revision_row read;
    read.document = in.take<std::string>("document");
    read.entries = in.take<std::string>("entries");
    static_cast<void>(in.take<std::int64_t>("claimed"));
    CHECK_OK(in.finish());
    return read;
}

result<std::string> decode_content(const table::row& cells) {
    table::row_reader in(revision_contents_table, cells);
    static_cast<void>(in.take<std::string>("digest"));
    auto read = in.take<table::blob>("content").content;
    CHECK_OK(in.finish());
    return read;
}

}  // namespace

async<void> revision_store::write(kept revision, sections content, std::int64_t claimed) {
    for (const auto& [name, each] : content) {
        auto text = canonical(each);
        if (text.size() > section_bytes_max) continue;
        table::batch change;
        change.writes.push_back(
            {.table = std::string(revision_contents_table),
             .rows = {{revision.what.sections.at(name), table::blob{std::move(text)}}},
             .existing = table::keep_existing{}});
        CO_CHECK_OK(co_await ledger_.write(std::move(change)));
    }
    table::batch change;
    change.writes.push_back(
        {.table = std::string(revisions_table),
         .rows =
             {{revision.what.number,
               encode(revision.what),
               encode_entries(revision.entries),
               claimed}},
         .existing = table::replace_if_grows{"claimed"}});
    CO_CHECK_OK(co_await ledger_.write(std::move(change)));
    co_return result<void>();
}

async<std::vector<revision_record>> revision_store::list(std::int64_t below, std::size_t limit) {
    table::query question{
        .table = std::string(revisions_table),
        .where = {{.column = "number", .compare = table::comparison::less, .values = {below}}},
        .order = {"number"},
        .going = table::direction::descending,
        .limit = limit};
    CO_TRY(const auto page, co_await ledger_.read(std::move(question)));
    std::vector<revision_record> read;
    for (const auto& each : page.rows) {
        CO_TRY(const auto row, decode_row(each));
        CO_TRY(auto revision, decode_revision(row.document));
        read.push_back(std::move(revision));
    }
    co_return read;
}

async<revision_store::kept> revision_store::find(std::int64_t number) {
    table::query question{
        .table = std::string(revisions_table),
        .where = {{.column = "number", .values = {number}}},
        .limit = 1};
    CO_TRY(const auto page, co_await ledger_.read(std::move(question)));
    if (page.rows.empty())
        co_return fail(errc::not_found, "there is no revision " + std::to_string(number));
    CO_TRY(const auto row, decode_row(page.rows.front()));
    kept read;
    CO_TRY(read.what, decode_revision(row.document));
    CO_TRY(read.entries, decode_entries(row.entries));
    co_return read;
}

async<section> revision_store::content(std::string digest) {
    table::query question{
        .table = std::string(revision_contents_table),
        .where = {{.column = "digest", .values = {digest}}},
        .limit = 1};
    CO_TRY(const auto page, co_await ledger_.read(std::move(question)));
    if (page.rows.empty())
        co_return fail(errc::not_found, "this part of the revision was too large to be kept");
    CO_TRY(const auto stored, decode_content(page.rows.front()));
    CO_TRY(auto read, read_canonical(stored));
    if (digest_of(read) != digest)
        co_return fail(errc::corrupt, "the content of a revision is not what its digest says");
    co_return read;
}

}  // namespace muster::revision
