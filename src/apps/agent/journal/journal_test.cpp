#include "apps/agent/journal/journal.h"

#include "adapters/os/file.h"
#include "base/prng.h"
#include "tests/harness/temporary_directory.h"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <fstream>
#include <unistd.h>

namespace {

bool directories_fail = false;

}  // namespace

// Takes the place of the library's, to stand for a disk that does not take a directory.
extern "C" int fsync(int descriptor) {
    struct stat stat{};
    if (directories_fail && ::fstat(descriptor, &stat) == 0 && S_ISDIR(stat.st_mode)) {
        errno = EIO;
        return -1;
    }
    return static_cast<int>(::syscall(SYS_fsync, descriptor));
}

namespace muster::agent {
namespace {

using records = std::map<std::string, std::string>;

std::string file_of(const std::filesystem::path& directory) {
    return os::load_file(directory / "journal").value();
}

void write_file(const std::filesystem::path& directory, const std::string& content) {
    std::ofstream(directory / "journal", std::ios::binary) << content;
}

TEST_CASE("records are there again after a restart, the last of each id") {
    const harness::temporary_directory home("journal");
    {
        const auto stored = journal::open(home.path() / "j").value();
        REQUIRE(stored->put("job 1", "first").has_value());
        REQUIRE(stored->put("job 2", std::string("\0binary", 7)).has_value());
        REQUIRE(stored->put("job 1", "second").has_value());
        REQUIRE(stored->put("job 3", "gone").has_value());
        REQUIRE(stored->erase("job 3").has_value());
    }

    const auto again = journal::open(home.path() / "j").value();

    CHECK(again->records() == records{{"job 1", "second"}, {"job 2", std::string("\0binary", 7)}});
    CHECK(again->dropped_bytes() == 0);
}

TEST_CASE("changes of one piece are kept together, flushed or only written") {
    const harness::temporary_directory home("journal");
    using durability = journal::durability;
    {
        const auto stored = journal::open(home.path() / "j").value();
        REQUIRE(stored->put("old", "x").has_value());
        const std::vector<journal::change> several{
            {.id = "one", .value = "1"},
            {.id = "two", .value = "2"},
            {.id = "old", .value = std::nullopt},
            {.id = "never there", .value = std::nullopt}};
        REQUIRE(stored->apply(several, durability::flushed).has_value());
        REQUIRE(stored->apply({{.id = "two", .value = "22"}}, durability::written).has_value());
        const std::vector<journal::change> too_large{
            {.id = "three", .value = "3"}, {.id = std::string(300, 'i'), .value = "x"}};
        CHECK(stored->apply(too_large, durability::flushed).error().code() == errc::invalid);
    }

    CHECK(
        journal::open(home.path() / "j").value()->records()
        == records{{"one", "1"}, {"two", "22"}});
}

TEST_CASE("wherever the last write is torn, everything before it is kept and can be added to") {
    const harness::temporary_directory home("journal");
    const auto at = home.path() / "j";
    std::string before;
    {
        const auto stored = journal::open(at).value();
        REQUIRE(stored->put("one", "1").has_value());
        before = file_of(at);
        REQUIRE(stored->put("two", "22").has_value());
    }
    const auto whole = file_of(at);

    for (std::size_t size = before.size(); size < whole.size(); ++size) {
        CAPTURE(size);
        write_file(at, whole.substr(0, size));
        {
            const auto torn = journal::open(at).value();
            CHECK(torn->records() == records{{"one", "1"}});
            CHECK(torn->dropped_bytes() == size - before.size());
            REQUIRE(torn->put("three", "333").has_value());
        }
        CHECK(journal::open(at).value()->records() == records{{"one", "1"}, {"three", "333"}});
    }
}

TEST_CASE("no single changed byte of a record goes unnoticed") {
    const harness::temporary_directory home("journal");
    const auto at = home.path() / "j";
    std::size_t before = 0;
    {
        const auto stored = journal::open(at).value();
        before = stored->file_bytes();
        REQUIRE(stored->put("one", "value").has_value());
    }
    const auto whole = file_of(at);

    for (std::size_t byte = before; byte < whole.size(); ++byte) {
        auto damaged = whole;
        damaged[byte] = static_cast<char>(damaged[byte] ^ 0x20);
        write_file(at, damaged);
        CHECK(journal::open(at).value()->records().empty());
    }
}

TEST_CASE("a file that is rewritten often stays small") {
    const harness::temporary_directory home("journal");
    const auto stored = journal::open(home.path() / "j").value();
    const std::string value(1000, 'x');

    for (int round = 0; round < 500; ++round)
        REQUIRE(stored->put("facts", value + std::to_string(round)).has_value());

    CHECK(stored->file_bytes() <= journal::compaction_bytes_min + 2000);
    CHECK(file_of(home.path() / "j").size() == stored->file_bytes());
    CHECK(journal::open(home.path() / "j").value()->records().at("facts") == value + "499");
}

TEST_CASE("a compaction that fails after its rename loses nothing that is written later") {
    const harness::temporary_directory home("journal");
    const std::string report(2'000, 'r');
    {
        const auto stored = journal::open(home.path() / "j").value();
        bool refused = false;
        directories_fail = true;
        for (int round = 0; round < 100 && !refused; ++round)
            refused = !stored->put("job 1", report).has_value();
        const auto response = stored->put("job 2", "while it fails");
        directories_fail = false;

        CHECK(refused);  // nobody knows which file a power failure would leave
        REQUIRE_FALSE(response.has_value());
        CHECK(response.error().code() == errc::unavailable);
        REQUIRE(stored->put("job 3", "after it").has_value());
        CHECK(stored->file_bytes() < 3 * report.size());  // it goes on in the new file
    }

    const auto again = journal::open(home.path() / "j").value();

    CHECK(again->records() == records{{"job 1", report}, {"job 3", "after it"}});
}

TEST_CASE("what is too large or not a journal is refused with a sentence") {
    const harness::temporary_directory home("journal");
    const auto at = home.path() / "j";
    {
        const auto stored = journal::open(at).value();
        CHECK(stored->put("", "x").error().code() == errc::invalid);
        CHECK(stored->put(std::string(300, 'i'), "x").error().code() == errc::invalid);
    }
    write_file(at, "something else");

    CHECK(journal::open(at).error().code() == errc::corrupt);
}

// Writes numbered records for ever and says each number once it is on disk.
[[noreturn]] void write_until_killed(const std::filesystem::path& at, int say) {
    const auto stored = journal::open(at).value();
    for (std::uint32_t number = 0;; ++number) {
        if (!stored->put("record " + std::to_string(number % 50), std::to_string(number))) _exit(1);
        if (::write(say, &number, sizeof number) != sizeof number) _exit(1);
    }
}

TEST_CASE("kill -9 at any moment loses nothing that was answered well") {
    const harness::temporary_directory home("journal");
    const auto at = home.path() / "j";
    prng random(4711);
    for (int round = 0; round < 8; ++round) {
        std::array<int, 2> pipe{};
        REQUIRE(::pipe(pipe.data()) == 0);
        const pid_t child = ::fork();
        if (child == 0) write_until_killed(at, pipe[1]);
        ::close(pipe[1]);
        std::uint32_t last = 0;
        const auto desired = 20 + random.below(200);
        for (std::uint64_t heard = 0; heard < desired; ++heard)
            REQUIRE(::read(pipe[0], &last, sizeof last) == sizeof last);
        REQUIRE(::kill(child, SIGKILL) == 0);
        while (::read(pipe[0], &last, sizeof last) == sizeof last) {}
        int status = 0;
        REQUIRE(::waitpid(child, &status, 0) == child);
        ::close(pipe[0]);

        const auto again = journal::open(at).value();
        const auto stored = std::stoul(again->records().at("record " + std::to_string(last % 50)));
        CHECK(stored >= last);
    }
}

}  // namespace
}  // namespace muster::agent
