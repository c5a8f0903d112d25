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

// The statements of one connection, made once: making one costs as much as reading fifty rows.
class kept_statements {
public:
    explicit kept_statements(sqlite::database& on) : on_(on) {}

    result<sqlite::statement*> find(const std::string& text) {
        if (const auto it = statements_.find(text); it != statements_.end()) return &it->second;
        TRY(sqlite::statement statement, on_.prepare(text));
        if (statements_.size() == statements_max) statements_.clear();
        return &statements_.emplace(text, std::move(statement)).first->second;
    }

private:
    static constexpr std::size_t statements_max = 100;

    sqlite::database& on_;
    std::map<std::string, sqlite::statement> statements_;
};

struct question_in_hand {
    const read_request& asked;
    const table::checked_query& checked;
    const table::row& parameters;
};

result<table::page> read_page(sqlite::statement& query, const question_in_hand& question_in_hand) {
    CHECK_OK(query.bind(to_parameters(question_in_hand.parameters)));
    const auto columns = question_in_hand.checked.table->readable();
    table::page_builder page(question_in_hand.asked.question, question_in_hand.checked);
    while (true) {
        TRY(const bool more, query.step());
        if (!more || !page.add(read_row(query, columns))) return page.finish();
    }
}

result<table::page> answer(kept_statements& kept_statements, const read_request& read_request) {
    TRY(const auto checked, table::check(read_request.question, *read_request.tables));
    const auto text =
        ledger_sql::select_statement(ledger_sql::dialect::sqlite, read_request.question, checked);
    TRY(sqlite::statement * query, kept_statements.find(text.text));
    auto page = read_page(
        *query, {.asked = read_request, .checked = checked, .parameters = text.parameters});
    query->reset();  // or the file would be kept as it was now
    return page;
}

}  // namespace

reader::reader(std::vector<sqlite::database> connections, const options& settings)
    : connections_(std::move(connections)), queue_(settings.queue_requests_max) {
    for (auto& connection : connections_)
        threads_.emplace_back([this, &connection] { run(connection); });
}

reader::~reader() {
    for (auto& each : queue_.close()) each.done(fail(errc::unavailable, "the ledger is closing"));
    for (auto& thread : threads_) thread.join();
}

void reader::submit(read_request read_request) {
    if (!queue_.try_push(read_request))
        read_request.done(fail(errc::unavailable, "too many reads of the ledger wait"));
}

void reader::run(sqlite::database& on) {
    kept_statements kept_statements(on);
    while (!queue_.closed()) {
        if (auto next = queue_.pop(idle_wait)) next->done(answer(kept_statements, *next));
    }
}

}  // namespace muster::ledger_sqlite
