#include "adapters/ledger/sqlite/sqlite_ledger.h"
#include "base/prng.h"
#include "ports/contract/ledger_contract.h"
#include "ports/contract/ledger_test_client.h"
#include "tests/harness/real_event_loop.h"
#include "tests/harness/temporary_directory.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <doctest/doctest.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <exception>
#include <fstream>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <unistd.h>
#include <vector>

namespace muster::ledger_sqlite {
namespace {

using boost::asio::awaitable;
using contract::machine;
using contract::one_write;

constexpr int writers = 6;
constexpr std::size_t batch_rows = 3;

table::batch storm_batch(const std::string& name) {
    std::vector<table::row> rows;
    for (std::size_t part = 0; part < batch_rows; ++part)
        rows.push_back(machine(name + "/" + std::to_string(part), 1));
    return one_write("machines", std::move(rows));
}

awaitable<void> write_for_ever(ledger& to, int writer, int report) {
    for (int number = 0;; ++number) {
        const auto name = std::to_string(writer) + "." + std::to_string(number);
        const auto done = co_await to.write(storm_batch(name));
        if (!done) ::_exit(3);
        const auto line = name + "\n";
        if (::write(report, line.data(), line.size()) < 0) ::_exit(4);
    }
}

awaitable<void> migrate(ledger& to) {
    const auto done = co_await to.migrate(contract::scenario_schema());
    if (!done) throw std::runtime_error(to_string(done.error()));
}

// The life of the process that is killed: writes until then, and reports what was acknowledged.
[[noreturn]] void be_killed(const std::filesystem::path& file, int report) {
    auto opened = ledger_sqlite::open({.file = file});
    if (!opened) ::_exit(2);
    boost::asio::io_context loop(1);
    const auto rethrow = [](std::exception_ptr thrown) {
        if (thrown) ::_exit(5);
    };
    boost::asio::co_spawn(loop, migrate(**opened), rethrow);
    loop.run();
    loop.restart();
    for (int writer = 0; writer < writers; ++writer)
        boost::asio::co_spawn(loop, write_for_ever(**opened, writer, report), rethrow);
    loop.run();
    ::_exit(6);
}

std::set<std::string> acknowledged_until_kill(
    const std::filesystem::path& file, std::size_t batches_wanted) {
    std::array<int, 2> ends{};
    REQUIRE(::pipe(ends.data()) == 0);
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        ::close(ends[0]);
        be_killed(file, ends[1]);
    }
    ::close(ends[1]);
    std::string response;
    std::array<char, 4096> buffer{};
    bool killed = false;
    while (true) {
        const auto size = ::read(ends[0], buffer.data(), buffer.size());
        if (size <= 0) break;
        response.append(buffer.data(), static_cast<std::size_t>(size));
        const auto lines = static_cast<std::size_t>(std::ranges::count(response, '\n'));
        if (!killed && lines >= batches_wanted) {
            ::kill(child, SIGKILL);
            killed = true;
        }
    }
    ::close(ends[0]);
    int status = 0;
    ::waitpid(child, &status, 0);
    REQUIRE(WIFSIGNALED(status));
    std::set<std::string> names;
    std::istringstream lines(response);
    for (std::string line; std::getline(lines, line);) names.insert(line);
    return names;
}

awaitable<void> read_back(ledger& from, std::map<std::string, std::size_t>& matches) {
    co_await migrate(from);
    auto question = contract::all_of("machines");
    while (true) {
        const auto page = co_await from.read(question);
        if (!page) throw std::runtime_error(to_string(page.error()));
        for (const auto& cells : page->rows) {
            const auto name = contract::text_cell(cells, 0);
            ++matches[name.substr(0, name.find('/'))];
        }
        if (page->next.empty()) co_return;
        question.after = page->next;
    }
}

TEST_CASE("what was acknowledged survives kill -9 at any moment, whole batches only") {
    const harness::temporary_directory directory("ledger-sqlite-kill");
    prng random(static_cast<std::uint64_t>(::getpid()));
    for (int round = 0; round < 4; ++round) {
        const auto file = directory.path() / (std::to_string(round) + ".db");
        const auto acknowledged = acknowledged_until_kill(file, 5 + random.below(200));

        auto opened = ledger_sqlite::open({.file = file});
        REQUIRE(opened.has_value());
        std::map<std::string, std::size_t> matches;
        harness::real_event_loop().run(read_back(**opened, matches));

        for (const auto& name : acknowledged) CHECK(matches[name] == batch_rows);
        for (const auto& [name, rows] : matches) CHECK(rows == batch_rows);
    }
}

TEST_CASE("a file that cannot be used is refused with a sentence") {
    const harness::temporary_directory directory("ledger-sqlite-bad");
    const auto junk = directory.path() / "junk.db";
    std::ofstream(junk) << std::string(10'000, 'x');

    const auto no_database = ledger_sqlite::open({.file = junk});
    const auto no_directory = ledger_sqlite::open({.file = directory.path() / "none" / "a.db"});

    REQUIRE_FALSE(no_database.has_value());
    CHECK(no_database.error().code() == errc::corrupt);
    CHECK(no_database.error().detail().find("junk.db") != std::string::npos);
    REQUIRE_FALSE(no_directory.has_value());
    CHECK(no_directory.error().code() == errc::not_found);
}

awaitable<void> fill_and_free(ledger& to) {
    co_await migrate(to);
    const rlimit small{.rlim_cur = 200'000, .rlim_max = RLIM_INFINITY};
    const rlimit none{.rlim_cur = RLIM_INFINITY, .rlim_max = RLIM_INFINITY};
    table::row large(7, table::null{});
    large[0] = std::int64_t{1};
    large[5] = table::blob{std::string(1'000'000, 'x')};

    ::setrlimit(RLIMIT_FSIZE, &small);
    const auto full = co_await to.write(one_write("samples", {large}));
    ::setrlimit(RLIMIT_FSIZE, &none);
    const auto freed = co_await to.write(one_write("samples", {large}));

    REQUIRE_FALSE(full.has_value());
    const bool honest =
        full.error().code() == errc::unavailable || full.error().code() == errc::timed_out;
    CHECK_MESSAGE(honest, to_string(full.error()));
    REQUIRE(freed.has_value());
    CHECK(freed->changed == 1);
}

TEST_CASE("a full disk refuses the write and is no reason to stop when space returns") {
    ::signal(SIGXFSZ, SIG_IGN);
    const harness::temporary_directory directory("ledger-sqlite-full");
    auto opened = ledger_sqlite::open({.file = directory.path() / "a.db"});
    REQUIRE(opened.has_value());

    harness::real_event_loop().run(fill_and_free(**opened));
}

}  // namespace
}  // namespace muster::ledger_sqlite
