#include "adapters/sqlite/database.h"
#include "adapters/sqlite/failure.h"
#include "adapters/sqlite/transaction.h"
#include "tests/harness/temporary_directory.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <sqlite3.h>
#include <string>

namespace muster::sqlite {
namespace {

struct scene {
    harness::temporary_directory directory{"sqlite"};
    std::filesystem::path file = directory.path() / "some.db";

    database open(locking locks = locking::shared) {
        auto opened = database::open(
            {.file = file, .locking_mode = locks, .busy_wait = std::chrono::milliseconds(0)});
        REQUIRE_MESSAGE(opened.has_value(), to_string(opened.error()));
        return *std::move(opened);
    }
};

TEST_CASE("every kind of value comes back as it was stored") {
    scene here;
    database db = here.open();
    REQUIRE(db.execute("CREATE TABLE t(a, b, c, d, e, f)").has_value());
    auto insert = db.prepare("INSERT INTO t VALUES(?,?,?,?,?,?)");
    REQUIRE(insert.has_value());
    const std::string bytes("a\0b\xff", 4);

    REQUIRE(insert->run({-5, 2.5, "text", blob{bytes}, null{}, blob{""}}).has_value());

    auto query = db.prepare("SELECT * FROM t WHERE a = ?");
    REQUIRE(query->bind({-5}).has_value());
    REQUIRE(query->step().value());
    CHECK(query->integer(0) == -5);
    CHECK(query->real(1) == 2.5);
    CHECK(query->text(2) == "text");
    CHECK(query->bytes(3) == bytes);
    CHECK(query->is_null(4));
    CHECK_FALSE(query->is_null(5));
    CHECK_FALSE(query->step().value());
}

TEST_CASE("what a burst has made of the log is given back to the disk") {
    scene here;
    database db = here.open();
    const auto log_bytes = [&] {
        return std::filesystem::file_size(here.file.string() + "-wal");
    };
    REQUIRE(db.execute("CREATE TABLE t(a)").has_value());

    REQUIRE(db.execute("INSERT INTO t VALUES(zeroblob(40000000))").has_value());
    const auto after_the_burst = log_bytes();
    REQUIRE(db.execute("INSERT INTO t VALUES(1)").has_value());

    CHECK(after_the_burst > 40'000'000);
    CHECK(log_bytes() < 20'000'000);
}

TEST_CASE("a transaction that is not committed leaves no trace") {
    scene here;
    database db = here.open();
    REQUIRE(db.execute("CREATE TABLE t(a)").has_value());

    {
        auto change = transaction::begin(db);
        REQUIRE(db.execute("INSERT INTO t VALUES(1)").has_value());
    }
    CHECK(db.query_integer("SELECT count(*) FROM t").value() == 0);
    {
        auto change = transaction::begin(db);
        REQUIRE(db.execute("INSERT INTO t VALUES(1)").has_value());
        REQUIRE(change->commit().has_value());
    }
    CHECK(db.query_integer("SELECT count(*) FROM t").value() == 1);
}

// A disk whose fsync can be told to fail, for all that is opened while this lives.
class disk_without_sync {
public:
    disk_without_sync() {
        whole = sqlite3_vfs_find(nullptr);
        failing = false;
        shim = *whole;
        shim.zName = "without sync";
        shim.xOpen = open;
        REQUIRE(sqlite3_vfs_register(&shim, 1) == SQLITE_OK);
    }
    disk_without_sync(const disk_without_sync&) = delete;
    disk_without_sync& operator=(const disk_without_sync&) = delete;
    ~disk_without_sync() {
        sqlite3_vfs_unregister(&shim);
        sqlite3_vfs_register(whole, 1);
    }

    void fail() { failing = true; }
    void heal() { failing = false; }

private:
    static int open(sqlite3_vfs*, const char* name, sqlite3_file* file, int flags, int* opened) {
        const int code = whole->xOpen(whole, name, file, flags, opened);
        if (code != SQLITE_OK) return code;
        auto& methods = patched.try_emplace(file->pMethods, *file->pMethods).first->second;
        whole_sync = file->pMethods->xSync;
        methods.xSync = sync;
        file->pMethods = &methods;
        return SQLITE_OK;
    }
    static int sync(sqlite3_file* file, int flags) {
        return failing ? SQLITE_IOERR_FSYNC : whole_sync(file, flags);
    }

