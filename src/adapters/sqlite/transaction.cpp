#include "adapters/sqlite/transaction.h"

#include "adapters/sqlite/failure.h"
#include "base/assert.h"

#include <sqlite3.h>

namespace muster::sqlite {

result<transaction> transaction::begin(database& on) {
    CHECK_OK(on.execute("BEGIN IMMEDIATE"));
    return transaction(on);
}

transaction::~transaction() {
    // Some failures, such as a full disk, have rolled back already.
    if (on_ == nullptr || !on_->in_transaction()) return;
    ignore_error(on_->execute("ROLLBACK"), "nothing was committed, and nothing will be");
}

result<void> transaction::commit() {
    MUSTER_ASSERT(on_ != nullptr);
    if (auto done = on_->execute("COMMIT"); !done)
        return fail(meaning_of_commit(sqlite3_extended_errcode(on_->raw())), done.error().detail());
    on_ = nullptr;
    return {};
}

}  // namespace muster::sqlite
