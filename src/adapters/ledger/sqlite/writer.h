#pragma once

#include "adapters/ledger/sql/byte_budget.h"
#include "adapters/ledger/sql/group_size.h"
#include "adapters/ledger/sql/sequence_notifier.h"
#include "adapters/ledger/sql/work_queue.h"
#include "adapters/ledger/sqlite/group_writer.h"
#include "adapters/ledger/sqlite/sqlite_ledger.h"
#include "adapters/sqlite/database.h"

#include <functional>
#include <memory>
#include <thread>
#include <variant>
#include <vector>

namespace muster::ledger_sqlite {

struct write_request {
    std::shared_ptr<const table::catalog> tables;
    table::batch change;  // checked against `tables`
    ledger_sql::weight size;
    completion<table::summary> done;
};

// Anything else that writes: migrations, retirement. Called with null when the ledger closes first.
using chore = std::function<void(sqlite::database* on)>;

// The thread that writes. Batches that wait are committed together. Rings after each commit.
class writer {
public:
    writer(sqlite::database on, const options& settings, ledger_sql::sequence_notifier& notifier);
    writer(const writer&) = delete;
    writer& operator=(const writer&) = delete;
    ~writer();

    void submit(write_request write_request);
    void submit(chore chore);

    limit_hits hits() const { return queue_.hits() + bytes_.hits(); }

private:
    using work = std::variant<write_request, chore>;

    void refuse(work& work);
    void settle(write_request& write_request, result<table::summary> outcome);
    void run();
    void perform(std::vector<work> works);
    void commit(std::vector<write_request*>& group);

    sqlite::database on_;
    group_writer group_writer_;
    ledger_sql::group_limits group_limits_;
    ledger_sql::sequence_notifier& notifier_;
    ledger_sql::work_queue<work> queue_;
    ledger_sql::byte_budget bytes_;
    std::thread thread_;
};

}  // namespace muster::ledger_sqlite
