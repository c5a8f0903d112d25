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
    ledger_sql::group_weight size;
    completion<table::summary> done;
};

// Other work on the writer thread: migrations, dropping partitions. Called with null when the
// ledger closes first.
using writer_job = std::function<void(sqlite::database* db)>;

// The thread that writes. Commits waiting batches together, and notifies after each commit.
// Thread-safe.
class writer {
public:
    writer(sqlite::database db, const options& settings, ledger_sql::sequence_notifier& notifier);
    writer(const writer&) = delete;
    writer& operator=(const writer&) = delete;
    ~writer();

    void submit(write_request request);
    void submit(writer_job job);

    limit_hits hits() const { return queue_.hits() + bytes_.hits(); }

private:
    using work = std::variant<write_request, writer_job>;

    void refuse_work(work& work);
    void complete(write_request& request, result<table::summary> outcome);
    void run();
    void perform(std::vector<work> items);
    void commit(std::vector<write_request*>& group);

    sqlite::database db_;
    group_writer group_writer_;
    ledger_sql::group_limits group_limits_;
    ledger_sql::sequence_notifier& notifier_;
    ledger_sql::work_queue<work> queue_;
    ledger_sql::byte_budget bytes_;
    std::thread thread_;
};

}  // namespace muster::ledger_sqlite
