#include "adapters/ledger/sqlite/reader.h"

#include "adapters/ledger/sql/dialect.h"
#include "adapters/ledger/sqlite/cells.h"

#include <utility>

namespace muster::ledger_sqlite {
namespace {

constexpr std::chrono::milliseconds idle_wait = std::chrono::hours(1);

result<table::page> answer(sqlite::database& on, const read_request& asked) {
    TRY(const auto checked, table::check(asked.question, *asked.tables));
    const auto text =
        ledger_sql::select_statement(ledger_sql::dialect::sqlite, asked.question, checked);
    TRY(sqlite::statement query, on.prepare(text.text));
    CHECK_OK(query.bind(to_parameters(text.parameters)));
    const auto columns = checked.table->readable();
    table::page_builder page(asked.question, checked);
    while (true) {
        TRY(const bool more, query.step());
        if (!more || !page.add(read_row(query, columns))) return page.finish();
    }
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
    while (!queue_.closed()) {
        if (auto next = queue_.pop(idle_wait)) next->done(answer(on, *next));
    }
}

}  // namespace muster::ledger_sqlite
