#include "adapters/sqlite/statement.h"

#include "adapters/sqlite/failure.h"
#include "base/assert.h"

#include <cstddef>
#include <sqlite3.h>

namespace muster::sqlite {
namespace {

// Binds one parameter, whatever its type is.
struct binder {
    sqlite3_stmt* raw;
    int index;
    sqlite3_destructor_type life;

    int operator()(null /*nothing*/) const { return sqlite3_bind_null(raw, index); }
    int operator()(std::int64_t value) const { return sqlite3_bind_int64(raw, index, value); }
    int operator()(double value) const { return sqlite3_bind_double(raw, index, value); }
    int operator()(std::string_view text) const {
        return sqlite3_bind_text64(raw, index, start(text), text.size(), life, SQLITE_UTF8);
    }
    int operator()(blob value) const {
        return sqlite3_bind_blob64(raw, index, start(value.bytes), value.bytes.size(), life);
    }

    // SQLite takes a null pointer for NULL; an empty value is not NULL.
    static const char* start(std::string_view text) {
        return text.data() == nullptr ? "" : text.data();
    }
};

}  // namespace

void statement::finalize::operator()(sqlite3_stmt* raw) const {
    sqlite3_finalize(raw);
}

result<void> statement::run(std::span<const parameter> values) {
    CHECK_OK(bind_all(values, lifetime::until_reset));
    const auto stepped = step();
    reset();
    if (!stepped) return fail(stepped.error());
    return {};
}

result<void> statement::bind(std::span<const parameter> values) {
    return bind_all(values, lifetime::copied);
}

result<void> statement::bind_all(std::span<const parameter> values, lifetime life) {
    reset();
    MUSTER_ASSERT(
        values.size() == static_cast<std::size_t>(sqlite3_bind_parameter_count(raw_.get())));
    int index = 0;
    for (const parameter& value : values) {
        ++index;
        // NOLINTNEXTLINE(performance-no-int-to-ptr,cppcoreguidelines-pro-type-cstyle-cast)
        auto* const destructor = life == lifetime::copied ? SQLITE_TRANSIENT : SQLITE_STATIC;
        const int code = std::visit(binder{raw_.get(), index, destructor}, value);
        if (code != SQLITE_OK) return fail(failure_of(sqlite3_db_handle(raw_.get()), code));
    }
    return {};
}

result<bool> statement::step() {
    const int code = sqlite3_step(raw_.get());
    if (code == SQLITE_ROW) return true;
    if (code == SQLITE_DONE) return false;
    return fail(failure_of(sqlite3_db_handle(raw_.get()), code));
}

void statement::reset() {
    // Its code repeats the failure of the last step, which step() has told already.
    static_cast<void>(sqlite3_reset(raw_.get()));
    static_cast<void>(sqlite3_clear_bindings(raw_.get()));
}

bool statement::is_null(int column) const {
    return sqlite3_column_type(raw_.get(), column) == SQLITE_NULL;
}

std::int64_t statement::integer(int column) const {
    return sqlite3_column_int64(raw_.get(), column);
}

double statement::real(int column) const {
    return sqlite3_column_double(raw_.get(), column);
}

std::string_view statement::text(int column) const {
    const void* const start = sqlite3_column_text(raw_.get(), column);
    const int size = sqlite3_column_bytes(raw_.get(), column);
    if (start == nullptr) return {};
    return {static_cast<const char*>(start), static_cast<std::size_t>(size)};
}

std::string_view statement::bytes(int column) const {
    const void* const start = sqlite3_column_blob(raw_.get(), column);
    const int size = sqlite3_column_bytes(raw_.get(), column);
    if (start == nullptr) return {};
    return {static_cast<const char*>(start), static_cast<std::size_t>(size)};
}

}  // namespace muster::sqlite
