#pragma once

#include "adapters/sqlite/database.h"
#include "base/result.h"

namespace muster::sqlite {

// All or nothing: what was done since begin() is undone unless commit() answered well.
class transaction {
public:
    // Takes the write lock at once, so that no later statement can fail for want of it.
    static result<transaction> begin(database& on);

    transaction(transaction&& other) noexcept : on_(other.on_) { other.on_ = nullptr; }
    transaction(const transaction&) = delete;
    transaction& operator=(const transaction&) = delete;
    transaction& operator=(transaction&&) = delete;
    ~transaction();

    // errc::timed_out: it may or may not be found in the file (failure.h); here it is undone.
    result<void> commit();

private:
    explicit transaction(database& on) : on_(&on) {}

    database* on_;  // null once committed or moved from
};

}  // namespace muster::sqlite
