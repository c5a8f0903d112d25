#include "adapters/os/data_directory.h"
#include "adapters/os/descriptors.h"
#include "adapters/os/file.h"
#include "adapters/os/password.h"
#include "adapters/os/random.h"
#include "tests/harness/real_event_loop.h"
#include "tests/harness/temporary_directory.h"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <chrono>
#include <fcntl.h>
#include <fstream>
#include <set>
#include <unistd.h>

namespace muster::os {
namespace {

using namespace std::chrono_literals;

mode_t mode_of(const std::filesystem::path& file) {
    struct stat stat{};
    REQUIRE(::stat(file.c_str(), &stat) == 0);
    return stat.st_mode & 0777U;
}

TEST_CASE("a saved file has its mode, replaces the old one and leaves nothing beside it") {
    const harness::temporary_directory home("os");
    const auto file = home.path() / "secret";

    REQUIRE(save_file({.file = file, .text = "one", .mode = 0644}).has_value());
    REQUIRE(save_file({.file = file, .text = "two", .mode = 0600}).has_value());

    CHECK(load_file(file).value() == "two");
    CHECK(mode_of(file) == 0600);
    CHECK_FALSE(std::filesystem::exists(home.path() / "secret.new"));
    CHECK(load_file(home.path() / "none").error().code() == errc::not_found);
    CHECK(!load_file("/proc/self/cmdline").value().empty());  // which says that it has no bytes
    CHECK(save_file({.file = home.path() / "no" / "x", .text = ""}).error().code() == errc::denied);
}

TEST_CASE("a data directory is made private and belongs to one server at a time") {
    const harness::temporary_directory home("os");
    const auto where = home.path() / "deep" / "data";

    auto first = data_directory::open(where);
    REQUIRE(first.has_value());
    CHECK(mode_of(where) == 0700);
    const auto second = data_directory::open(where, 50ms);
    REQUIRE(second.error().code() == errc::denied);
    CHECK(
        second.error().detail().contains("another server (process " + std::to_string(::getpid())));

    first->reset();
    CHECK(data_directory::open(where).has_value());
}

TEST_CASE("a data directory is opened when a child that the last holder left behind has ended") {
    const harness::temporary_directory home("os");
    auto first = data_directory::open(home.path());
    REQUIRE(first.has_value());
    const pid_t child = ::fork();  // has the lock too, as long as it runs no program
    if (child == 0) {
        ::usleep(300'000);
        ::_exit(0);
    }
    REQUIRE(child > 0);
    first->reset();

    const auto second = data_directory::open(home.path(), 30s);

    CHECK(second.has_value());
    CHECK(::waitpid(child, nullptr, 0) == child);
}

TEST_CASE("a data directory that cannot be written is refused with the reason") {
    const harness::temporary_directory home("os");
    std::ofstream(home.path() / "file") << "x";

    CHECK(data_directory::open(home.path() / "file").error().code() == errc::denied);
    CHECK(data_directory::open("/proc/muster").error().detail().contains("/proc/muster"));
}

TEST_CASE("random bytes and passwords do not repeat") {
    std::set<std::string> observed;
    for (int i = 0; i < 100; ++i) {
        CHECK(observed.insert(random_bytes(16)).second);
        const auto password = random_password();
        CHECK(password.size() == 29);
        CHECK(observed.insert(password).second);
    }
}

TEST_CASE("the limit of open files is raised as far as it goes, and again changes nothing") {
    const auto limit = raise_descriptor_limit();

    CHECK(limit > 0);
    CHECK(raise_descriptor_limit() == limit);
}

TEST_CASE("a program that is started has only the standard descriptors") {
    const harness::temporary_directory home("os");
    const int opened = ::open((home.path() / "file").c_str(), O_WRONLY | O_CREAT, 0600);
    REQUIRE(opened > STDERR_FILENO);

    close_descriptors_on_exec();

    CHECK(::fcntl(opened, F_GETFD) == FD_CLOEXEC);
    CHECK(::fcntl(STDOUT_FILENO, F_GETFD) == 0);
    ::close(opened);
}

boost::asio::awaitable<void> verify_both(password_verifier& verifier, std::string hash) {
    const auto right = co_await verifier.verify(hash, "correct horse");
    CHECK(right.has_value());
    const auto wrong = co_await verifier.verify(hash, "battery staple");
    CHECK(wrong.error().code() == errc::denied);
    const auto damaged = co_await verifier.verify("$argon2id$nonsense", "battery staple");
    CHECK(damaged.error().code() == errc::corrupt);
}

TEST_CASE("only the password that was hashed is accepted, and the same one hashes differently") {
    const auto hash = hash_password("correct horse").value();
    harness::real_event_loop world;
    password_verifier verifier;

    CHECK(hash.starts_with("$argon2id$v=19$"));
    CHECK(hash_password("correct horse").value() != hash);
    CHECK(hash_password("").error().code() == errc::invalid);
    world.run(verify_both(verifier, hash));
}

}  // namespace
}  // namespace muster::os
