#include "adapters/sqlite/transaction.h"

#include "adapters/sqlite/failure.h"
#include "base/assert.h"

#include <sqlite3.h>

namespace muster::sqlite {

result<transaction> transaction::begin(database& db) {
    CHECK_OK(db.execute("BEGIN IMMEDIATE"));
    return transaction(db);
}

transaction::~transaction() {
    // Some failures, such as a full disk, have rolled back already.
    if (db_ == nullptr || !db_->in_transaction()) return;
    ignore_error(db_->execute("ROLLBACK"), "the transaction was not committed");
}

result<void> transaction::commit() {
    MUSTER_ASSERT(db_ != nullptr);
    if (auto done = db_->execute("COMMIT"); !done)
        return fail(meaning_of_commit(sqlite3_extended_errcode(db_->raw())), done.error().detail());
    db_ = nullptr;
    return {};
}

}  // namespace muster::sqlite