    // SQLite's callbacks take no context. Databases and logs differ in how they lock only.
    inline static sqlite3_vfs* whole = nullptr;
    inline static sqlite3_vfs shim{};
    inline static std::map<const sqlite3_io_methods*, sqlite3_io_methods> patched;
    inline static int (*whole_sync)(sqlite3_file*, int) = nullptr;
    inline static bool failing = false;
};

TEST_CASE("a commit whose fsync failed is called unknown, not undone, and the next one goes on") {
    scene here;
    disk_without_sync disk;
    database db = here.open();
    REQUIRE(db.execute("CREATE TABLE t(a)").has_value());
    const auto insert = [&db]() -> result<void> {
        TRY(transaction change, transaction::begin(db));
        CHECK_OK(db.execute("INSERT INTO t VALUES(1)"));
        return change.commit();
    };

    disk.fail();
    const auto unsynced = insert();
    disk.heal();
    const auto synced = insert();

    REQUIRE_FALSE(unsynced.has_value());
    CHECK(unsynced.error().code() == errc::timed_out);
    CHECK(synced.has_value());
    CHECK(db.query_integer("SELECT count(*) FROM t").value() == 1);
}

TEST_CASE("of a failed commit only input and output errors leave doubt") {
    for (const int doubtful : {SQLITE_IOERR, SQLITE_IOERR_FSYNC, SQLITE_IOERR_WRITE})
        CHECK(meaning_of_commit(doubtful) == errc::timed_out);
    for (const int undone : {SQLITE_BUSY, SQLITE_BUSY_SNAPSHOT, SQLITE_FULL, SQLITE_NOMEM})
        CHECK(meaning_of_commit(undone) == errc::unavailable);
    CHECK(meaning_of_commit(SQLITE_CONSTRAINT_FOREIGNKEY) == errc::conflict);
    CHECK(meaning_of_commit(SQLITE_READONLY) == errc::denied);
}

TEST_CASE("a commit is durable: WAL with full synchronisation") {
    scene here;
    database db = here.open();

    CHECK(db.query_integer("PRAGMA synchronous").value() == 2);
    auto mode = db.prepare("PRAGMA journal_mode");
    REQUIRE(mode->step().value());
    CHECK(mode->text(0) == "wal");
}

TEST_CASE("a new file is readable by its owner only") {
    scene here;
    const database db = here.open();

    const auto mode = std::filesystem::status(here.file).permissions();
    CHECK(mode == (std::filesystem::perms::owner_read | std::filesystem::perms::owner_write));
}

TEST_CASE("an exclusive file refuses a second opener as unavailable") {
    scene here;
    const database first = here.open(locking::exclusive);

    const auto second =
        database::open({.file = here.file, .locking_mode = locking::exclusive, .busy_wait = {}});

    REQUIRE_FALSE(second.has_value());
    CHECK(second.error().code() == errc::unavailable);
}

TEST_CASE("a violated constraint is a conflict and bad SQL is invalid") {
    scene here;
    database db = here.open();
    REQUIRE(db.execute("CREATE TABLE t(a PRIMARY KEY); INSERT INTO t VALUES(1)").has_value());

    CHECK(db.execute("INSERT INTO t VALUES(1)").error().code() == errc::conflict);
    CHECK(db.execute("SELEKT").error().code() == errc::invalid);
    CHECK(db.prepare("SELECT nothing FROM nowhere").error().code() == errc::invalid);
}

TEST_CASE("what is not a database is refused as corrupt and left as it was") {
    scene here;
    const std::string letter(4096, 'x');
    std::ofstream(here.file) << letter;

    const auto opened = database::open({.file = here.file});

    REQUIRE_FALSE(opened.has_value());
    CHECK(opened.error().code() == errc::corrupt);
    CHECK(opened.error().detail().starts_with(here.file.string()));
    CHECK(std::filesystem::file_size(here.file) == letter.size());
}

TEST_CASE("a directory that is not there is named in the error") {
    scene here;

    const auto opened = database::open({.file = here.directory.path() / "nowhere" / "some.db"});

    REQUIRE_FALSE(opened.has_value());
    CHECK(opened.error().code() == errc::not_found);
    CHECK(opened.error().detail().find("nowhere/some.db") != std::string::npos);
}

}  // namespace
}  // namespace muster::sqlite
