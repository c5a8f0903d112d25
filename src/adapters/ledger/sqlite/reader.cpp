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
        if (const auto known = statements_.find(text); known != statements_.end())
            return &known->second;
        TRY(sqlite::statement made, on_.prepare(text));
        if (statements_.size() == statements_max) statements_.clear();
        return &statements_.emplace(text, std::move(made)).first->second;
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

result<table::page> read_page(sqlite::statement& query, const question_in_hand& what) {
    CHECK_OK(query.bind(to_parameters(what.parameters)));
    const auto columns = what.checked.table->readable();
    table::page_builder page(what.asked.question, what.checked);
    while (true) {
        TRY(const bool more, query.step());
        if (!more || !page.add(read_row(query, columns))) return page.finish();
    }
}

result<table::page> answer(kept_statements& known, const read_request& asked) {
    TRY(const auto checked, table::check(asked.question, *asked.tables));
    const auto text =
        ledger_sql::select_statement(ledger_sql::dialect::sqlite, asked.question, checked);
    TRY(sqlite::statement * query, known.find(text.text));
    auto page =
        read_page(*query, {.asked = asked, .checked = checked, .parameters = text.parameters});
    query->reset();  // or the file would be kept as it was now
    return page;
}

}  // namespace

reader::reader(std::vector<sqlite::database> connections, const options& settings)
    : connections_(std::move(connections)), queue_(settings.queue_requests_max) {
    for (auto& each : connections_) threads_.emplace_back([this, &each] { run(each); });
}

reader::~reader() {
    for (auto& each : queue_.close()) each.done(fail(errc::unavailable, "the ledger is closing"));
    for (auto& each : threads_) each.join();
}

void reader::submit(read_request what) {
    if (!queue_.try_push(what))
        what.done(fail(errc::unavailable, "too many reads of the ledger wait"));
}

void reader::run(sqlite::database& on) {
    kept_statements known(on);
    while (!queue_.closed()) {
        if (auto next = queue_.pop(idle_wait)) next->done(answer(known, *next));
    }
}

}  // namespace muster::ledger_sqlite
