#include "adapters/sqlite/database.h"
#include "adapters/sqlite/transaction.h"
#include "tests/harness/temporary_directory.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace muster::sqlite {
namespace {

struct scene {
    harness::temporary_directory directory{"sqlite"};
    std::filesystem::path file = directory.path() / "some.db";

    database open(locking locks = locking::shared) {
        auto opened = database::open(
            {.file = file, .locks = locks, .busy_wait = std::chrono::milliseconds(0)});
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
        database::open({.file = here.file, .locks = locking::exclusive, .busy_wait = {}});

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
