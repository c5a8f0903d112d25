#pragma once

#include "adapters/sqlite/database.h"
#include "base/result.h"

namespace muster::sqlite {

// Rolls back all changes since begin() unless commit() succeeds.
class transaction {
public:
    // Takes the write lock at once, so that no later statement fails because of it.
    static result<transaction> begin(database& db);

    transaction(transaction&& other) noexcept : db_(other.db_) { other.db_ = nullptr; }
    transaction(const transaction&) = delete;
    transaction& operator=(const transaction&) = delete;
    transaction& operator=(transaction&&) = delete;
    ~transaction();

    // errc::timed_out: the changes may be in the file (failure.h); this connection rolls them back.
    result<void> commit();

private:
    explicit transaction(database& db) : db_(&db) {}

    database* db_;  // null once committed or moved from
};

}  // namespace muster::sqlite
