#include "adapters/ledger/sqlite/reader.h"

#include "adapters/ledger/sql/dialect.h"
#include "adapters/ledger/sqlite/cells.h"

#include <cstddef>
#include <map>
#include <string>
#include <utility>

namespace muster::ledger_sqlite {
namespace {

constexpr std::chrono::milliseconds idle_wait = std::chrono::hours(1);

// Caches the statements of one connection: preparing one costs as much as reading fifty rows.
class statement_cache {
public:
    explicit statement_cache(sqlite::database& db) : db_(db) {}

    result<sqlite::statement*> find(const std::string& text) {
        if (const auto it = statements_.find(text); it != statements_.end()) return &it->second;
        TRY(sqlite::statement statement, db_.prepare(text));
        if (statements_.size() == statements_max) statements_.clear();
        return &statements_.emplace(text, std::move(statement)).first->second;
    }

private:
    static constexpr std::size_t statements_max = 100;

    sqlite::database& db_;
    std::map<std::string, sqlite::statement> statements_;
};

struct query_context {
    const read_request& request;
    const table::checked_query& checked;
    const table::row& parameters;
};

result<table::page> read_page(sqlite::statement& query, const query_context& context) {
    CHECK_OK(query.bind(to_parameters(context.parameters)));
    const auto columns = context.checked.table->readable();
    table::page_builder page(context.request.query, context.checked);
    while (true) {
        TRY(const bool more, query.step());
        if (!more || !page.add(read_row(query, columns))) return page.finish();
    }
}

result<table::page> read(statement_cache& statement_cache, const read_request& request) {
    TRY(const auto checked, table::check(request.query, *request.tables));
    const auto text =
        ledger_sql::select_statement(ledger_sql::dialect::sqlite, request.query, checked);
    TRY(sqlite::statement * query, statement_cache.find(text.text));
    auto page =
        read_page(*query, {.request = request, .checked = checked, .parameters = text.parameters});
    query->reset();  // ends the read transaction
    return page;
}

}  // namespace

reader::reader(std::vector<sqlite::database> connections, const options& settings)
    : connections_(std::move(connections)), queue_(settings.queue_requests_max) {
    for (auto& connection : connections_)
        threads_.emplace_back([this, &connection] { run(connection); });
}

reader::~reader() {
    for (auto& request : queue_.close()) request.done(fail(errc::unavailable, "ledger is closing"));
    for (auto& thread : threads_) thread.join();
}

void reader::submit(read_request request) {
    if (!queue_.try_push(request))
        request.done(fail(errc::unavailable, "ledger read queue is full"));
}

void reader::run(sqlite::database& db) {
    statement_cache statement_cache(db);
    while (!queue_.is_closed()) {
        if (auto request = queue_.pop(idle_wait)) request->done(read(statement_cache, *request));
    }
}

}  // namespace muster::ledger_sqlite
