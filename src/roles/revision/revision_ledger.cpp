#include "roles/revision/revision_ledger.h"

#include "roles/cluster/revision_tables.h"
#include "roles/revision/source.h"

#include <utility>

namespace muster::revision {
namespace {

constexpr std::size_t document_cell = 1;
constexpr std::size_t entries_cell = 2;
constexpr std::size_t content_cell = 1;

template <class Cell>
result<Cell> cell(const table::row& of, std::size_t which) {
    const auto* const found = which < of.size() ? std::get_if<Cell>(&of[which]) : nullptr;
    if (found == nullptr) return fail(errc::corrupt, "a revision's row is not as it must be");
    return *found;
}

}  // namespace

async<void> revision_ledger::write(kept revision, sections content, std::int64_t claimed) {
    for (const auto& [name, each] : content) {
        auto text = canonical(each);
        if (text.size() > section_bytes_max) continue;
        table::batch change;
        change.writes.push_back(
            {.table = std::string(cluster::revision_contents_table),
             .rows = {{revision.what.sections.at(name), table::blob{std::move(text)}}},
             .existing = table::keep_existing{}});
        CO_CHECK_OK(co_await records_.write(std::move(change)));
    }
    table::batch change;
    change.writes.push_back(
        {.table = std::string(cluster::revisions_table),
         .rows =
             {{revision.what.number,
               encode(revision.what),
               encode_entries(revision.entries),
               claimed}},
         .existing = table::replace_if_grows{"claimed"}});
    CO_CHECK_OK(co_await records_.write(std::move(change)));
    co_return result<void>();
}

async<std::vector<revision_record>> revision_ledger::list(std::int64_t below, std::size_t limit) {
    table::query question{
        .table = std::string(cluster::revisions_table),
        .where = {{.column = "number", .compare = table::comparison::less, .values = {below}}},
        .order = {"number"},
        .going = table::direction::descending,
        .limit = limit};
    CO_TRY(const auto page, co_await records_.read(std::move(question)));
    std::vector<revision_record> read;
    for (const auto& each : page.rows) {
        CO_TRY(const auto document, cell<std::string>(each, document_cell));
        CO_TRY(auto one, decode_revision(document));
        read.push_back(std::move(one));
    }
    co_return read;
}

async<revision_ledger::kept> revision_ledger::find(std::int64_t number) {
    table::query question{
        .table = std::string(cluster::revisions_table),
        .where = {{.column = "number", .values = {number}}},
        .limit = 1};
    CO_TRY(const auto page, co_await records_.read(std::move(question)));
    if (page.rows.empty())
        co_return fail(errc::not_found, "there is no revision " + std::to_string(number));
    CO_TRY(const auto document, cell<std::string>(page.rows.front(), document_cell));
    CO_TRY(const auto entries, cell<std::string>(page.rows.front(), entries_cell));
    kept read;
    CO_TRY(read.what, decode_revision(document));
    CO_TRY(read.entries, decode_entries(entries));
    co_return read;
}

async<section> revision_ledger::content(std::string digest) {
    table::query question{
        .table = std::string(cluster::revision_contents_table),
        .where = {{.column = "digest", .values = {digest}}},
        .limit = 1};
    CO_TRY(const auto page, co_await records_.read(std::move(question)));
    if (page.rows.empty())
        co_return fail(errc::not_found, "this part of the revision was too large to be kept");
    CO_TRY(const auto stored, cell<table::blob>(page.rows.front(), content_cell));
    CO_TRY(auto read, read_canonical(stored.content));
    if (digest_of(read) != digest)
        co_return fail(errc::corrupt, "the content of a revision is not what its digest says");
    co_return read;
}

}  // namespace muster::revision
